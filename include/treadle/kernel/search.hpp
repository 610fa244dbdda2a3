// SPDX-License-Identifier: MIT
// Finds the places of elements in sorted elements: the kernels of array::searchsorted().
#pragma once

#include <cstdint>

#include "treadle/base/dtype.hpp"
#include "treadle/device/copy.hpp"
#include "treadle/device/kernel.hpp"
#include "treadle/device/stream.hpp"

namespace treadle::kernel {

/// The search. The order is that of launch_row_sort(); complex numbers have NumPy's order.
struct Search {
  Scalar dtype;          ///< dtype of both arrays: not a structure
  std::uint64_t length;  ///< number of sorted elements
  std::uint64_t wanted;  ///< number of searches
  bool is_behind_equal;  ///< whether a place is after equal elements, or before them
};

/// Memory of the device, contiguous.
struct SearchArguments {
  device::Argument sorted, wanted;
  device::Argument places;  ///< int64: the number of sorted elements before each place
};

/// Queues the search. Throws DTypeError for structures, and as ElementwiseKernel.
void launch_search(device::Stream& stream, const Search& search, const SearchArguments& arguments,
                   const device::Order& order = {});

}  // namespace treadle::kernel
