// SPDX-License-Identifier: MIT
// How rooms above the waist put work off. Expressions on arrays wait until somebody looks; what
// they read may be changed before by any copy, fill or launch, which are all functions of the
// waist.
#pragma once

#include <cstddef>
#include <cstdint>

#include "treadle/device/location.hpp"

namespace treadle::device {

class Stream;

/// Whoever has put work of a device off, as long as there is any: Device::set_deferred(). All are
/// called on the thread that is about to queue work or to allocate, with no lock of the waist held,
/// and may queue work themselves.
class DeferredWork {
 public:
  /// An allocation is about to be changed by work on `writer`, or, if that is null, by the host or
  /// by code that the library does not see, or to be freed: what reads it is queued first, and
  /// `writer` waits for it.
  virtual void before_write(Location anywhere_in_it, Stream* writer) = 0;
  /// The program is about to mark or wait for the end of what it has put on a stream, or, if that
  /// is null, on all of the device's: whatever was put off there is queued first.
  virtual void before_mark(Stream* stream) = 0;
  /// The device's pool is about to ask the device for so many bytes more: if what was put off keeps
  /// much memory that nobody else does, it is queued first. Throws nothing.
  virtual void before_growth(std::size_t size_bytes) noexcept = 0;
  /// The device has refused memory: whatever frees some when it is queued is queued. Throws
  /// nothing.
  virtual void reclaim() noexcept = 0;

 protected:
  ~DeferredWork() = default;
};

/// Within it this thread's work leaves what is deferred where it is: a room's own copies and marks,
/// which change no memory that others read, and tell nobody a time.
class [[nodiscard]] LeaveDeferred {
 public:
  LeaveDeferred() noexcept;  ///< scopes may lie within each other
  ~LeaveDeferred();
  LeaveDeferred(const LeaveDeferred&) = delete;
  LeaveDeferred& operator=(const LeaveDeferred&) = delete;
  /// Whether there is one on this thread.
  static bool is_active() noexcept;
};

/// Within it the device's pool grows without computing what is deferred: for a thread that has a
/// lock, such as that of a library's handle, which computing may want.
class [[nodiscard]] GrowAlone {
 public:
  GrowAlone() noexcept;  ///< scopes may lie within each other
  ~GrowAlone();
  GrowAlone(const GrowAlone&) = delete;
  GrowAlone& operator=(const GrowAlone&) = delete;
  /// Whether there is one on this thread.
  static bool is_active() noexcept;
};

/// What a launch does to memory.
enum class MemoryUse : std::uint8_t { reads, writes };

/// Memory that somebody keeps an account of, such as an array's: passed to a launch, it is told.
class WatchedMemory {
 public:
  /// Work that uses it is about to be queued on `stream`: it has to come after what was done to the
  /// memory on other streams, and later work elsewhere after it.
  virtual void before_use(Stream& stream, MemoryUse use) = 0;

 protected:
  ~WatchedMemory() = default;
};

}  // namespace treadle::device
