// SPDX-License-Identifier: MIT
// Entry points that allocate, free and describe linear, page-locked and managed memory.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "cuda_cpu/runtime/capture.hpp"
#include "cuda_cpu/runtime/device.hpp"
#include "cuda_cpu/runtime/entry.hpp"
#include "cuda_cpu/runtime/memory.hpp"
#include "cuda_cpu/runtime/scheduler.hpp"

using namespace treadle::cuda_cpu;

namespace {

std::uintptr_t address_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

/// Work in flight may use the memory: as CUDA does, freeing waits for it. Until then it is known:
/// kernels may be checked for what they access.
CUresult free_now(std::uintptr_t base, std::initializer_list<MemoryKind> kinds) {
  if (const CUresult failure = refuse_unsafe_in_capture(); failure != CUDA_SUCCESS) return failure;
  const auto found = find_memory(base);
  if (!found || found->base != base) return CUDA_ERROR_INVALID_VALUE;
  if (std::find(kinds.begin(), kinds.end(), found->kind) == kinds.end())
    return CUDA_ERROR_INVALID_VALUE;
  if (!Scheduler::instance().wait_all(*found->context, Hook::asked)) return CUDA_ERROR_NOT_READY;
  if (found->kind == MemoryKind::device && found->flags == graph_memory) return CUDA_SUCCESS;
  const auto allocation = remove_memory(base, kinds);
  if (!allocation) return CUDA_ERROR_INVALID_VALUE;  // another thread was faster
  release_memory(*allocation);
  return CUDA_SUCCESS;
}

bool readable(const void* start, std::size_t size) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t first = address_of(start) / page * page;
  const std::uintptr_t last = address_of(start) + size;
  if (last < first) return false;
  unsigned char present[4096];
  const std::size_t stride = sizeof present * page;
  for (std::uintptr_t at = first; at < last; at += stride)
    if (mincore(reinterpret_cast<void*>(at), std::min<std::size_t>(stride, last - at), present) !=
        0)
      return false;
  return true;
}

constexpr unsigned host_alloc_flags =
    CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
constexpr unsigned host_register_flags = CU_MEMHOSTREGISTER_PORTABLE |
                                         CU_MEMHOSTREGISTER_DEVICEMAP |
                                         CU_MEMHOSTREGISTER_IOMEMORY | CU_MEMHOSTREGISTER_READ_ONLY;

}  // namespace

// ---- device memory

CUresult cuMemGetInfo(size_t* free, size_t* total) {
  return with_context([&](const auto&) -> CUresult {
    if (free == nullptr || total == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const MemoryState state = memory_state();
    *free = state.free;
    *total = state.total;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemAlloc(CUdeviceptr* pointer, size_t size) {
  return with_context([&](const auto& context) -> CUresult {
    if (pointer == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult failure = refuse_unsafe_in_capture(); failure != CUDA_SUCCESS)
      return failure;
    std::uintptr_t address = 0;
    const CUresult result = allocate_memory(context, size, MemoryKind::device, 0, address);
    if (result == CUDA_SUCCESS) *pointer = address;
    return result;
  });
}

CUresult cuMemAllocPitch(CUdeviceptr* pointer, size_t* pitch, size_t width, size_t height,
                         unsigned element_size) {
  return with_context([&](const auto& context) -> CUresult {
    if (pointer == nullptr || pitch == nullptr || width == 0 || height == 0)
      return CUDA_ERROR_INVALID_VALUE;
    if (element_size != 4 && element_size != 8 && element_size != 16)
      return CUDA_ERROR_INVALID_VALUE;
    if (width > max_pitch) return CUDA_ERROR_INVALID_VALUE;
    const std::size_t row = (width + pitch_alignment - 1) / pitch_alignment * pitch_alignment;
    std::size_t size = 0;
    if (__builtin_mul_overflow(row, height, &size)) return CUDA_ERROR_OUT_OF_MEMORY;
    std::uintptr_t address = 0;
    const CUresult result = allocate_memory(context, size, MemoryKind::device, 0, address);
    if (result != CUDA_SUCCESS) return result;
    *pointer = address;
    *pitch = row;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemFree(CUdeviceptr pointer) {
  return with_context([&](const auto&) -> CUresult {
    if (pointer == 0) return CUDA_SUCCESS;
    return free_now(pointer, {MemoryKind::device, MemoryKind::managed});
  });
}

CUresult cuMemGetAddressRange(CUdeviceptr* base, size_t* size, CUdeviceptr pointer) {
  return with_context([&](const auto&) -> CUresult {
    const auto found = find_memory(pointer);
    if (!found) return CUDA_ERROR_NOT_FOUND;
    if (base != nullptr) *base = found->base;
    if (size != nullptr) *size = found->size;
    return CUDA_SUCCESS;
  });
}

// ---- page-locked host memory

CUresult cuMemHostAlloc(void** pointer, size_t size, unsigned flags) {
  return with_context([&](const auto& context) -> CUresult {
    if (pointer == nullptr || (flags & ~host_alloc_flags) != 0) return CUDA_ERROR_INVALID_VALUE;
    std::uintptr_t address = 0;
    const CUresult result = allocate_memory(context, size, MemoryKind::host, flags, address);
    if (result == CUDA_SUCCESS) *pointer = reinterpret_cast<void*>(address);
    return result;
  });
}

CUresult cuMemAllocHost(void** pointer, size_t size) {
  return cuMemHostAlloc(pointer, size, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
}

CUresult cuMemFreeHost(void* pointer) {
  return with_context([&](const auto&) -> CUresult {
    if (pointer == nullptr) return CUDA_SUCCESS;
    return free_now(address_of(pointer), {MemoryKind::host});
  });
}

CUresult cuMemHostRegister(void* pointer, size_t size, unsigned flags) {
  return with_context([&](const auto& context) -> CUresult {
    if (pointer == nullptr || size == 0 || (flags & ~host_register_flags) != 0)
      return CUDA_ERROR_INVALID_VALUE;
    if (!readable(pointer, size)) return CUDA_ERROR_INVALID_VALUE;
    const bool added = add_memory({.base = address_of(pointer),
                                   .size = size,
                                   .kind = MemoryKind::registered,
                                   .flags = flags,
                                   .id = 0,
                                   .context = context,
                                   .site = {}});
    return added ? CUDA_SUCCESS : CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  });
}

CUresult cuMemHostUnregister(void* pointer) {
  return with_context([&](const auto&) -> CUresult {
    if (pointer == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = free_now(address_of(pointer), {MemoryKind::registered});
    return result == CUDA_SUCCESS || result == CUDA_ERROR_NOT_READY
               ? result
               : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
  });
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr* device, void* pointer, unsigned flags) {
  return with_context([&](const auto&) -> CUresult {
    if (device == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    const auto found = find_memory(address_of(pointer));
    if (!found || (found->kind != MemoryKind::host && found->kind != MemoryKind::registered))
      return CUDA_ERROR_INVALID_VALUE;
    *device = address_of(pointer);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemHostGetFlags(unsigned* flags, void* pointer) {
  return with_context([&](const auto&) -> CUresult {
    const auto found = find_memory(address_of(pointer));
    if (flags == nullptr || !found || found->kind != MemoryKind::host)
      return CUDA_ERROR_INVALID_VALUE;
    *flags = found->flags;
    return CUDA_SUCCESS;
  });
}

// ---- managed memory; managed_advice.cpp has what is said of it

CUresult cuMemAllocManaged(CUdeviceptr* pointer, size_t size, unsigned flags) {
  return with_context([&](const auto& context) -> CUresult {
    if (pointer == nullptr || (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST))
      return CUDA_ERROR_INVALID_VALUE;
    std::uintptr_t address = 0;
    const CUresult result = allocate_memory(context, size, MemoryKind::managed, flags, address);
    if (result == CUDA_SUCCESS) *pointer = address;
    return result;
  });
}
