// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "treadle/device/location.hpp"

namespace treadle::device {

class Device;
class Event;

/// When queued work starts, and whether its end is of interest.
struct Order {
  /// The work starts after what these have recorded, beside the order of its stream. Events of
  /// other devices are allowed; see Stream::wait().
  std::span<const Event* const> after = {};
  /// Records the end of the work (on OpenCL the command's own event, without a marker); null: none.
  Event* done = nullptr;
};

/// How the rows of a copy of up to three dimensions lie in memory. A slice has `rows` rows.
struct Pitch {
  std::uint64_t row_bytes = 0;    ///< from the start of a row to that of the next
  std::uint64_t slice_bytes = 0;  ///< from the start of a slice to that of the next
  bool operator==(const Pitch&) const = default;
};

/// The part of memory that a strided copy moves: `slices` times `rows` rows of `row_bytes`.
struct Box {
  std::size_t row_bytes = 0;  ///< contiguous on both sides
  std::size_t rows = 1;       ///< of one slice
  std::size_t slices = 1;     ///< of the box
  /// Bytes that are moved.
  constexpr std::size_t size_bytes() const noexcept { return row_bytes * rows * slices; }
  bool operator==(const Box&) const = default;
};

/// One copy between host and device, within a device or between two: what Stream hands to a
/// run-time after checking.
struct Copy {
  /// Which sides of a copy are Locations.
  enum class Direction { to_device, to_host, on_device, to_peer, from_peer };
  Direction direction;                     ///< decides which of the following are read
  Location destination = {}, source = {};  ///< the sides that are on a device
  void* host = nullptr;                    ///< the other side; only read from for to_device
  Box box = {};                            ///< more than 0 bytes: Stream queues nothing for less
  /// Not smaller than what they separate. For one row they are not read.
  Pitch destination_pitch = {}, source_pitch = {};
  Device* peer = nullptr;  ///< whose memory the far side is: to_peer, from_peer; one row only

  /// Whether it is one row, so that no pitch counts.
  bool is_linear() const noexcept { return box.rows == 1 && box.slices == 1; }
};

}  // namespace treadle::device
