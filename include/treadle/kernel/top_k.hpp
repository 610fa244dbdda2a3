// SPDX-License-Identifier: MIT
// The largest elements of rows and where they are, without a sort of the rows: what
// array::top_k() launches. Equal elements are taken by their places, so that the result is that of
// a stable sort.
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

/// Which elements are taken.
struct TopK {
  Scalar dtype;                           ///< of elements: no complex number, no structure
  std::uint64_t rows, length;             ///< `length` elements in each
  std::uint64_t k;                        ///< how many of each row: 1 to `length`
  bool is_largest = true;                 ///< else the smallest
  std::optional<Schedule> schedule = {};  ///< none: DeviceTraits::schedule
};
/// Memory of the device, dense.
struct TopKArguments {
  device::Argument elements;  ///< rows of `length`
  device::Argument values;    ///< rows of k: the first in the order, which begins with the largest
  device::Argument places;    ///< int64, where they are in their row
};

/// Whether there is room for what is taken of a row; beyond that a sort is to be used.
bool has_top_k(device::Device& device, const TopK& top);

/// Whether whole rows (k is `length`) are sorted best so: several of them, each in the local memory
/// of one group.
bool is_worth_groups(device::Device& device, const TopK& top);

/// Queues it. Largest first: NaN, then numbers downwards; smallest first: numbers upwards, then
/// NaN. Throws DTypeError, InvalidArgument unless has_top_k(), and as Program.
void launch_top_k(device::Stream& stream, const TopK& top, const TopKArguments& arguments,
                  const device::Order& order = {});

}  // namespace treadle::kernel
