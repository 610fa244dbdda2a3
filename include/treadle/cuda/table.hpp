// SPDX-License-Identifier: MIT
// The driver's entry points as an object. The only public header that includes cuda.h; programs
// that use the classes need neither.
#pragma once

#include <cuda.h>

#include <filesystem>
#include <memory>
#include <string>

#include "treadle/cuda/driver.hpp"
#include "treadle/cuda/error.hpp"

namespace treadle::cuda {

/// Stands in every slot whose entry point the driver lacks. check() turns its result into
/// NotSupported, with the name of the call and the driver's version; so no call needs a test for
/// null.
template <class... Arguments>
CUresult absent(Arguments...) {
  return static_cast<CUresult>(absent_entry_point);
}
/// absent() with the parameters of an entry point.
template <class... Arguments>
constexpr auto absent_slot(CUresult (*)(Arguments...)) -> CUresult (*)(Arguments...) {
  return &absent<Arguments...>;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
/// One driver. Slots are called as the header's functions are: `table.cuMemAlloc(&address,
/// size_bytes)`. An empty Table has every slot absent; copies may be changed freely before they are
/// shared, as fakes and fault-injecting wrappers do. Contexts, and through them all objects, keep
/// their table alive.
struct Table {
#define TREADLE_SYMBOL(name, suffix, presence) \
  decltype(&::name) name = absent_slot(static_cast<decltype(&::name)>(nullptr));
#define TREADLE_OLDER_SYMBOL(member, exported, ...) \
  CUresult (*member)(__VA_ARGS__) = &absent<__VA_ARGS__>;
#include "treadle/cuda/symbols.def"

  Provider provider = Provider::nvidia;  ///< decides what targets are compiled for, nothing else
  std::filesystem::path
      library;  ///< where the entry points came from; empty for a table filled in by hand

  // Only libtreadle_cpu has these; null where missing.
  /// treadleCpuLastFault. What the kernel that failed in this context did: kernel, block, thread,
  /// address; empty for none.
  const char* (*last_fault)(CUcontext context) = nullptr;
  /// treadleCpuParameterInfo. Name, type and kind (module_abi.h: 0 value, 1 pointer, 2 structure)
  /// of a parameter, as its source has them; the texts live as long as the module.
  CUresult (*parameter_info)(CUfunction function, std::size_t index, const char** name,
                             const char** type, unsigned* kind) = nullptr;
  /// treadle_cpu_set_wait_hook. Makes waiting calls ask `hook` now and then: 0 go on; 1 the call
  /// returns CUDA_ERROR_NOT_READY; 2 the same, and the context's work is ended.
  void (*set_wait_hook)(int (*hook)()) = nullptr;
  /// treadle_cpu_set_print_sink. `sink` gets what kernels print, in the place of stdout; null:
  /// stdout again.
  void (*set_print_sink)(void (*sink)(const char* text, std::size_t size_bytes)) = nullptr;
  /// treadle_cpu_end_work. Stops what runs in the context and drops what is queued.
  CUresult (*end_work)(CUcontext context) = nullptr;
  /// treadle_cpu_wait_for_work. Waits for the work of the context, as calls that end what the work
  /// may use; while streams are captured, too, which cuCtxSynchronize forbids.
  CUresult (*wait_for_work)(CUcontext context) = nullptr;
  /// treadle_cpu_fill_pattern. As cuMemsetD32Async, for patterns of 8 and 16 bytes.
  CUresult (*fill_pattern)(CUdeviceptr to, const void* pattern, std::size_t pattern_bytes,
                           std::size_t count, CUstream stream) = nullptr;
};
#pragma GCC diagnostic pop

/// Whether the driver has this entry point: `is_present(table.cuFuncGetParamInfo)`.
template <class... Arguments>
bool is_present(CUresult (*slot)(Arguments...)) noexcept {
  return slot != &absent<Arguments...>;
}

/// NVIDIA's driver: settings().libcuda, else the system's libcuda.so.1. Opened once and never
/// closed. Throws LibraryNotFound (each path tried with the loader's answer; each required entry
/// point that is missing).
std::shared_ptr<const Table> load_nvidia_driver();
/// libtreadle_cpu.so, found as find_own_library says. Opened once and never closed. Throws
/// LibraryNotFound.
std::shared_ptr<const Table> load_cpu_driver();

}  // namespace treadle::cuda
