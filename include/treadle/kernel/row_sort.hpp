// SPDX-License-Identifier: MIT
// Rows of elements of any real dtype, sorted by their numbers: what array::sorted() launches. A
// radix sort compares unsigned integers; treadle/kernel/radix_sort_kernel.hpp has it.
#pragma once

#include <cstdint>
#include <optional>

#include "treadle/base/dtype.hpp"
#include "treadle/codegen/schedule.hpp"
#include "treadle/device/copy.hpp"
#include "treadle/device/kernel.hpp"
#include "treadle/device/stream.hpp"

namespace treadle::kernel {

/// Which rows are sorted, and how.
struct RowSort {
  Scalar dtype;                           ///< of elements: no complex number, no structure
  std::uint64_t rows, length;             ///< `length` elements in each
  bool is_descending = false;             ///< equal elements stay in their order all the same
  std::optional<Schedule> schedule = {};  ///< none: DeviceTraits::schedule
};

/// Places are uint32 while that counts all elements of the rows, and uint64 beyond.
Scalar place_dtype(const RowSort& sort);

/// Whether a sort takes places though nobody asks for them: of several rows, unless the device is a
/// processor that sorts rows one by one.
bool needs_places(device::Device& device, const RowSort& sort);

/// Memory of the device, dense. Places are those in all rows together, and go along with elements;
/// there are none where nobody asks where elements were, and needs_places() is false.
struct RowSortArguments {
  device::Argument elements, sorted;
  std::optional<device::Argument> places;         ///< 0, 1, 2, ...
  std::optional<device::Argument> sorted_places;  ///< where each sorted element was
};

/// Queues the sort: upwards, -0 equal to 0, NaN behind all numbers; downwards in reverse. Equal
/// elements stay in their order. Throws DTypeError, InvalidArgument for places that are missing,
/// and as RadixSortKernel.
void launch_row_sort(device::Stream& stream, const RowSort& sort, const RowSortArguments& arguments,
                     const device::Order& order = {});

}  // namespace treadle::kernel
