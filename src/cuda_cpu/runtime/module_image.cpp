// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/module_image.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "cuda_cpu/runtime/faults.hpp"
#include "cuda_cpu/runtime/module_header.hpp"
#include "cuda_cpu/runtime/process.hpp"
#include "cuda_cpu/runtime/services.hpp"
#include "process/coverage_file.hpp"
#include "treadle/base/error.hpp"
#include "treadle/process/debug_files.hpp"
#include "treadle/process/settings.hpp"
#include "treadle/process/warning.hpp"
#include "treadle/process/write_all.hpp"

namespace treadle::cuda_cpu {
namespace {

/// A path of the open file that no other module has had: the loader takes equal paths for the same
/// library, even if the descriptor was closed and its number reused. The bits of a counter are
/// encoded as "//." or "/.". With the process id in it, debuggers can open the path, too.
std::string unique_path(int file) {
  static std::atomic<unsigned> counter{0};
  std::string path = "/proc/" + std::to_string(getpid()) + "/fd";
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

/// A debugger that is shown a module wants its sources too: they are no older than it is. Line
/// tables name them.
void use_sources_of(std::string_view bytes) {
  constexpr std::size_t digits = 32;
  std::string_view last;  // each unit and each table names the same one
  for (std::size_t at = bytes.find(debug_source_root); at != bytes.npos;
       at = bytes.find(debug_source_root, at + 1)) {
    const std::string_view digest = bytes.substr(at + debug_source_root.size(), digits);
    if (digest.size() < digits || digest == last ||
        digest.find_first_not_of("0123456789abcdef") != digest.npos)
      continue;
    debug_files().use(std::filesystem::path("source") / digest);
    last = digest;
  }
}

/// Loads the library from a file that is kept, so that profilers and debuggers find its symbols and
/// lines even after the process has ended: perf cannot read memory files. One file serves all
/// processes. Null if there can be no such file, or if this process has loaded the module already:
/// each load needs variables of its own, and the loader maps a file only once.
void* open_kept_library(std::string_view bytes, const std::string& digest) {
  const std::string file = debug_files().keep("module/" + digest + ".so", bytes);
  if (file.empty()) return nullptr;
  use_sources_of(bytes);
  const std::lock_guard lock(loader_mutex());
  if (void* loaded = dlopen(file.c_str(), RTLD_NOW | RTLD_NOLOAD)) {
    dlclose(loaded);
    return nullptr;
  }
  return dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
}

/// Debuggers read a library in memory by its open file. A process may have 1024 of them, and most
/// are the program's.
constexpr int most_open_files = 64;
std::atomic<int> open_files{0};

/// The library in memory; `kept` is its file if that stays open, else -1.
void* open_library_in_memory(std::string_view bytes, int& kept, LoadFailure& failure) {
  std::string path;
  const int file = open_for_loader(path);
  const bool written = file >= 0 && write_all(::write, file, bytes.data(), bytes.size());
  const std::lock_guard lock(loader_mutex());
  void* library = written ? dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (written && library == nullptr && path.starts_with("/proc/")) {
    // In a PID namespace with the outer /proc this process has another number there.
    path.replace(0, path.find('/', 6), "/proc/self");
    library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
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
  if (path.compare(0, 6, "/proc/") != 0) unlink(path.c_str());
  if (library != nullptr && ++open_files <= most_open_files) {
    kept = file;
  } else if (file >= 0) {
    if (library != nullptr) --open_files;
    close(file);
  }
  return library;
}

std::string hexadecimal(const ModuleHeader& header) {
  char text[33];
  std::snprintf(text, sizeof text, "%016llx%016llx",
                static_cast<unsigned long long>(header.digest[1]),
                static_cast<unsigned long long>(header.digest[0]));
  return text;
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

/// Without TREADLE_COVERAGE, or where its file refuses, the module counts for itself alone.
void count_in_file(const ModuleDescriptor& module) {
  const std::filesystem::path& file = settings().coverage;
  if (file.empty()) return;
  for (const CountedPlaces& places :
       std::span(module.counted_places, module.counted_places_count)) {
    try {
      *places.counters =
          coverage_counters(file, {places.map, places.map_size}, places.counter_count);
    } catch (const Error& error) {
      warn(std::string("coverage of kernels is lost: ") + error.what());
      return;
    }
  }
}

}  // namespace

LoadedCode::~LoadedCode() {
  if (library_ != nullptr) {
    const std::lock_guard lock(loader_mutex());
    dlclose(library_);
  }
  if (file_ < 0) return;
  close(file_);
  --open_files;
}

bool LoadedCode::holds(std::uintptr_t address) const {
  Dl_info own{}, found{};
  const std::lock_guard lock(loader_mutex());
  return dladdr(descriptor_, &own) != 0 &&
         dladdr(reinterpret_cast<const void*>(address), &found) != 0 &&
         own.dli_fbase == found.dli_fbase;
}

std::unique_ptr<LoadedCode> load_image(const void* image, std::optional<std::size_t> size,
                                       LoadFailure& failure) {
  // cuModuleLoadData is not told a size: an image that is shorter than its header says must not
  // crash the process.
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
  const std::string_view bytes(static_cast<const char*>(image) + header.header_size,
                               static_cast<std::size_t>(header.payload_size));
  auto code = std::make_unique<LoadedCode>();
  code->digest_ = hexadecimal(header);
  code->note_ = module_note(image);
  code->library_ = open_kept_library(bytes, code->digest_);
  if (code->library_ == nullptr)
    code->library_ = open_library_in_memory(bytes, code->file_, failure);
  void* const library = code->library_;
  if (library == nullptr) return nullptr;
  std::vector<MappedRange> ranges;
  {
    const std::lock_guard lock(loader_mutex());
    code->descriptor_ = static_cast<const ModuleDescriptor*>(dlsym(library, module_symbol));
    ranges = mapped_ranges(library);
  }
  const std::string defect = descriptor_defect(code->descriptor_, ranges);
  if (!defect.empty()) {
    failure = {CUDA_ERROR_INVALID_IMAGE, "module descriptor: " + defect};
    return nullptr;
  }
  if (code->descriptor_->services != nullptr) *code->descriptor_->services = &services();
  count_in_file(*code->descriptor_);
  return code;
}

}  // namespace treadle::cuda_cpu
