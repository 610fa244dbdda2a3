// SPDX-License-Identifier: MIT
// Places of elements among others that are sorted: what array::searchsorted() launches.
#pragma once

#include <cstdint>

#include "treadle/base/dtype.hpp"
#include "treadle/device/copy.hpp"
#include "treadle/device/kernel.hpp"
#include "treadle/device/stream.hpp"

namespace treadle::kernel {

/// What is searched, in the order of launch_row_sort(), and complex numbers in NumPy's.
struct Search {
  Scalar dtype;          ///< of both, no structure
  std::uint64_t length;  ///< of what is sorted
  std::uint64_t wanted;  ///< how many are looked for
  bool is_behind_equal;  ///< whether places are behind equal elements, or before them
};

/// Memory of the device, dense.
struct SearchArguments {
  device::Argument sorted, wanted;
  device::Argument places;  ///< int64: how many of the sorted elements are before each
};

/// Queues it. Throws DTypeError for structures, and as ElementwiseKernel.
void launch_search(device::Stream& stream, const Search& search, const SearchArguments& arguments,
                   const device::Order& order = {});

}  // namespace treadle::kernel
