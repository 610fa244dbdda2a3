// SPDX-License-Identifier: MIT
// Looking entry points up by name, and the profiler switches.
#include <dlfcn.h>

#include <string>
#include <string_view>

#include "cuda_cpu/runtime/entry.hpp"

using namespace treadle::cuda_cpu;

namespace {

/// Versions of entry points that came with a later CUDA than the name itself: a program that asks
/// for an older CUDA gets the older signature.
struct Versioned {
  std::string_view name, symbol;
  int since;
};
constexpr Versioned later_versions[] = {
    {"cuCtxCreate", "cuCtxCreate_v4", 12050},
    {"cuCtxCreate", "cuCtxCreate_v3", 11040},
    {"cuEventElapsedTime", "cuEventElapsedTime_v2", 12080},
    {"cuMemAdvise", "cuMemAdvise_v2", 12020},
    {"cuMemPrefetchAsync", "cuMemPrefetchAsync_v2", 12020},
    {"cuMemcpyBatchAsync", "cuMemcpyBatchAsync_v2", 13000},
    {"cuMemcpy3DBatchAsync", "cuMemcpy3DBatchAsync_v2", 13000},
    {"cuCtxGetDevice", "cuCtxGetDevice_v2", 13000},
    {"cuCtxSynchronize", "cuCtxSynchronize_v2", 13000},
    {"cuStreamGetCtx", "cuStreamGetCtx_v2", 12050},
    {"cuGetProcAddress", "cuGetProcAddress_v2", 12000},
};

void* own_library() {
  // RTLD_DEFAULT would miss us: the shell opens this library RTLD_LOCAL.
  static void* const handle = [] {
    Dl_info info{};
    return dladdr(reinterpret_cast<void*>(&own_library), &info) != 0
               ? dlopen(info.dli_fname, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD)
               : nullptr;
  }();
  return handle;
}

void* find_entry_point(std::string_view name, int version) {
  // A forked child may call this, too: the fork handler leaves the mutex unlocked there.
  const std::lock_guard lock(loader_mutex());
  bool versioned = false;
  for (const Versioned& later : later_versions) {
    if (later.name != name) continue;
    versioned = true;
    if (version >= later.since) return dlsym(own_library(), std::string(later.symbol).c_str());
  }
  const std::string plain(name);
  if (plain == "cuCtxCreate") return dlsym(own_library(), "cuCtxCreate_v2");
  if (versioned) return dlsym(own_library(), plain.c_str());
  // All others that have a second version have had it since CUDA 4, 6.5, 7 or 11.
  for (const char* suffix : {"_v3", "_v2", ""})
    if (void* found = dlsym(own_library(), (plain + suffix).c_str())) return found;
  return nullptr;
}

}  // namespace

CUresult cuGetProcAddress(const char* name, void** function, int version, cuuint64_t,
                          CUdriverProcAddressQueryResult* status) {
  return guarded([&]() -> CUresult {
    if (name == nullptr || function == nullptr || std::string_view(name).substr(0, 2) != "cu")
      return CUDA_ERROR_INVALID_VALUE;
    *function = find_entry_point(name, version);
    const bool found = *function != nullptr;
    if (status != nullptr)
      *status = found ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return found ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
  });
}

#undef cuGetProcAddress
TREADLE_CPU_EXPORT CUresult cuGetProcAddress(const char* name, void** function, int version,
                                             cuuint64_t flags) {
  return cuGetProcAddress_v2(name, function, version, flags, nullptr);
}

// No profiler attaches to this device; programs bracket regions of interest all the same.
/// As drivers since CUDA 12 have it: the profiler inside the driver is no more.
TREADLE_CPU_EXPORT CUresult cuProfilerInitialize(const char*, const char*, int) {
  return with_process([]() -> CUresult { return CUDA_ERROR_NOT_SUPPORTED; });
}
TREADLE_CPU_EXPORT CUresult cuProfilerStart() {
  return with_context([](const auto&) -> CUresult { return CUDA_SUCCESS; });
}
TREADLE_CPU_EXPORT CUresult cuProfilerStop() {
  return with_context([](const auto&) -> CUresult { return CUDA_SUCCESS; });
}
