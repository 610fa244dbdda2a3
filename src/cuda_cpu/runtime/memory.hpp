// SPDX-License-Identifier: MIT
// All allocations of the device, by address. Device addresses are host addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "cuda_cpu/runtime/context.hpp"
#include "cuda_cpu/runtime/diagnostics.hpp"
#include "cuda_cpu/runtime/managed_advice.hpp"
#include "cuda_cpu/runtime/memory_pool.hpp"
#include "cuda_cpu/runtime/written_bytes.hpp"

namespace treadle::cuda_cpu {

/// Flag of memory that a node of a graph stands for: it goes with its graphs.
inline constexpr unsigned graph_memory = 1u << 31;

enum class MemoryKind {
  device,       ///< cuMemAlloc
  managed,      ///< cuMemAllocManaged
  host,         ///< cuMemAllocHost, cuMemHostAlloc
  registered,   ///< the program's own, between cuMemHostRegister and cuMemHostUnregister
  global,       ///< a variable of a loaded module
  kernel_heap,  ///< malloc() in a kernel; known once a kernel is checked
  imported,     ///< device memory of another process, between cuIpcOpenMemHandle and its end
  array,        ///< the texels of CUDA arrays
  mapped        ///< cuMemMap, while the device may use it; of no context
};

struct Allocation {
  std::uintptr_t base = 0;
  std::size_t size = 0;
  MemoryKind kind = MemoryKind::device;
  unsigned flags = 0;    ///< as given to cuMemHostAlloc, cuMemHostRegister or cuMemAllocManaged
  std::uint64_t id = 0;  ///< never used twice
  std::shared_ptr<Context> context;
  Site site = {};  ///< of the program that made it; filled in by add_memory()
  /// Null: all of them. Filled in by add_memory(), too.
  std::shared_ptr<WrittenBytes> written = {};
  /// Of managed memory; filled in by add_memory(), too.
  std::shared_ptr<ManagedAdvice> advice = {};
  std::shared_ptr<MemoryPool> pool = {};  ///< of stream-ordered memory; null for other
};

/// Makes [base, base + size) known; false if it overlaps what is known already.
bool add_memory(Allocation allocation);
/// The allocation that holds this address.
std::optional<Allocation> find_memory(std::uintptr_t address);
/// The last allocation that starts at or before this address, and the first behind it.
struct Neighbours {
  std::optional<Allocation> before, behind;
};
Neighbours neighbouring_memory(std::uintptr_t address);
/// The latest freed allocation that held this address, among the last 256, if no live one does now.
/// Its context is null.
std::optional<Allocation> find_freed_memory(std::uintptr_t address);
/// Changes whenever an allocation is added or removed: until then earlier results stay valid.
std::uint64_t memory_generation() noexcept;
/// Whether [address, address + size) lies within one allocation, or within mapped ones in a row.
bool known_memory(std::uintptr_t address, std::size_t size);
/// Forgets the allocation that starts here, if it is of one of these kinds, and returns it.
std::optional<Allocation> remove_memory(std::uintptr_t base,
                                        std::initializer_list<MemoryKind> kinds);
/// Gives back what a removed allocation occupied, if it was not the program's own.
void release_memory(const Allocation& allocation);
/// Forgets and frees everything of this context.
void free_memory_of(const Context& context);

/// The copy or fill of a stream has written these bytes.
void note_written(std::uintptr_t address, std::size_t size);
/// It has copied them from there, from memory of the host as well.
void note_copied(std::uintptr_t to, std::uintptr_t from, std::size_t size);

/// Bytes free for new allocations now, and those the device has in all.
struct MemoryState {
  std::size_t free, total;
};
MemoryState memory_state();

/// Counts memory that is given out in another way; false where allocate_memory() would say
/// CUDA_ERROR_OUT_OF_MEMORY.
bool take_memory(std::size_t size);
void give_back_memory(std::size_t size);

/// Allocates and registers; CUDA_ERROR_OUT_OF_MEMORY rather than more than the device gives out
/// (Machine::memory_bytes), or than the machine or the cgroup has left.
CUresult allocate_memory(const std::shared_ptr<Context>& context, std::size_t size, MemoryKind kind,
                         unsigned flags, std::uintptr_t& address,
                         std::shared_ptr<MemoryPool> pool = nullptr);

}  // namespace treadle::cuda_cpu
