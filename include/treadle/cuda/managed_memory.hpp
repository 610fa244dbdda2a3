// SPDX-License-Identifier: MIT
// Where managed memory shall be, and when: prefetching, advice and what was said so far.
//
//   cuda::ManagedMemory table(bytes);
//   cuda::advise(table, cuda::MemoryAdvice::set_read_mostly);
//   cuda::prefetch(table, cuda::MemoryLocation::of(device), stream);  // there before the kernel is
//
// All of it is for speed alone: pages that are elsewhere move when they are touched. The driver
// rounds ranges to whole pages. On the CPU device host and device are one, and nothing moves; what
// was said is kept and told.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "treadle/cuda/device.hpp"
#include "treadle/cuda/memory.hpp"
#include "treadle/cuda/stream.hpp"

namespace treadle::cuda {

/// CUmemLocation: a device, the host, or a NUMA node of the host.
struct MemoryLocation {
  /// CUmemLocationType.
  enum class Kind : int { none = 0, device = 1, host = 2, host_numa = 3, host_numa_current = 4 };
  Kind kind = Kind::none;
  int id = 0;  ///< the device's ordinal or the node's number

  /// The device's own memory.
  static MemoryLocation of(const Device& device);
  /// Memory of the host, whichever node.
  static constexpr MemoryLocation host() { return {Kind::host, 0}; }
  /// One NUMA node's.
  static constexpr MemoryLocation host_node(int node) { return {Kind::host_numa, node}; }
  /// That of the NUMA node that the calling thread runs on.
  static constexpr MemoryLocation current_host_node() { return {Kind::host_numa_current, 0}; }
  bool operator==(const MemoryLocation&) const = default;
};

/// Bytes of managed memory: all of an allocation, or part of it.
struct ManagedRange {
  DevicePointer address = 0;   ///< where they begin
  std::size_t size_bytes = 0;  ///< how many; at least 1

  ManagedRange() = default;
  ManagedRange(DevicePointer first, std::size_t bytes) : address(first), size_bytes(bytes) {}
  /// Implicit: where a range is wanted, the whole allocation will do. Throws InvalidState if it was
  /// freed.
  ManagedRange(const ManagedMemory& memory)
      : address(memory.address()), size_bytes(memory.size_bytes()) {}
};

/// Brings the bytes to a place, behind what is queued on `stream`; does not wait. Throws
/// DeviceError for memory that is not managed, a place that is not there, and devices that do not
/// have concurrent managed access.
void prefetch(ManagedRange range, MemoryLocation to, StreamRef stream = {});
/// The same for many ranges in one call, in no order among them. The driver wants a stream that was
/// made: InvalidArgument for the default stream. NotSupported before CUDA 12.8.
void prefetch(std::span<const ManagedRange> ranges, MemoryLocation to, StreamRef stream);
/// Says that nobody needs the contents any more, so that they need not be moved: until they are
/// written again they may be anything. As the batch of prefetches; NotSupported before CUDA 13.
void discard(std::span<const ManagedRange> ranges, StreamRef stream);
/// Both in one, so that memory that will be written only comes without being copied.
void discard_and_prefetch(std::span<const ManagedRange> ranges, MemoryLocation to,
                          StreamRef stream);

/// CUmem_advise.
enum class MemoryAdvice : int {
  set_read_mostly = 1,         ///< copies on several devices, until somebody writes
  unset_read_mostly = 2,       ///< undoes it
  set_preferred_location = 3,  ///< stays there rather than move to who touches it
  unset_preferred_location = 4,
  set_accessed_by = 5,  ///< mapped there all the time; a device or the host
  unset_accessed_by = 6,
};

/// Says how memory will be used. `location` is of no account for the two read_mostly and for
/// unset_preferred_location. Applies at once. Throws DeviceError as prefetch().
void advise(ManagedRange range, MemoryAdvice advice, MemoryLocation location = {});

/// What was said of all pages of a range alike.
struct ManagedAdvice {
  bool read_mostly = false;  ///< of all pages
  /// None: some have another one, or none.
  std::optional<MemoryLocation> preferred = {}, last_prefetch = {};
  std::vector<MemoryLocation> accessed_by = {};  ///< devices and the host
};
/// Asks the driver. Throws DeviceError for memory that is not managed.
ManagedAdvice managed_advice(ManagedRange range);

}  // namespace treadle::cuda
