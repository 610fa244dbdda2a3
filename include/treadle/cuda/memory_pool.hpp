// SPDX-License-Identifier: MIT
// Stream-ordered allocation: memory that later work of a stream may use, and that goes back when
// the stream is past its end. The driver's pools keep freed memory for later allocations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "treadle/cuda/memory.hpp"

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

/// A pool of the driver's: a device's own, or one that was made. Shared ownership; what was
/// allocated from it lives on without it.
class MemoryPool {
 public:
  /// A new one on `device`, which gives out at most `max_bytes`; 0: as the device has. Throws
  /// NotSupported where the driver is older than CUDA 11.2; the limit counts since CUDA 12.2.
  explicit MemoryPool(const Device& device, std::size_t max_bytes = 0);
  /// The one that every device has.
  static MemoryPool default_of(const Device& device);
  /// What allocate_async() takes from: default_of(), or what make_current() was called for.
  static MemoryPool current_of(const Device& device);
  /// Lets allocate_async() take from it. The caller keeps the pool.
  void make_current() const;

  /// `size_bytes` that work queued on `stream` from now on may use. Throws OutOfMemory.
  DeviceMemory allocate(std::size_t size_bytes, StreamRef stream) const;
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
