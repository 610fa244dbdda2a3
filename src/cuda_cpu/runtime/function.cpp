// SPDX-License-Identifier: MIT
// Entry points that ask and set what belongs to one kernel.
#include <algorithm>

#include "cuda_cpu/runtime/entry.hpp"
#include "cuda_cpu/runtime/machine.hpp"
#include "cuda_cpu/runtime/module.hpp"

namespace treadle::cuda_cpu {

int blocks_per_multiprocessor(const Function& function, int block_size,
                              std::size_t dynamic_shared) {
  constexpr std::size_t threads = 2 * max_threads_per_block, most_blocks = 32;
  if (static_cast<unsigned>(block_size) > function.max_threads()) return 0;
  const std::size_t shared = function.kernel.static_shared + dynamic_shared;
  if (dynamic_shared > function.max_dynamic_shared) return 0;
  const auto warps_rounded =
      (static_cast<std::size_t>(block_size) + warp_size - 1) / warp_size * warp_size;
  std::size_t blocks = std::min(most_blocks, threads / warps_rounded);
  if (shared > 0) blocks = std::min(blocks, shared_per_block_optin / shared);
  return static_cast<int>(blocks);
}

CUresult attribute_of(const Function& function, CUfunction_attribute attribute, int& value) {
  const Kernel& kernel = function.kernel;
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      value = static_cast<int>(function.max_threads());
      break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      value = static_cast<int>(kernel.static_shared);
      break;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
      value = static_cast<int>(kernel.constant_size);
      break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      value = static_cast<int>(kernel.local_size + kernel.varying_frame_size);
      break;
    // The compiler does not tell; a number that is plausible for the capability this device
    // reports.
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      value = 32;
      break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      value = capability_major * 10 + capability_minor;
      break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      value = static_cast<int>(function.max_dynamic_shared.load());
      break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      value = function.shared_carveout;
      break;
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
      value = 0;
      break;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUresult set_attribute_of(Function& function, CUfunction_attribute attribute, int value) {
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: {
      const std::size_t room = shared_per_block_optin - function.kernel.static_shared;
      if (value < 0 || static_cast<std::size_t>(value) > room) return CUDA_ERROR_INVALID_VALUE;
      function.max_dynamic_shared = static_cast<std::size_t>(value);
      return CUDA_SUCCESS;
    }
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      if (value < -1 || value > 100) return CUDA_ERROR_INVALID_VALUE;
      function.shared_carveout = value;
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

}  // namespace treadle::cuda_cpu

using namespace treadle::cuda_cpu;

namespace {

template <class Body>
CUresult with_function(CUfunction handle, Body&& body) {
  return with_context([&](const auto&) -> CUresult {
    std::shared_ptr<Function> function;
    const CUresult failure = find_function(handle, function);
    return failure == CUDA_SUCCESS ? body(*function) : failure;
  });
}

/// For what can be told of a kernel that was left for later.
template <class Body>
CUresult with_name(CUfunction handle, Body&& body) {
  return with_context([&](const auto&) -> CUresult {
    const auto function = named_function(handle);
    return function ? body(*function) : CUDA_ERROR_INVALID_HANDLE;
  });
}

}  // namespace

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction handle) {
  return with_function(handle, [&](const Function& function) -> CUresult {
    return value == nullptr ? CUDA_ERROR_INVALID_VALUE : attribute_of(function, attribute, *value);
  });
}

CUresult cuFuncSetAttribute(CUfunction handle, CUfunction_attribute attribute, int value) {
  return with_function(
      handle, [&](Function& function) { return set_attribute_of(function, attribute, value); });
}

CUresult cuFuncSetCacheConfig(CUfunction handle, CUfunc_cache config) {
  return with_function(handle, [&](const Function&) -> CUresult {
    // A hint about how to divide on-chip memory, of which there is none here.
    return config < CU_FUNC_CACHE_PREFER_NONE || config > CU_FUNC_CACHE_PREFER_EQUAL
               ? CUDA_ERROR_INVALID_VALUE
               : CUDA_SUCCESS;
  });
}

CUresult cuFuncSetSharedMemConfig(CUfunction handle, CUsharedconfig config) {
  return with_function(handle, [&](const Function&) -> CUresult {
    const bool known = config >= CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE &&
                       config <= CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE;
    return known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuFuncGetModule(CUmodule* module, CUfunction handle) {
  return with_name(handle, [&](const Function& function) -> CUresult {
    if (module == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *module = function.module->handle;
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncGetName(const char** name, CUfunction handle) {
  return with_name(handle, [&](const Function& function) -> CUresult {
    if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *name = function.kernel.name;
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncGetParamInfo(CUfunction handle, size_t index, size_t* offset, size_t* size) {
  return with_name(handle, [&](const Function& function) -> CUresult {
    // Asking one past the last is how programs count parameters; CUDA answers INVALID_VALUE.
    if (offset == nullptr || index >= function.kernel.parameter_count)
      return CUDA_ERROR_INVALID_VALUE;
    *offset = function.kernel.parameters[index].offset;
    if (size != nullptr) *size = function.kernel.parameters[index].size;
    return CUDA_SUCCESS;
  });
}

/// What cuFuncGetParamInfo leaves out: name and type as the source has them ("" where unknown) and
/// the ParameterKind of module_abi.h. Texts live as long as the module.
TREADLE_CPU_EXPORT CUresult treadleCpuParameterInfo(CUfunction handle, size_t index,
                                                    const char** name, const char** type,
                                                    unsigned* kind) {
  return with_name(handle, [&](const Function& function) -> CUresult {
    if (index >= function.kernel.parameter_count) return CUDA_ERROR_INVALID_VALUE;
    const ParameterRecord& parameter = function.kernel.parameters[index];
    if (name != nullptr) *name = parameter.name == nullptr ? "" : parameter.name;
    if (type != nullptr) *type = parameter.type == nullptr ? "" : parameter.type;
    if (kind != nullptr) *kind = parameter.kind;
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState* state, CUfunction handle) {
  return with_name(handle, [&](const Function& function) -> CUresult {
    if (state == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const bool deferred = (function.kernel.flags & kernel_is_deferred) != 0;
    *state = deferred ? CU_FUNCTION_LOADING_STATE_UNLOADED : CU_FUNCTION_LOADING_STATE_LOADED;
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncLoad(CUfunction handle) {
  return with_function(handle, [](const Function&) -> CUresult { return CUDA_SUCCESS; });
}

// ---- occupancy

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, CUfunction handle,
                                                              int block_size, size_t dynamic_shared,
                                                              unsigned flags) {
  return with_function(handle, [&](const Function& function) -> CUresult {
    if (blocks == nullptr || block_size <= 0 || flags > CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)
      return CUDA_ERROR_INVALID_VALUE;
    *blocks = blocks_per_multiprocessor(function, block_size, dynamic_shared);
    return CUDA_SUCCESS;
  });
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction handle, int block_size,
                                                     size_t dynamic_shared) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, handle, block_size,
                                                              dynamic_shared, 0);
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int* min_grid, int* block_size,
                                                   CUfunction handle, CUoccupancyB2DSize shared_of,
                                                   size_t dynamic_shared, int limit,
                                                   unsigned flags) {
  return with_function(handle, [&](const Function& function) -> CUresult {
    if (min_grid == nullptr || block_size == nullptr || limit < 0 ||
        flags > CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)
      return CUDA_ERROR_INVALID_VALUE;
    const int largest = limit == 0 ? static_cast<int>(function.max_threads())
                                   : std::min(limit, static_cast<int>(function.max_threads()));
    int best_threads = 0;
    constexpr int warp = warp_size;
    for (int size = largest; size > 0; size -= size % warp == 0 ? warp : size % warp) {
      const std::size_t shared = shared_of != nullptr ? shared_of(size) : dynamic_shared;
      const int blocks = blocks_per_multiprocessor(function, size, shared);
      if (blocks * size <= best_threads) continue;
      best_threads = blocks * size;
      *block_size = size;
      *min_grid = blocks * static_cast<int>(machine().threads);
    }
    return best_threads > 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuOccupancyMaxPotentialBlockSize(int* min_grid, int* block_size, CUfunction handle,
                                          CUoccupancyB2DSize shared_of, size_t dynamic_shared,
                                          int limit) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(min_grid, block_size, handle, shared_of,
                                                   dynamic_shared, limit, 0);
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, CUfunction handle, int blocks,
                                                 int block_size) {
  return with_function(handle, [&](const Function& function) -> CUresult {
    if (bytes == nullptr || blocks <= 0 || block_size <= 0) return CUDA_ERROR_INVALID_VALUE;
    const std::size_t each = shared_per_block_optin / static_cast<std::size_t>(blocks);
    const std::size_t used = std::min<std::size_t>(each, function.kernel.static_shared);
    *bytes = std::min(each - used, function.max_dynamic_shared.load());
    return CUDA_SUCCESS;
  });
}
