// SPDX-License-Identifier: MIT
// Finds the elements at given places of the sorted order without a sort, for medians and quantiles
// of long arrays. Elements are counted by the highest digit of their keys. The counts give the
// digit of the element at a place, and its place among the elements with that digit. These elements
// are then counted by the next digit, until all digits are known:
//
//   place 3 of   52 17 55 31 58 54      digits 1, 3, 5: 1, 1, 4 elements, so place 1 of the 5_
//                52 55 58 54            digits 2, 4, 5, 8: place 1 is 54
#pragma once

#include <cstdint>
#include <optional>

#include "treadle/base/dtype.hpp"
#include "treadle/codegen/schedule.hpp"
#include "treadle/device/copy.hpp"
#include "treadle/device/device.hpp"
#include "treadle/device/kernel.hpp"
#include "treadle/device/stream.hpp"

namespace treadle::kernel {

/// The places to look up.
struct Ranks {
  Scalar dtype;                           ///< dtype of the elements: not complex, not a structure
  std::uint64_t n;                        ///< number of elements
  std::uint64_t rank_count;               ///< number of places
  std::optional<Schedule> schedule = {};  ///< none: DeviceTraits::schedule
};
/// Memory of the device, contiguous.
struct RanksArguments {
  device::Argument elements, places, found;  ///< places: int64, from 0 to n - 1
};

/// Whether this is faster than a sort: for many elements and few places.
bool is_worth_ranks(device::Device& device, const Ranks& ranks);

/// Queues the search. The order is that of launch_row_sort(); -0 becomes 0, and all NaNs become one
/// NaN. Throws DTypeError, InvalidArgument if there are no elements, and as Program.
void launch_ranks(device::Stream& stream, const Ranks& ranks, const RanksArguments& arguments,
                  const device::Order& order = {});

}  // namespace treadle::kernel
