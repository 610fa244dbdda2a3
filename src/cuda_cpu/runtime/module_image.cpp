// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/module_image.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "cuda_cpu/runtime/faults.hpp"
#include "cuda_cpu/runtime/module_header.hpp"
#include "cuda_cpu/runtime/services.hpp"
#include "treadle/base/write_all.hpp"

namespace treadle::cuda_cpu {
namespace {

/// A path to the open file that no other module has had: the loader takes equal paths for the same
/// library, even when the descriptor was closed and its number used again. The bits of a counter
/// choose "/" or "/./".
std::string unique_path(int file) {
  static std::atomic<unsigned> counter{0};
  std::string path = "/proc/self/fd";
  for (unsigned bits = ++counter; bits != 0; bits >>= 1) path += (bits & 1) != 0 ? "/." : "//.";
  return path + "/" + std::to_string(file);
}

/// Somewhere to put the library that the loader can open: memory, or where memfd is forbidden a
/// private file.
int open_for_loader(std::string& path) {
  int file = memfd_create("treadle-module", MFD_CLOEXEC);
  if (file >= 0) {
    path = unique_path(file);
    return file;
  }
  const char* folder = std::getenv("TMPDIR");
  path = std::string(folder != nullptr && *folder != '\0' ? folder : "/tmp") +
         "/treadle-module-XXXXXX";
  return mkostemp(path.data(), O_CLOEXEC);
}

void* open_library(const char* bytes, std::size_t size, LoadFailure& failure) {
  std::string path;
  const int file = open_for_loader(path);
  const bool written = file >= 0 && write_all(::write, file, bytes, size);
  void* library = written ? dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (!written) {
    failure = {CUDA_ERROR_OPERATING_SYSTEM,
               std::string("no room for the module: ") + std::strerror(errno)};
  } else if (library == nullptr) {
    const char* reason = dlerror();
    const std::string text = reason == nullptr ? "the loader refused it" : reason;
    const bool undefined = text.find("undefined symbol") != std::string::npos;
    failure = {undefined ? CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND
                         : CUDA_ERROR_SHARED_OBJECT_INIT_FAILED,
               text};
  }
  if (file >= 0) close(file);
  if (path.compare(0, 6, "/proc/") != 0) unlink(path.c_str());
  return library;
}

/// Where the loader put this library: its loadable segments.
std::vector<MappedRange> mapped_ranges(void* library) {
  struct Search {
    ElfW(Addr) base;
    std::vector<MappedRange> ranges;
  } search{};
  link_map* map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) return {};
  search.base = map->l_addr;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& wanted = *static_cast<Search*>(data);
        if (info->dlpi_addr != wanted.base) return 0;
        for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
          const auto& header = info->dlpi_phdr[i];
          if (header.p_type != PT_LOAD) continue;
          const std::uintptr_t begin = info->dlpi_addr + header.p_vaddr;
          wanted.ranges.push_back({begin, begin + header.p_memsz, (header.p_flags & PF_X) != 0});
        }
        return 1;
      },
      &search);
  return std::move(search.ranges);
}

}  // namespace

LoadedCode::~LoadedCode() { dlclose(library_); }

std::unique_ptr<LoadedCode> load_image(const void* image, std::optional<std::size_t> size,
                                       LoadFailure& failure) {
  // The caller of cuModuleLoadData gives no size: an image that ends before its header says so must
  // not end us.
  struct Attempt {
    const void* image;
    std::optional<std::size_t> size;
    LoadFailure* failure;
  } attempt{image, size, &failure};
  Fault fault;
  take_faults_first();
  prepare_for_faults();
  const auto check = [](void* argument) {
    auto& a = *static_cast<Attempt*>(argument);
    *a.failure = header_defect(a.image, a.size);
  };
  if (!run_guarded(fault, check, &attempt))
    failure = {CUDA_ERROR_INVALID_IMAGE, "the image ends before its header says"};
  if (failure.code != CUDA_SUCCESS) return nullptr;

  ModuleHeader header;
  std::memcpy(&header, image, sizeof header);
  void* const library = open_library(static_cast<const char*>(image) + sizeof header,
                                     static_cast<std::size_t>(header.payload_size), failure);
  if (library == nullptr) return nullptr;
  auto code = std::make_unique<LoadedCode>(library);
  code->descriptor_ = static_cast<const ModuleDescriptor*>(dlsym(library, module_symbol));
  const std::string defect = descriptor_defect(code->descriptor_, mapped_ranges(library));
  if (!defect.empty()) {
    failure = {CUDA_ERROR_INVALID_IMAGE, "module descriptor: " + defect};
    return nullptr;
  }
  if (code->descriptor_->services != nullptr) *code->descriptor_->services = &services();
  return code;
}

}  // namespace treadle::cuda_cpu
