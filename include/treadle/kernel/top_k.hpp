// SPDX-License-Identifier: MIT
// The largest elements of rows and their places, without a sort of the rows: the kernels of
// array::top_k(). Equal elements are taken in the order of their places, so the result is that of a
// stable sort.
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

/// The elements to take.
struct TopK {
  Scalar dtype;                ///< dtype of the elements: not complex, not a structure
  std::uint64_t rows, length;  ///< number of rows, elements of a row
  std::uint64_t k;             ///< elements to take of each row: 1 to `length`
  bool is_largest = true;      ///< whether the largest elements are taken, or the smallest
  std::optional<Schedule> schedule = {};  ///< none: DeviceTraits::schedule
};
/// Memory of the device, contiguous.
struct TopKArguments {
  device::Argument elements;  ///< rows of `length` elements
  device::Argument values;    ///< rows of k elements: the largest (or smallest) first
  device::Argument places;    ///< int64: their places in the row
};

/// Whether there is room for the elements taken of a row; if not, use a sort.
bool has_top_k(device::Device& device, const TopK& top);

/// Whether this is the fastest sort of whole rows (k is `length`): for several rows that each fit
/// the local memory of one group.
bool is_worth_groups(device::Device& device, const TopK& top);

/// Queues the kernel. Largest first: NaN, then numbers in descending order. Smallest first: numbers
/// in ascending order, then NaN. Throws DTypeError, InvalidArgument unless has_top_k(), and as
/// Program.
void launch_top_k(device::Stream& stream, const TopK& top, const TopKArguments& arguments,
                  const device::Order& order = {});

}  // namespace treadle::kernel
