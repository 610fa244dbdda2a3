// SPDX-License-Identifier: MIT
// Stream-ordered allocation: memory that later work of a stream may use, and that goes back when
// the stream is past its end. The driver's pools keep freed memory for later allocations.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "treadle/cuda/memory.hpp"
#include "treadle/cuda/virtual_memory.hpp"

struct CUmemPoolHandle_st;

namespace treadle::cuda {

using RawMemoryPool = CUmemPoolHandle_st*;  ///< CUmemoryPool

/// How the memory of a pool is used again: between streams, what is known to be free.
struct PoolReuse {
  bool follow_events = true;        ///< where an event orders the free before the allocation
  bool opportunistic = true;        ///< where the free is found to be done
  bool insert_dependencies = true;  ///< where the allocating stream can be made to wait
  bool operator==(const PoolReuse&) const = default;
};

/// CUmemAllocationType: what a pool gives out.
enum class PoolMemory : int {
  pinned = 1,   ///< that stays where it is
  managed = 2,  ///< that moves to who uses it. Since CUDA 13.0
};

/// CUmemPoolPtrExportData: an allocation of a shared pool, as bytes for another process.
using PooledAllocation = std::array<unsigned char, 64>;
/// Of memory from a pool whose export_file() was called. Throws DeviceError for any other.
PooledAllocation export_allocation(const DeviceMemory& memory);

/// A pool of the driver's: a device's own, or one that was made. Shared ownership; what was
/// allocated from it lives on without it.
class MemoryPool {
 public:
  /// A new one on `device`, which gives out at most `max_bytes`; 0: as the device has. Throws
  /// NotSupported where the driver is older than CUDA 11.2; the limit counts since CUDA 12.2. One
  /// that is shared as a file descriptor can be exported; the CPU device has none.
  explicit MemoryPool(const Device& device, std::size_t max_bytes = 0,
                      SharedAs shared_as = SharedAs::nothing);
  /// The pool of another process, which exported it and allocates: this process only takes
  /// allocations over by take(). The descriptor stays the caller's. Throws DeviceError.
  static MemoryPool import_file(const Device& device, int descriptor);
  /// A pool of `device` that someone else made and destroys. Throws InvalidArgument for null.
  static MemoryPool wrap(const Device& device, RawMemoryPool raw);
  /// The one that every device has.
  static MemoryPool default_of(const Device& device);
  /// A new one of memory at a place, the host's for instance. Throws as the constructor;
  /// DeviceError for a place that has no pools. device() is then the driver's first, or the
  /// place's.
  static MemoryPool at(MemoryLocation where, PoolMemory memory = PoolMemory::pinned,
                       std::size_t max_bytes = 0, const Driver& driver = default_driver());
  /// The one that the place has. Since CUDA 13.0; the CPU device knows devices only, as default_of.
  static MemoryPool default_at(MemoryLocation where, PoolMemory memory = PoolMemory::pinned,
                               const Driver& driver = default_driver());
  /// What was made current there, else default_at().
  static MemoryPool current_at(MemoryLocation where, PoolMemory memory = PoolMemory::pinned,
                               const Driver& driver = default_driver());
  /// What allocate_async() takes from: default_of(), or what make_current() was called for.
  static MemoryPool current_of(const Device& device);
  /// Lets allocate_async() take from it; one of a place becomes what current_at() tells. The caller
  /// keeps the pool.
  void make_current() const;

  /// `size_bytes` that work queued on `stream` from now on may use. Throws OutOfMemory.
  DeviceMemory allocate(std::size_t size_bytes, StreamRef stream) const;
  /// A descriptor for another process, which the caller closes or sends to it (SCM_RIGHTS). Throws
  /// DeviceError for a pool that was not made to be shared so.
  int export_file() const;
  /// An allocation of an imported pool, `size_bytes` as the other process knows. Freed here before
  /// it is freed there; work that uses it comes after the allocation there.
  DeviceMemory take(const PooledAllocation& allocation, std::size_t size_bytes) const;
  /// Lets another device use all memory of the pool, now and later, or not any more. Throws
  /// DeviceError for a device that cannot reach it.
  void set_access(const Device& who, MemoryAccess access = MemoryAccess::read_write) const;
  /// What a device may do.
  MemoryAccess access(const Device& who) const;
  /// Gives unused memory back to the device, down to `keep_bytes`.
  void trim(std::size_t keep_bytes = 0) const;

  /// Unused bytes that the pool keeps when a stream, event or context is waited for; 0 at first.
  std::uint64_t release_threshold() const;
  /// Changes it.
  void set_release_threshold(std::uint64_t bytes) const;
  /// How memory is used again across streams.
  PoolReuse reuse() const;
  /// Changes it.
  void set_reuse(const PoolReuse& reuse) const;
  /// Bytes given out.
  std::uint64_t used_bytes() const;
  /// The most of them at one time.
  std::uint64_t most_used_bytes() const;
  /// Bytes that the pool has of the device.
  std::uint64_t reserved_bytes() const;
  /// The most of them at one time.
  std::uint64_t most_reserved_bytes() const;
  /// Lets both `most_` numbers begin again from what is the case now.
  void reset_most() const;

  /// Whose memory it is.
  const Device& device() const noexcept;
  /// CUmemoryPool, for calls of the driver itself while this object lives.
  RawMemoryPool raw() const noexcept;
  bool operator==(const MemoryPool& other) const noexcept { return raw() == other.raw(); }

 private:
  class State;
  explicit MemoryPool(std::shared_ptr<const State> state) noexcept : state_(std::move(state)) {}
  std::uint64_t number(int attribute) const;
  void set_number(int attribute, std::uint64_t value) const;
  bool flag(int attribute) const;
  void set_flag(int attribute, bool value) const;

  std::shared_ptr<const State> state_;
};

/// From the current pool of the current context's device. Throws OutOfMemory.
DeviceMemory allocate_async(std::size_t size_bytes, StreamRef stream);
/// Frees once `stream` is past the work queued so far; `memory` is freed for the host at once.
/// Takes whatever DeviceMemory has, from a pool or not. Throws InvalidState if it was freed. A
/// destructor and DeviceMemory::free() let all work of the context end first.
void free_async(DeviceMemory& memory, StreamRef stream);

}  // namespace treadle::cuda
