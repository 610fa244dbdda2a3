// SPDX-License-Identifier: MIT
#include "cuda_cpu/compiler/device_headers.hpp"

#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <charconv>
#include <filesystem>
#include <span>
#include <utility>

#include "treadle/base/embedded.hpp"

namespace treadle::cuda_cpu::headers {
extern const std::span<const EmbeddedFile> embedded_files;
}

namespace treadle::cuda_cpu {
namespace {

/// The headers have absolute names: a working directory, which each compile would set, means
/// nothing here.
class SharedHeaders : public llvm::vfs::ProxyFileSystem {
 public:
  using llvm::vfs::ProxyFileSystem::ProxyFileSystem;
  std::error_code setCurrentWorkingDirectory(const llvm::Twine&) override { return {}; }
};

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> mount_headers() {
  auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  for (const EmbeddedFile& file : headers::embedded_files) {
    // Modification time 0: a precompiled prelude records it, and has to match on every machine.
    files->addFile(std::string(device_header_root) + "/" + std::string(file.path), 0,
                   llvm::MemoryBuffer::getMemBuffer({file.text.data(), file.text.size()}));
  }
  return llvm::makeIntrusiveRefCnt<SharedHeaders>(std::move(files));
}

/// Number of the newest libstdc++ whose headers are installed; 0: none.
int newest_libstdcxx(const std::filesystem::path& folder) {
  int newest = 0;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
    const std::string name = entry.path().filename().string();
    int version = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), version);
    if (error != std::errc{} || end != name.data() + name.size() || version <= newest) continue;
    if (std::filesystem::exists(entry.path() / "tuple", failed)) newest = version;
  }
  return newest;
}

int libstdcxx_version() {
  static const int version = newest_libstdcxx("/usr/include/c++");
  return version;
}

std::vector<std::string> find_host_headers() {
  std::vector<std::string> dirs;
  if (const int version = libstdcxx_version(); version > 0) {
    const std::string number = std::to_string(version);
    dirs.push_back("/usr/include/c++/" + number);
    dirs.push_back("/usr/include/x86_64-linux-gnu/c++/" + number);
  }
  dirs.insert(dirs.end(), {"/usr/local/include", "/usr/include/x86_64-linux-gnu", "/usr/include"});
  std::erase_if(dirs, [](const std::string& dir) {
    std::error_code failed;
    return !std::filesystem::is_directory(dir, failed);
  });
  return dirs;
}

}  // namespace

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> device_headers() {
  static const llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> mounted = mount_headers();
  return mounted;
}

const std::vector<std::string>& host_header_dirs() {
  static const std::vector<std::string> dirs = find_host_headers();
  return dirs;
}

const std::vector<std::string>& newer_host_headers() {
  static const std::vector<std::string> files = [] {
    constexpr int versions_ahead = 4;
    std::vector<std::string> paths;
    for (int next = 1; next <= versions_ahead; ++next)
      paths.push_back("/usr/include/c++/" + std::to_string(libstdcxx_version() + next) + "/tuple");
    return paths;
  }();
  return files;
}

}  // namespace treadle::cuda_cpu
