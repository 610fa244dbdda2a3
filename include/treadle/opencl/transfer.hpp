// SPDX-License-Identifier: MIT
// Commands that move bytes: read, write, copy, fill, map, migrate. All start after everything
// before them in an in-order queue and after `order.after`.
#pragma once

#include <array>
#include <cstddef>
#include <ranges>
#include <span>

#include "treadle/opencl/memory.hpp"
#include "treadle/opencl/queue.hpp"

namespace treadle::opencl {

class SharedMemory;

/// Host memory to read from: any contiguous range of plain values; or shared virtual memory.
class ConstHostRange {
 public:
  /// Implicit: a vector, array or span, which is not copied.
  template <std::ranges::contiguous_range Range>
  ConstHostRange(const Range& values)  // implicit: a vector, array or span
      : bytes_(std::as_bytes(std::span(values))) {}
  /// Implicit: all of it. Throws InvalidState once it is freed.
  ConstHostRange(const SharedMemory& memory);
  /// A part of shared virtual memory of `context`; null where nobody knows its context.
  ConstHostRange(std::span<const std::byte> part, const Context* context)
      : bytes_(part), context_(context) {}
  /// Valid as long as the range.
  std::span<const std::byte> bytes() const noexcept { return bytes_; }
  /// That of shared virtual memory; null of other memory.
  const Context* context() const noexcept { return context_; }

 private:
  std::span<const std::byte> bytes_;
  const Context* context_ = nullptr;
};
/// Host memory to write to; or shared virtual memory.
class HostRange {
 public:
  /// Implicit: a vector, array or span, which is not copied.
  template <std::ranges::contiguous_range Range>
  HostRange(Range&& values)  // implicit: a vector, array or span
      : bytes_(std::as_writable_bytes(std::span(values))) {}
  /// Implicit: all of it. Throws InvalidState once it is freed.
  HostRange(const SharedMemory& memory);
  /// A part of shared virtual memory of `context`; null where nobody knows its context.
  HostRange(std::span<std::byte> part, const Context* context) : bytes_(part), context_(context) {}
  /// Valid as long as the range.
  std::span<std::byte> bytes() const noexcept { return bytes_; }
  /// That of shared virtual memory; null of other memory.
  const Context* context() const noexcept { return context_; }

 private:
  std::span<std::byte> bytes_;
  const Context* context_ = nullptr;
};

/// Copies `from` into `to` from `offset_bytes` on. Without blocking, `from` must live until the
/// event is done. Throws InvalidArgument if it does not fit.
Event write(const Queue& queue, const MemoryObject& to, ConstHostRange from,
            std::size_t offset_bytes = 0, const Order& order = {},
            Blocking blocking = Blocking::yes);
/// Fills `to` with bytes of `from` from `offset_bytes` on; otherwise like write.
Event read(const Queue& queue, const MemoryObject& from, HostRange to, std::size_t offset_bytes = 0,
           const Order& order = {}, Blocking blocking = Blocking::yes);

/// Which bytes copy() moves.
struct CopyRange {
  std::size_t size_bytes = 0;                  ///< 0: all that both buffers have
  std::size_t from_offset = 0, to_offset = 0;  ///< bytes from the start of each buffer
};
/// Copies between buffers of one context; overlapping ranges of one buffer are refused.
Event copy(const Queue& queue, const MemoryObject& from, const MemoryObject& to,
           const CopyRange& range = {}, const Order& order = {});

/// Where a box of bytes starts on one side of a copy, and how far its rows and slices are apart.
struct BoxPlace {
  std::array<std::size_t, 3> origin = {};  ///< bytes, rows, slices
  std::size_t row_pitch = 0;               ///< bytes; 0: rows are adjacent
  std::size_t slice_pitch = 0;             ///< bytes; 0: slices are adjacent
};
/// A box of bytes, and where it lies on both sides.
struct Box {
  std::array<std::size_t, 3> region = {1, 1, 1};  ///< bytes, rows, slices
  BoxPlace from = {}, to = {};  ///< the host's side is counted from the start of its range
};
/// The rectangular forms. Throw InvalidArgument if the box leaves the host range.
Event write_box(const Queue& queue, const MemoryObject& to, ConstHostRange from, const Box& box,
                const Order& order = {}, Blocking blocking = Blocking::yes);
/// As write_box(), the other way.
Event read_box(const Queue& queue, const MemoryObject& from, HostRange to, const Box& box,
               const Order& order = {}, Blocking blocking = Blocking::yes);
/// Between buffers of one context; overlapping boxes of one buffer are refused.
Event copy_box(const Queue& queue, const MemoryObject& from, const MemoryObject& to, const Box& box,
               const Order& order = {});

/// Repeats `pattern` over `size_bytes` bytes from `offset_bytes` on; both must be multiples of the
/// pattern's size, a power of two up to 128. `pattern` is copied before the call returns.
Event fill(const Queue& queue, const MemoryObject& to, ConstHostRange pattern,
           std::size_t offset_bytes, std::size_t size_bytes, const Order& order = {});

/// Moves memory to the queue's device, or with MemMigrationFlags::host to the host; on NVIDIA's
/// platform, whose driver crashes then, it stays on the device. Contents never change.
Event migrate(const Queue& queue, std::span<const MemoryObject> memory,
              MemMigrationFlags flags = {}, const Order& order = {});

/// A part of a buffer that the host may use. Unmapped by the destructor, which does not wait.
class Mapping {
 public:
  Mapping(Mapping&&) noexcept;
  Mapping& operator=(Mapping&&) noexcept;
  ~Mapping();

  /// Usable once event() is done, until unmap(). Throws InvalidState after that.
  std::span<std::byte> bytes() const;
  /// As many whole T as there is room for. Throws as bytes().
  template <class T>
  std::span<T> as() const {
    const auto all = bytes();
    return {reinterpret_cast<T*>(all.data()), all.size() / sizeof(T)};
  }
  /// When the memory is there; done already if the map was blocking.
  const Event& event() const noexcept { return event_; }
  /// The one it was mapped in, and is unmapped in by the destructor.
  const Queue& queue() const noexcept { return queue_; }
  /// What is mapped; kept alive until unmap().
  const MemoryObject& memory() const noexcept { return memory_; }
  /// False after unmap(), and where it was moved from.
  bool is_mapped() const noexcept { return data_ != nullptr; }
  /// Gives the memory back to the devices, in `queue` or in that of the map. Throws InvalidState if
  /// that was done before.
  Event unmap(const Order& order = {});
  Event unmap(const Queue& queue, const Order& order = {});

 protected:
  friend Mapping map(const Queue&, const MemoryObject&, MapFlags, const struct MapRange&,
                     const Order&, Blocking);
  Mapping(const Queue& queue, const MemoryObject& memory, std::size_t size_bytes);

  Queue queue_;
  MemoryObject memory_;
  Event event_;
  void* data_ = nullptr;
  std::size_t size_bytes_;
};

/// Which bytes map() makes usable.
struct MapRange {
  std::size_t offset_bytes = 0;  ///< from the buffer's start
  std::size_t size_bytes = 0;    ///< 0: to the end
};
/// Makes bytes of a buffer readable (MapFlags::read) or writable (write, or
/// write_invalidate_region, which does not bring the old bytes) for the host.
Mapping map(const Queue& queue, const MemoryObject& memory, MapFlags flags,
            const MapRange& range = {}, const Order& order = {}, Blocking blocking = Blocking::yes);

}  // namespace treadle::opencl
