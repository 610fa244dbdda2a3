// SPDX-License-Identifier: MIT
// What can be asked of and set on a context.
#include "cuda_cpu/runtime/capture.hpp"
#include "cuda_cpu/runtime/device.hpp"
#include "cuda_cpu/runtime/entry.hpp"
#include "cuda_cpu/runtime/printing.hpp"
#include "cuda_cpu/runtime/scheduler.hpp"

using namespace treadle::cuda_cpu;

namespace {

/// A sticky error stays readable: what only reports on a context works on a failed one as well.
template <class Body>
CUresult with_any_context(Body&& body) {
  return guarded([&]() -> CUresult {
    std::shared_ptr<Context> context;
    const CUresult failure = enter(context);
    return context ? body(*context) : failure;
  });
}

CUresult synchronize(Context& context) {
  if (!Scheduler::instance().wait_all(context, Hook::asked)) return CUDA_ERROR_NOT_READY;
  flush_printed();
  return context.error();
}

}  // namespace

CUresult cuCtxGetDevice(CUdevice* device) {
  return with_any_context([&](Context&) -> CUresult {
    if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *device = 0;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetDevice_v2(CUdevice* device, CUcontext handle) {
  if (handle == nullptr) return cuCtxGetDevice(device);
  return with_process([&]() -> CUresult {
    std::shared_ptr<Context> context;
    if (const CUresult failure = find_context(handle, context); failure != CUDA_SUCCESS)
      return failure;
    if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *device = 0;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetFlags(unsigned* flags) {
  return with_any_context([&](const Context& context) -> CUresult {
    if (flags == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *flags = context.flags;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxSetFlags(unsigned flags) {
  return with_context([&](const auto& context) -> CUresult {
    if ((flags & ~static_cast<unsigned>(CU_CTX_FLAGS_MASK)) != 0) return CUDA_ERROR_INVALID_VALUE;
    context->flags = flags;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetId(CUcontext handle, unsigned long long* id) {
  return with_process([&]() -> CUresult {
    if (id == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::shared_ptr<Context> context;
    const CUresult failure = handle == nullptr ? enter(context) : find_context(handle, context);
    if (!context) return failure;
    *id = context->id;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxSynchronize() {
  return with_context([](const auto& context) -> CUresult {
    const CUresult failure = refuse_captured(*context);
    return failure != CUDA_SUCCESS ? failure : synchronize(*context);
  });
}

CUresult cuCtxSynchronize_v2(CUcontext handle) {
  if (handle == nullptr) return cuCtxSynchronize();
  return with_process([&]() -> CUresult {
    std::shared_ptr<Context> context;
    const CUresult failure = find_context(handle, context);
    return failure != CUDA_SUCCESS ? failure : synchronize(*context);
  });
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  return with_context([&](const auto& context) -> CUresult {
    switch (limit) {
      case CU_LIMIT_STACK_SIZE:  // threads of a kernel share the stack of a worker, which is larger
                                 // than any limit
      case CU_LIMIT_PRINTF_FIFO_SIZE:
      case CU_LIMIT_MALLOC_HEAP_SIZE:
      case CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT:
      case CU_LIMIT_MAX_L2_FETCH_GRANULARITY:
        context->set_limit(limit, value);
        return CUDA_SUCCESS;
      default:
        return static_cast<unsigned>(limit) < CU_LIMIT_MAX ? CUDA_ERROR_UNSUPPORTED_LIMIT
                                                           : CUDA_ERROR_INVALID_VALUE;
    }
  });
}

CUresult cuCtxGetLimit(size_t* value, CUlimit limit) {
  return with_any_context([&](const Context& context) -> CUresult {
    // An enumeration is promoted to int: a negative one would be small.
    const auto number = static_cast<unsigned>(limit);
    if (value == nullptr || number >= CU_LIMIT_MAX) return CUDA_ERROR_INVALID_VALUE;
    if (limit == CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH || number > CU_LIMIT_PERSISTING_L2_CACHE_SIZE)
      return CUDA_ERROR_UNSUPPORTED_LIMIT;
    *value = context.limit(limit);
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetCacheConfig(CUfunc_cache* config) {
  return with_any_context([&](const Context& context) -> CUresult {
    if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *config = context.cache_config;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
  return with_context([&](const auto& context) -> CUresult {
    if (config < CU_FUNC_CACHE_PREFER_NONE || config > CU_FUNC_CACHE_PREFER_EQUAL)
      return CUDA_ERROR_INVALID_VALUE;
    context->cache_config = config;
    return CUDA_SUCCESS;
  });
}

// Shared memory has no banks here; programs ask and set all the same.
CUresult cuCtxGetSharedMemConfig(CUsharedconfig* config) {
  return with_any_context([&](const Context&) -> CUresult {
    if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *config = CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxSetSharedMemConfig(CUsharedconfig config) {
  return with_context([&](const auto&) -> CUresult {
    const bool known = config >= CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE &&
                       config <= CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE;
    return known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuCtxGetApiVersion(CUcontext handle, unsigned* version) {
  return with_process([&]() -> CUresult {
    if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::shared_ptr<Context> context;
    const CUresult failure = handle == nullptr ? enter(context) : find_context(handle, context);
    if (!context) return failure;
    *version = context_api_version;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return with_context([&](const auto&) -> CUresult {
    if (least != nullptr) *least = least_priority;
    if (greatest != nullptr) *greatest = greatest_priority;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxResetPersistingL2Cache() {
  return with_context([](const auto&) -> CUresult { return CUDA_SUCCESS; });
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  return with_context([&](const auto&) -> CUresult {
    std::shared_ptr<Context> other;
    if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
    const CUresult failure = find_context(peer, other);
    // One device: contexts share its memory, and CUDA has no peer access of a device to itself.
    return failure != CUDA_SUCCESS ? failure : CUDA_ERROR_INVALID_DEVICE;
  });
}

CUresult cuCtxDisablePeerAccess(CUcontext peer) {
  return with_context([&](const auto&) -> CUresult {
    std::shared_ptr<Context> other;
    const CUresult failure = find_context(peer, other);
    return failure != CUDA_SUCCESS ? failure : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
  });
}
