// SPDX-License-Identifier: MIT
// Physical memory and the addresses it is seen at, apart: cuMemCreate makes a memory file,
// cuMemAddressReserve takes addresses where nothing lies, cuMemMap lays a part of the file there.
// Kernels and copies know memory from cuMemSetAccess on.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "cuda_cpu/runtime/address_range.hpp"
#include "cuda_cpu/runtime/entry.hpp"
#include "cuda_cpu/runtime/memory.hpp"
#include "cuda_cpu/runtime/scheduler.hpp"
#include "cuda_cpu/runtime/shared_file.hpp"

namespace treadle::cuda_cpu {
namespace {

std::size_t granularity() {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}
bool is_granular(std::uint64_t number) { return number % granularity() == 0; }

/// A memory file; it lasts as long as handles and mappings of it.
struct PhysicalBlock {
  PhysicalBlock(int memory_file, std::size_t bytes, const CUmemAllocationProp& made_with,
                bool is_counted)
      : file(memory_file), size(bytes), properties(made_with), counted(is_counted) {}
  PhysicalBlock(const PhysicalBlock&) = delete;
  PhysicalBlock& operator=(const PhysicalBlock&) = delete;
  ~PhysicalBlock() {
    close(file);
    if (counted) give_back_memory(size);
  }
  const int file;
  const std::size_t size;
  const CUmemAllocationProp properties;
  const bool counted;  ///< memory of another process is counted there
};

struct PhysicalHandle {
  std::shared_ptr<PhysicalBlock> block;
  unsigned references = 1;
};

struct MappedPart {
  std::size_t size;
  CUmemGenericAllocationHandle handle;  ///< it was mapped by
  std::shared_ptr<PhysicalBlock> block;
  CUmemAccess_flags device_access = CU_MEM_ACCESS_FLAGS_PROT_NONE;
  CUmemAccess_flags host_access = CU_MEM_ACCESS_FLAGS_PROT_NONE;
};

/// All of the process: none of it belongs to a context.
struct VirtualMemory {
  using Parts = std::map<std::uintptr_t, MappedPart>;

  std::mutex mutex;
  std::map<CUmemGenericAllocationHandle, PhysicalHandle> handles;
  CUmemGenericAllocationHandle last_handle = 0;
  std::map<std::uintptr_t, std::size_t> reserved;  ///< base -> bytes
  Parts parts;                                     ///< by their base; within reservations

  /// Whether [base, base + size) lies in one reservation.
  bool is_reserved(std::uintptr_t base, std::size_t size) const {
    auto next = reserved.upper_bound(base);
    if (next == reserved.begin()) return false;
    --next;
    return base - next->first <= next->second && size <= next->second - (base - next->first);
  }
  /// The parts that begin in [base, base + size), if these cover it from end to end; else none.
  std::pair<Parts::iterator, Parts::iterator> covering(std::uintptr_t base, std::size_t size) {
    const auto first = parts.find(base);
    std::uintptr_t at = base;
    auto each = first;
    for (; each != parts.end() && each->first == at && at < base + size; ++each)
      at += each->second.size;
    return size > 0 && at == base + size ? std::pair(first, each)
                                         : std::pair(parts.end(), parts.end());
  }
  bool overlaps(std::uintptr_t base, std::size_t size) const {
    const auto next = parts.lower_bound(base);
    if (next != parts.end() && next->first < base + size) return true;
    return next != parts.begin() && std::prev(next)->first + std::prev(next)->second.size > base;
  }
  CUmemGenericAllocationHandle add(std::shared_ptr<PhysicalBlock> block) {
    handles.emplace(++last_handle, PhysicalHandle{std::move(block)});
    return last_handle;
  }
};

VirtualMemory& virtual_memory() {
  static VirtualMemory* const instance = new VirtualMemory;  // outlives every thread
  return *instance;
}

template <class Body>
CUresult with_virtual_memory(Body&& body) {
  return with_process([&]() -> CUresult {
    VirtualMemory& memory = virtual_memory();
    const std::lock_guard lock(memory.mutex);
    return body(memory);
  });
}

CUresult check_properties(const CUmemAllocationProp& properties) {
  constexpr unsigned exportable = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  if (properties.type != CU_MEM_ALLOCATION_TYPE_PINNED || properties.win32HandleMetaData != nullptr)
    return CUDA_ERROR_INVALID_VALUE;
  if ((static_cast<unsigned>(properties.requestedHandleTypes) & ~exportable) != 0)
    return CUDA_ERROR_NOT_SUPPORTED;
  switch (properties.location.type) {
    case CU_MEM_LOCATION_TYPE_DEVICE:
      return properties.location.id == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
    case CU_MEM_LOCATION_TYPE_HOST:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT:
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult create(CUmemGenericAllocationHandle& handle, std::size_t size,
                const CUmemAllocationProp& properties) {
  if (const CUresult failure = check_properties(properties); failure != CUDA_SUCCESS)
    return failure;
  if (size == 0 || !is_granular(size)) return CUDA_ERROR_INVALID_VALUE;
  if (!take_memory(size)) return CUDA_ERROR_OUT_OF_MEMORY;
  const int file = make_shared_file(size);
  if (file < 0) {
    give_back_memory(size);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  auto block = std::make_shared<PhysicalBlock>(file, size, properties, true);
  VirtualMemory& memory = virtual_memory();
  const std::lock_guard lock(memory.mutex);
  handle = memory.add(std::move(block));
  return CUDA_SUCCESS;
}

/// Puts addresses back to where nothing can be read.
void clear_addresses(std::uintptr_t base, std::size_t size) {
  mmap(reinterpret_cast<void*>(base), size, PROT_NONE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

CUresult map_block(VirtualMemory& memory, std::uintptr_t base, std::size_t size, std::size_t offset,
                   CUmemGenericAllocationHandle handle) {
  const auto found = memory.handles.find(handle);
  if (found == memory.handles.end()) return CUDA_ERROR_INVALID_VALUE;
  const auto& block = found->second.block;
  const bool fits = size > 0 && is_granular(base) && is_granular(size) && is_granular(offset) &&
                    offset <= block->size && size <= block->size - offset;
  if (!fits || !memory.is_reserved(base, size) || memory.overlaps(base, size))
    return CUDA_ERROR_INVALID_VALUE;
  void* const at = mmap(reinterpret_cast<void*>(base), size, PROT_NONE, MAP_SHARED | MAP_FIXED,
                        block->file, static_cast<off_t>(offset));
  if (at == MAP_FAILED) {
    clear_addresses(base, size);
    return CUDA_ERROR_MAP_FAILED;
  }
  memory.parts.emplace(base, MappedPart{size, handle, block});
  return CUDA_SUCCESS;
}

/// Lets kernels and copies know the memory of a part, or forget it.
void show_part(std::uintptr_t base, const MappedPart& part, bool is_known) {
  if (!is_known) {
    remove_memory(base, {MemoryKind::mapped});
    return;
  }
  add_memory({.base = base,
              .size = part.size,
              .kind = MemoryKind::mapped,
              .flags = 0,
              .id = 0,
              .context = nullptr,
              .site = {}});
}

bool apply_access(std::uintptr_t base, MappedPart& part, const CUmemAccessDesc& wanted) {
  const bool was_known = part.device_access != CU_MEM_ACCESS_FLAGS_PROT_NONE;
  (wanted.location.type == CU_MEM_LOCATION_TYPE_DEVICE ? part.device_access : part.host_access) =
      wanted.flags;
  // One processor is both: pages allow what either may.
  const int access = std::max(part.device_access, part.host_access);
  const int protection = access == CU_MEM_ACCESS_FLAGS_PROT_READWRITE ? PROT_READ | PROT_WRITE
                         : access == CU_MEM_ACCESS_FLAGS_PROT_READ    ? PROT_READ
                                                                      : PROT_NONE;
  if (mprotect(reinterpret_cast<void*>(base), part.size, protection) != 0) return false;
  const bool is_known = part.device_access != CU_MEM_ACCESS_FLAGS_PROT_NONE;
  if (is_known != was_known) show_part(base, part, is_known);
  return true;
}

CUresult check_access(const CUmemAccessDesc& wanted) {
  const CUmemLocation place = wanted.location;
  if (place.type != CU_MEM_LOCATION_TYPE_DEVICE && place.type != CU_MEM_LOCATION_TYPE_HOST)
    return CUDA_ERROR_INVALID_VALUE;
  if (place.type == CU_MEM_LOCATION_TYPE_DEVICE && place.id != 0) return CUDA_ERROR_INVALID_DEVICE;
  const bool known = wanted.flags == CU_MEM_ACCESS_FLAGS_PROT_NONE ||
                     wanted.flags == CU_MEM_ACCESS_FLAGS_PROT_READ ||
                     wanted.flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  return known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/// The part that an address lies in; end() if there is none.
VirtualMemory::Parts::iterator part_at(VirtualMemory& memory, std::uintptr_t address) {
  const auto next = memory.parts.upper_bound(address);
  if (next == memory.parts.begin()) return memory.parts.end();
  const auto found = std::prev(next);
  return address - found->first < found->second.size ? found : memory.parts.end();
}

/// Of another process, or this one: the size is the file's.
CUresult import_file(int file, CUmemGenericAllocationHandle& handle) {
  struct stat status{};
  // Memory files have seals, and nothing else has.
  if (fstat(file, &status) != 0 || fcntl(file, F_GET_SEALS) < 0 || status.st_size <= 0 ||
      !is_granular(static_cast<std::uint64_t>(status.st_size)))
    return CUDA_ERROR_INVALID_VALUE;
  const int own = fcntl(file, F_DUPFD_CLOEXEC, 0);
  if (own < 0) return CUDA_ERROR_OPERATING_SYSTEM;
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
  auto block = std::make_shared<PhysicalBlock>(own, static_cast<std::size_t>(status.st_size),
                                               properties, false);
  VirtualMemory& memory = virtual_memory();
  const std::lock_guard lock(memory.mutex);
  handle = memory.add(std::move(block));
  return CUDA_SUCCESS;
}

}  // namespace
}  // namespace treadle::cuda_cpu

using namespace treadle::cuda_cpu;

// ---- addresses

CUresult cuMemAddressReserve(CUdeviceptr* pointer, size_t size, size_t alignment, CUdeviceptr,
                             unsigned long long flags) {
  // A wish for an address is one that need not be granted.
  return with_virtual_memory([&](VirtualMemory& memory) -> CUresult {
    const bool aligned = (alignment & (alignment - 1)) == 0;
    if (pointer == nullptr || size == 0 || !is_granular(size) || !aligned || flags != 0)
      return CUDA_ERROR_INVALID_VALUE;
    void* const base = take_addresses(size, granularity(), std::max(alignment, granularity()));
    if (base == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
    *pointer = reinterpret_cast<std::uintptr_t>(base);
    memory.reserved.emplace(*pointer, size);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemAddressFree(CUdeviceptr pointer, size_t size) {
  return with_virtual_memory([&](VirtualMemory& memory) -> CUresult {
    const auto found = memory.reserved.find(pointer);
    if (found == memory.reserved.end() || found->second != size || memory.overlaps(pointer, size))
      return CUDA_ERROR_INVALID_VALUE;
    memory.reserved.erase(found);
    give_back_addresses(reinterpret_cast<void*>(pointer), size, granularity());
    return CUDA_SUCCESS;
  });
}

// ---- memory

CUresult cuMemGetAllocationGranularity(size_t* bytes, const CUmemAllocationProp* properties,
                                       CUmemAllocationGranularity_flags option) {
  return with_process([&]() -> CUresult {
    if (bytes == nullptr || properties == nullptr ||
        (option != CU_MEM_ALLOC_GRANULARITY_MINIMUM &&
         option != CU_MEM_ALLOC_GRANULARITY_RECOMMENDED))
      return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult failure = check_properties(*properties); failure != CUDA_SUCCESS)
      return failure;
    *bytes = granularity();
    return CUDA_SUCCESS;
  });
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, size_t size,
                     const CUmemAllocationProp* properties, unsigned long long flags) {
  return with_process([&]() -> CUresult {
    if (handle == nullptr || properties == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    return create(*handle, size, *properties);
  });
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  return with_virtual_memory([&](VirtualMemory& memory) -> CUresult {
    const auto found = memory.handles.find(handle);
    if (found == memory.handles.end()) return CUDA_ERROR_INVALID_VALUE;
    if (--found->second.references == 0) memory.handles.erase(found);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle, void* address) {
  return with_virtual_memory([&](VirtualMemory& memory) -> CUresult {
    const auto part = part_at(memory, reinterpret_cast<std::uintptr_t>(address));
    if (handle == nullptr || part == memory.parts.end()) return CUDA_ERROR_INVALID_VALUE;
    // The handle may have been released since it was mapped: then it comes back.
    auto& known =
        memory.handles.try_emplace(part->second.handle, PhysicalHandle{nullptr, 0}).first->second;
    known.block = part->second.block;
    ++known.references;
    *handle = part->second.handle;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* properties,
                                                CUmemGenericAllocationHandle handle) {
  return with_virtual_memory([&](VirtualMemory& memory) -> CUresult {
    const auto found = memory.handles.find(handle);
    if (properties == nullptr || found == memory.handles.end()) return CUDA_ERROR_INVALID_VALUE;
    *properties = found->second.block->properties;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemExportToShareableHandle(void* shareable, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType type, unsigned long long flags) {
  return with_virtual_memory([&](VirtualMemory& memory) -> CUresult {
    const auto found = memory.handles.find(handle);
    if (shareable == nullptr || flags != 0 || found == memory.handles.end() ||
        type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR ||
        found->second.block->properties.requestedHandleTypes != type)
      return CUDA_ERROR_INVALID_VALUE;
    const int file = fcntl(found->second.block->file, F_DUPFD_CLOEXEC, 0);
    if (file < 0) return CUDA_ERROR_OPERATING_SYSTEM;
    *static_cast<int*>(shareable) = file;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle* handle, void* shareable,
                                        CUmemAllocationHandleType type) {
  return with_process([&]() -> CUresult {
    if (handle == nullptr || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
      return CUDA_ERROR_INVALID_VALUE;
    return import_file(static_cast<int>(reinterpret_cast<std::intptr_t>(shareable)), *handle);
  });
}

// ---- one at the other

CUresult cuMemMap(CUdeviceptr pointer, size_t size, size_t offset,
                  CUmemGenericAllocationHandle handle, unsigned long long flags) {
  return with_virtual_memory([&](VirtualMemory& memory) -> CUresult {
    return flags != 0 ? CUDA_ERROR_INVALID_VALUE : map_block(memory, pointer, size, offset, handle);
  });
}

CUresult cuMemUnmap(CUdeviceptr pointer, size_t size) {
  return with_process([&]() -> CUresult {
    // Work in flight may use the memory. Without the lock: what is waited for may want it.
    for (const auto& context : context_handles().all()) Scheduler::instance().wait_all(*context);
    return with_virtual_memory([&](VirtualMemory& memory) -> CUresult {
      const auto [first, last] = memory.covering(pointer, size);
      if (first == last) return CUDA_ERROR_INVALID_VALUE;
      for (auto each = first; each != last; ++each)
        if (each->second.device_access != CU_MEM_ACCESS_FLAGS_PROT_NONE)
          show_part(each->first, each->second, false);
      clear_addresses(pointer, size);
      memory.parts.erase(first, last);
      return CUDA_SUCCESS;
    });
  });
}

CUresult cuMemSetAccess(CUdeviceptr pointer, size_t size, const CUmemAccessDesc* wanted,
                        size_t count) {
  return with_virtual_memory([&](VirtualMemory& memory) -> CUresult {
    constexpr std::size_t most_places = 1024;  // more is a negative count
    if (wanted == nullptr || count == 0 || count > most_places) return CUDA_ERROR_INVALID_VALUE;
    for (std::size_t i = 0; i < count; ++i)
      if (const CUresult failure = check_access(wanted[i]); failure != CUDA_SUCCESS) return failure;
    const auto [first, last] = memory.covering(pointer, size);
    if (first == last) return CUDA_ERROR_INVALID_VALUE;
    for (auto each = first; each != last; ++each)
      for (std::size_t i = 0; i < count; ++i)
        if (!apply_access(each->first, each->second, wanted[i])) return CUDA_ERROR_MAP_FAILED;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemGetAccess(unsigned long long* flags, const CUmemLocation* location,
                        CUdeviceptr pointer) {
  return with_virtual_memory([&](VirtualMemory& memory) -> CUresult {
    if (flags == nullptr || location == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const CUmemAccessDesc asked{*location, CU_MEM_ACCESS_FLAGS_PROT_NONE};
    if (const CUresult failure = check_access(asked); failure != CUDA_SUCCESS) return failure;
    const auto part = part_at(memory, pointer);
    if (part == memory.parts.end()) return CUDA_ERROR_INVALID_VALUE;
    *flags = location->type == CU_MEM_LOCATION_TYPE_DEVICE ? part->second.device_access
                                                           : part->second.host_access;
    return CUDA_SUCCESS;
  });
}
