// SPDX-License-Identifier: MIT
// Sorts lines of an array in place by a bitonic network. It needs no other memory; the number of
// launches grows with the square of log2(length). treadle/codegen/sort.hpp has the algorithm.
#pragma once

#include <cstdint>
#include <optional>

#include "treadle/base/dtype.hpp"
#include "treadle/codegen/schedule.hpp"
#include "treadle/device/location.hpp"
#include "treadle/device/stream.hpp"

namespace treadle::kernel {

/// Contiguous elements of one dtype.
struct SortElements {
  device::Location location;  ///< live memory of the device, aligned to an element
  Scalar dtype;               ///< dtype of each element
};

/// Lines of an array in C order with the axes (outer, length, inner); a line runs along the second
/// axis.
struct Sort {
  SortElements values;                    ///< sorted in ascending order, NaN last; not stable
  std::optional<SortElements> carried;    ///< as many elements, each of which moves with its value
  std::uint64_t outer, length, inner;     ///< `length` is a power of two, or 0
  std::optional<Schedule> schedule = {};  ///< none: DeviceTraits::schedule
};

/// Queues the sort. A kernel is made at its first use and kept for the device. Throws
/// InvalidArgument for a length that is not a power of two and for memory that is not aligned,
/// DTypeError for complex numbers and records, NotSupported for float64 on a device without it, and
/// as Program and Stream::launch().
void sort(device::Stream& stream, const Sort& sort, const device::Order& order = {});

}  // namespace treadle::kernel
