// SPDX-License-Identifier: MIT
// Lines of an array, sorted in place by a bitonic network: no memory beside them, and a number of
// launches that grows with the square of log2(length). treadle/codegen/sort.hpp has the
// algorithm.
#pragma once

#include <cstdint>
#include <optional>

#include "treadle/base/dtype.hpp"
#include "treadle/codegen/schedule.hpp"
#include "treadle/device/location.hpp"
#include "treadle/device/stream.hpp"

namespace treadle::kernel {

/// Elements of one dtype that lie side by side.
struct SortElements {
  device::Location location;  ///< live memory of the device, aligned to an element
  Scalar dtype;               ///< of each
};

/// Lines of an array in C's order whose axes are (outer, length, inner); a line goes along the
/// second one.
struct Sort {
  SortElements values;                    ///< sorted upwards, NaN at the end; not stable
  std::optional<SortElements> carried;    ///< as many, each of which goes where its value goes
  std::uint64_t outer, length, inner;     ///< `length` is a power of two, or 0
  std::optional<Schedule> schedule = {};  ///< none: DeviceTraits::schedule
};

/// Queues the sort. Kernels are made when they are first needed, and kept for the device. Throws
/// InvalidArgument for a length that is no power of two and for memory that is not aligned,
/// DTypeError for complex numbers and records, NotSupported for float64 where there is none, and as
/// Program and Stream::launch().
void sort(device::Stream& stream, const Sort& sort, const device::Order& order = {});

}  // namespace treadle::kernel
