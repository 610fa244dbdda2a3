// SPDX-License-Identifier: MIT
// Entry points of stream-ordered allocation: the address is usable by later work of the stream, and
// until the free is reached.
#include "cuda_cpu/runtime/memory_pool.hpp"

#include "cuda_cpu/runtime/capture.hpp"
#include "cuda_cpu/runtime/entry.hpp"
#include "cuda_cpu/runtime/memory.hpp"
#include "cuda_cpu/runtime/scheduler.hpp"

namespace treadle::cuda_cpu {

MemoryPoolHandles& memory_pool_handles() {
  static MemoryPoolHandles* const handles = new MemoryPoolHandles;
  return *handles;
}

namespace {

std::shared_ptr<MemoryPool> make_pool(std::size_t max_bytes) {
  auto pool = std::make_shared<MemoryPool>(max_bytes);
  pool->handle = memory_pool_handles().insert(pool);
  return pool;
}

const std::shared_ptr<MemoryPool>& default_pool() {
  static auto* const pool = new std::shared_ptr<MemoryPool>(make_pool(0));
  return *pool;
}

/// What cuMemAllocAsync takes from.
struct CurrentPool {
  std::mutex mutex;
  std::shared_ptr<MemoryPool> pool = default_pool();
};
CurrentPool& current_pool() {
  static CurrentPool* const current = new CurrentPool;
  return *current;
}
std::shared_ptr<MemoryPool> get_current_pool() {
  const std::lock_guard lock(current_pool().mutex);
  return current_pool().pool;
}
void set_current_pool(std::shared_ptr<MemoryPool> pool) {
  const std::lock_guard lock(current_pool().mutex);
  current_pool().pool.swap(pool);
}

template <class Body>
CUresult with_pool(CUmemoryPool handle, Body&& body) {
  return with_process([&]() -> CUresult {
    const auto pool = memory_pool_handles().find(handle);
    return pool ? body(pool) : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult allocate_in_order(CUdeviceptr* pointer, std::size_t size,
                           const std::shared_ptr<MemoryPool>& pool, CUstream handle) {
  return with_context([&](const auto& context) -> CUresult {
    std::shared_ptr<Stream> stream;
    if (const CUresult failure = resolve_stream(context, handle, stream); failure != CUDA_SUCCESS)
      return failure;
    if (pointer == nullptr || !pool) return CUDA_ERROR_INVALID_VALUE;
    std::uintptr_t address = 0;
    if (stream->capturing) {
      const CUresult result =
          allocate_memory(context, size, MemoryKind::device, graph_memory, address);
      if (result != CUDA_SUCCESS) return result;
      CUDA_MEM_ALLOC_NODE_PARAMS node{};
      node.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
      node.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
      node.bytesize = size;
      node.dptr = *pointer = address;
      return capture_work(stream, AllocateWork{std::make_shared<GraphMemory>(address), node});
    }
    if (!pool->take(size)) return CUDA_ERROR_OUT_OF_MEMORY;
    const CUresult result = allocate_memory(context, size, MemoryKind::device, 0, address, pool);
    if (result == CUDA_SUCCESS)
      *pointer = address;
    else
      pool->give_back(size);
    return result;
  });
}

bool is_own_device(const CUmemLocation& location) {
  return location.type == CU_MEM_LOCATION_TYPE_DEVICE && location.id == 0;
}

}  // namespace
}  // namespace treadle::cuda_cpu

using namespace treadle::cuda_cpu;

CUresult cuMemAllocAsync(CUdeviceptr* pointer, size_t size, CUstream stream) {
  return guarded([&] { return allocate_in_order(pointer, size, get_current_pool(), stream); });
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr* pointer, size_t size, CUmemoryPool pool,
                                 CUstream stream) {
  return guarded(
      [&] { return allocate_in_order(pointer, size, memory_pool_handles().find(pool), stream); });
}

CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream handle) {
  return with_context([&](const auto& context) -> CUresult {
    std::shared_ptr<Stream> stream;
    if (const CUresult failure = resolve_stream(context, handle, stream); failure != CUDA_SUCCESS)
      return failure;
    if (pointer == 0) return CUDA_SUCCESS;
    const auto found = find_memory(pointer);
    if (!found || found->base != pointer || found->kind != MemoryKind::device)
      return CUDA_ERROR_INVALID_VALUE;
    if (stream->capturing) return capture_work(stream, FreeWork{pointer});
    if (found->flags == graph_memory) return CUDA_SUCCESS;  // it goes with the graph
    Scheduler::instance().submit(
        std::make_unique<TaskCommand>([pointer](std::uint64_t) {
          if (const auto allocation = remove_memory(pointer, {MemoryKind::device}))
            release_memory(*allocation);
        }),
        stream);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemPoolCreate(CUmemoryPool* handle, const CUmemPoolProps* properties) {
  return with_process([&]() -> CUresult {
    if (handle == nullptr || properties == nullptr ||
        properties->allocType != CU_MEM_ALLOCATION_TYPE_PINNED)
      return CUDA_ERROR_INVALID_VALUE;
    if (properties->handleTypes != CU_MEM_HANDLE_TYPE_NONE) return CUDA_ERROR_NOT_SUPPORTED;
    if (!is_own_device(properties->location)) return CUDA_ERROR_INVALID_DEVICE;
    *handle = make_pool(properties->maxSize)->handle;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemPoolDestroy(CUmemoryPool handle) {
  return with_pool(handle, [&](const auto& pool) -> CUresult {
    if (pool == default_pool()) return CUDA_ERROR_INVALID_VALUE;
    memory_pool_handles().remove(handle);  // what was allocated from it counts it on
    if (get_current_pool() == pool) set_current_pool(default_pool());
    return CUDA_SUCCESS;
  });
}

CUresult cuMemPoolTrimTo(CUmemoryPool handle, size_t) {
  return with_pool(handle, [](const auto&) -> CUresult { return CUDA_SUCCESS; });
}

CUresult cuMemPoolSetAttribute(CUmemoryPool handle, CUmemPool_attribute attribute, void* value) {
  return with_pool(handle, [&](const auto& pool) -> CUresult {
    if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
    switch (attribute) {
      case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
      case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
      case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
        pool->reuse[attribute - 1] = *static_cast<const int*>(value) != 0 ? 1 : 0;
        return CUDA_SUCCESS;
      case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        pool->release_threshold = *static_cast<const cuuint64_t*>(value);
        return CUDA_SUCCESS;
      case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
      case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
        if (*static_cast<const cuuint64_t*>(value) != 0) return CUDA_ERROR_INVALID_VALUE;
        pool->reset_high();
        return CUDA_SUCCESS;
      default:
        return CUDA_ERROR_INVALID_VALUE;
    }
  });
}

CUresult cuMemPoolGetAttribute(CUmemoryPool handle, CUmemPool_attribute attribute, void* value) {
  return with_pool(handle, [&](const auto& pool) -> CUresult {
    if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
    switch (attribute) {
      case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
      case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
      case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
        *static_cast<int*>(value) = pool->reuse[attribute - 1];
        return CUDA_SUCCESS;
      case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        *static_cast<cuuint64_t*>(value) = pool->release_threshold;
        return CUDA_SUCCESS;
      case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
      case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
        *static_cast<cuuint64_t*>(value) = pool->used();
        return CUDA_SUCCESS;
      case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
      case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
        *static_cast<cuuint64_t*>(value) = pool->high();
        return CUDA_SUCCESS;
      default:
        return CUDA_ERROR_INVALID_VALUE;
    }
  });
}

CUresult cuMemPoolSetAccess(CUmemoryPool handle, const CUmemAccessDesc* access, size_t count) {
  return with_pool(handle, [&](const auto&) -> CUresult {
    for (std::size_t i = 0; i < count; ++i) {
      if (access == nullptr || !is_own_device(access[i].location)) return CUDA_ERROR_INVALID_DEVICE;
      // The device's own access cannot be taken away.
      if (access[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE) return CUDA_ERROR_INVALID_DEVICE;
    }
    return CUDA_SUCCESS;
  });
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags* flags, CUmemoryPool handle,
                            CUmemLocation* location) {
  return with_pool(handle, [&](const auto&) -> CUresult {
    if (flags == nullptr || location == nullptr || !is_own_device(*location))
      return CUDA_ERROR_INVALID_VALUE;
    *flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    return CUDA_SUCCESS;
  });
}

namespace {

CUresult give_pool(CUmemoryPool* handle, CUdevice device, const std::shared_ptr<MemoryPool>& pool) {
  if (handle == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  *handle = pool->handle;
  return CUDA_SUCCESS;
}

}  // namespace

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* handle, CUdevice device) {
  return with_process([&] { return give_pool(handle, device, default_pool()); });
}
CUresult cuDeviceGetMemPool(CUmemoryPool* handle, CUdevice device) {
  return with_process([&] { return give_pool(handle, device, get_current_pool()); });
}
CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool handle) {
  return with_pool(handle, [&](const auto& pool) -> CUresult {
    if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
    set_current_pool(pool);
    return CUDA_SUCCESS;
  });
}
