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

#define FMT_HEADER_ONLY
#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "cuda_cpu/runtime/faults.hpp"
#include "cuda_cpu/runtime/services.hpp"
#include "treadle/base/cpu_features.hpp"

namespace treadle::cuda_cpu {
namespace {

constexpr std::uint64_t largest_payload = 1u << 30;

/// Compares byte by byte: an image shorter than the pattern differs before its end is passed.
bool begins_with(const void* image, std::string_view pattern) {
  const char* bytes = static_cast<const char*>(image);
  for (const char expected : pattern)
    if (*bytes++ != expected) return false;
  return true;
}

/// Names what the image is when it is not ours. Code for NVIDIA GPUs is a good image for the wrong
/// device.
LoadFailure foreign_image(const void* image) {
  constexpr std::string_view fatbin("\x50\xed\x55\xba", 4), wrapped_fatbin("\xb1\x43\x62\x46", 4);
  constexpr std::string_view elf(
      "\x7f"
      "ELF\x02",
      5);
  if (begins_with(image, fatbin) || begins_with(image, wrapped_fatbin))
    return {CUDA_ERROR_NO_BINARY_FOR_GPU, "a fat binary for NVIDIA GPUs; this is the CPU device"};
  constexpr unsigned machine_at = 18, cuda_machine = 190;
  if (begins_with(image, elf) &&
      static_cast<const unsigned char*>(image)[machine_at] == cuda_machine)
    return {CUDA_ERROR_NO_BINARY_FOR_GPU, "a cubin for NVIDIA GPUs; this is the CPU device"};
  const char* text = static_cast<const char*>(image);
  while (*text == ' ' || *text == '\t' || *text == '\n' || *text == '\r') ++text;
  if (begins_with(text, "//") || begins_with(text, ".version"))
    return {CUDA_ERROR_NO_BINARY_FOR_GPU, "PTX for NVIDIA GPUs; this is the CPU device"};
  return {CUDA_ERROR_INVALID_IMAGE, "neither a Treadle CPU module nor any known device image"};
}

std::string missing_features(const CpuFeatures& needed) {
  std::string names;
  for (unsigned bit = 0; bit < 64 * needed.bits.size(); ++bit) {
    if (!needed.has(bit) || host_cpu_features().has(bit)) continue;
    const auto known = cpu_feature_names();
    names += bit < known.size() ? fmt::format(" {}", known[bit]) : fmt::format(" bit {}", bit);
  }
  return names;
}

LoadFailure header_defect(const void* image, std::optional<std::size_t> size) {
  if (size && *size < sizeof(ModuleHeader)) {
    // Too short for a header of ours, and too short to look for others byte by byte without care.
    return {CUDA_ERROR_INVALID_IMAGE, "shorter than a module header"};
  }
  if (!begins_with(image, {module_magic, sizeof module_magic})) return foreign_image(image);
  ModuleHeader header;
  std::memcpy(&header, image, sizeof header);
  if (header.abi_version != module_abi_version || header.header_size != sizeof(ModuleHeader))
    return {CUDA_ERROR_NO_BINARY_FOR_GPU, "a module of another version of Treadle"};
  if (header.payload_size == 0 || header.payload_size > largest_payload ||
      (size && *size - sizeof header < header.payload_size))
    return {CUDA_ERROR_INVALID_IMAGE, "the payload is cut off or its size is wrong"};
  const XXH128_hash_t digest = XXH3_128bits(static_cast<const char*>(image) + sizeof header,
                                            static_cast<std::size_t>(header.payload_size));
  if (digest.low64 != header.digest[0] || digest.high64 != header.digest[1])
    return {CUDA_ERROR_INVALID_IMAGE, "the payload does not match its digest"};
  CpuFeatures needed;
  std::memcpy(needed.bits.data(), header.cpu_features, sizeof header.cpu_features);
  if (!host_cpu_features().covers(needed))
    return {CUDA_ERROR_NO_BINARY_FOR_GPU,
            "needs processor features that are absent here:" + missing_features(needed)};
  return {};
}

bool write_all(int file, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t written = write(file, bytes, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

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
  const bool written = file >= 0 && write_all(file, bytes, size);
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
