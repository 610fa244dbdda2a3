// SPDX-License-Identifier: MIT
// Elements at places of the order, found without a sort: what medians and quantiles of long arrays
// launch. Elements are counted by the highest digit of their keys; the counts say which digit an
// element at a place has, and how many are before it among those; then these are counted by the
// next digit, until all digits are known:
//
//   place 3 of   52 17 55 31 58 54      digits 1, 3, 5: 1, 1, 4 elements, so it is the second 5_
//                52 55 58 54            digits 2, 4, 5, 8: the second one is 54
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

/// Which elements are looked for.
struct Ranks {
  Scalar dtype;                           ///< of elements: no complex number, no structure
  std::uint64_t n;                        ///< how many there are
  std::uint64_t rank_count;               ///< of places
  std::optional<Schedule> schedule = {};  ///< none: DeviceTraits::schedule
};
/// Memory of the device, dense.
struct RanksArguments {
  device::Argument elements, places, found;  ///< places: int64, from 0 to n - 1
};

/// Whether that is faster than a sort: of many elements and few places.
bool is_worth_ranks(device::Device& device, const Ranks& ranks);

/// Queues the search. What is found is in the order of launch_row_sort(); -0 becomes 0, and all
/// NaNs are one. Throws DTypeError, InvalidArgument for no elements, and as Program.
void launch_ranks(device::Stream& stream, const Ranks& ranks, const RanksArguments& arguments,
                  const device::Order& order = {});

}  // namespace treadle::kernel
