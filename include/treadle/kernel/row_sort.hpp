// SPDX-License-Identifier: MIT
// Sorts rows of elements of any real dtype by value: the kernels of array::sorted(). For a sort by
// unsigned integers see treadle/kernel/radix_sort_kernel.hpp.
#pragma once

#include <cstdint>
#include <optional>

#include "treadle/base/dtype.hpp"
#include "treadle/codegen/schedule.hpp"
#include "treadle/device/copy.hpp"
#include "treadle/device/kernel.hpp"
#include "treadle/device/stream.hpp"

namespace treadle::kernel {

/// The rows to sort, and the order.
struct RowSort {
  Scalar dtype;                           ///< dtype of the elements: not complex, not a structure
  std::uint64_t rows, length;             ///< number of rows, elements of a row
  bool is_descending = false;             ///< equal elements keep their order even then
  std::optional<Schedule> schedule = {};  ///< none: DeviceTraits::schedule
};

/// The dtype of places: uint32 if it can count the elements of all rows, otherwise uint64.
Scalar place_dtype(const RowSort& sort);

/// Whether a sort needs arrays of places even if the caller does not ask for places: yes for
/// several rows, except on processors that sort row by row.
bool needs_places(device::Device& device, const RowSort& sort);

/// Memory of the device, contiguous. A place is an index into all rows together and moves with its
/// element. The arrays of places may be missing if the caller does not ask for places and
/// needs_places() is false.
struct RowSortArguments {
  device::Argument elements, sorted;
  std::optional<device::Argument> places;  ///< 0, 1, 2, ...
  /// The place before the sort of each sorted element.
  std::optional<device::Argument> sorted_places;
};

/// Queues the sort. Ascending: -0 equals 0, and NaN comes after all numbers. Descending is the
/// reverse. Equal elements keep their order. Throws DTypeError, InvalidArgument for missing places,
/// and as RadixSortKernel.
void launch_row_sort(device::Stream& stream, const RowSort& sort, const RowSortArguments& arguments,
                     const device::Order& order = {});

}  // namespace treadle::kernel
