// SPDX-License-Identifier: MIT
#include <algorithm>

#include "cuda_cpu/runtime/entry.hpp"
#include "cuda_cpu/runtime/memory.hpp"

using namespace treadle::cuda_cpu;

namespace {

template <class Value>
CUresult answer(void* data, Value value) {
  *static_cast<Value*>(data) = value;
  return CUDA_SUCCESS;
}

bool on_host(const Allocation& found) {
  return found.kind == MemoryKind::host || found.kind == MemoryKind::registered;
}

CUresult describe(void* data, CUpointer_attribute attribute, CUdeviceptr pointer,
                  const Allocation& found) {
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return answer<CUcontext>(data, found.context ? found.context->handle : nullptr);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return answer<unsigned>(data, on_host(found) ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      return answer(data, pointer);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      // Of plain device memory CUDA has no host address; programs use that to tell the kinds apart.
      if (found.kind == MemoryKind::device || found.kind == MemoryKind::global ||
          found.kind == MemoryKind::imported || found.kind == MemoryKind::mapped)
        return CUDA_ERROR_INVALID_VALUE;
      return answer(data, reinterpret_cast<void*>(pointer));
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
      return answer<unsigned>(data, 1);
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      return answer<unsigned long long>(data, found.id);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      return answer<unsigned>(data, found.kind == MemoryKind::managed ? 1 : 0);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return answer<int>(data, 0);
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
      return answer<unsigned>(data, found.kind == MemoryKind::device ? 1 : 0);
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
      return answer<unsigned>(data, 0);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
      return answer<CUdeviceptr>(data, found.base);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
      return answer(data, found.size);
    case CU_POINTER_ATTRIBUTE_MAPPED:
      return answer<unsigned>(data, 1);
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
      return answer<unsigned long long>(data, 0);
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      return answer<unsigned>(data, CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE);
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      return answer<CUmemoryPool>(data, found.pool ? found.pool->handle : nullptr);
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
      return answer<unsigned long long>(data, found.id);
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

/// What cuPointerGetAttributes writes for memory it does not know: nothing found, no error.
void describe_unknown(void* data, CUpointer_attribute attribute) {
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_MAPPED:
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      answer<unsigned>(data, 0);
      break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      answer<int>(data, -2);
      break;
    default:
      answer<std::uint64_t>(data, 0);
      break;
  }
}

}  // namespace

CUresult cuPointerGetAttribute(void* data, CUpointer_attribute attribute, CUdeviceptr pointer) {
  // An address says which context it belongs to: none need be current.
  return with_process([&]() -> CUresult {
    const auto found = find_memory(pointer);
    return data == nullptr || !found ? CUDA_ERROR_INVALID_VALUE
                                     : describe(data, attribute, pointer, *found);
  });
}

CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* attributes, void** data,
                                CUdeviceptr pointer) {
  return with_process([&]() -> CUresult {
    // More than a program would ever ask for is a negative count: the arrays are not that long.
    constexpr unsigned most_attributes = 1024;
    if (attributes == nullptr || data == nullptr || count > most_attributes)
      return CUDA_ERROR_INVALID_VALUE;
    if (std::any_of(data, data + count, [](const void* each) { return each == nullptr; }))
      return CUDA_ERROR_INVALID_VALUE;
    const auto found = find_memory(pointer);
    for (unsigned i = 0; i < count; ++i)
      if (!found || describe(data[i], attributes[i], pointer, *found) != CUDA_SUCCESS)
        describe_unknown(data[i], attributes[i]);
    return CUDA_SUCCESS;
  });
}

CUresult cuPointerSetAttribute(const void* value, CUpointer_attribute attribute,
                               CUdeviceptr pointer) {
  return with_context([&](const auto&) -> CUresult {
    if (value == nullptr || !find_memory(pointer)) return CUDA_ERROR_INVALID_VALUE;
    // Blocking copies always are synchronous here.
    return attribute == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}
