// SPDX-License-Identifier: MIT
#include "cuda_cpu/compiler/device_headers.hpp"

#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <span>
#include <string>
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

}  // namespace

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> device_headers() {
  static const llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> mounted = mount_headers();
  return mounted;
}

}  // namespace treadle::cuda_cpu
