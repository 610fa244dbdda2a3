// SPDX-License-Identifier: MIT
// How many numbers are in each bin, and sums of what goes with them: what array::bincount()
// launches.
#pragma once

#include <cstdint>
#include <optional>

#include "treadle/base/dtype.hpp"
#include "treadle/codegen/schedule.hpp"
#include "treadle/device/copy.hpp"
#include "treadle/device/kernel.hpp"
#include "treadle/device/stream.hpp"

namespace treadle::kernel {

/// Bins of one width, from `first` on; `scale` of them are 1 wide.
struct EvenBins {
  double first, scale;  ///< where the first begins; how many bins are 1 wide
};
/// What is counted.
struct Count {
  std::uint64_t n, bin_count;             ///< elements, at most 2^32 - 1; bins
  Scalar dtype = Scalar::uint32;          ///< of elements, no float16: numbers of bins
  std::optional<EvenBins> even = {};      ///< of values: the bins that they are in
  std::optional<Schedule> schedule = {};  ///< none: DeviceTraits::schedule
};
/// Memory of the device.
struct CountArguments {
  device::Argument elements;              ///< of Count::dtype
  device::Argument counts;                ///< uint32, added to
  std::optional<device::Argument> edges;  ///< of even bins: float32 of float32, else float64
};

/// Adds 1 to the count of each element's bin; elements in none are left out. Each group counts in
/// memory of its own while Tiling::bin_bytes have room for the bins. Near its place in even bins by
/// a product, an element's bin is the one whose edges are around it: its lower edge belongs to it,
/// and both to the last one. The counts are the same whatever the order of the additions. Throws
/// DTypeError for other dtypes, and as Program.
void launch_count(device::Stream& stream, const Count& what, const CountArguments& arguments,
                  const device::Order& order = {});

/// sums[b] becomes the sum of the weights (float64) of bin b, for each b in `bins` (uint32, sorted)
/// that is less than `bin_count`. Equal launches give equal bits. Throws as ScanKernel.
struct WeightedArguments {
  device::Argument bins, weights, sums;
};
void launch_weighted(device::Stream& stream, std::uint64_t n, std::uint64_t bin_count,
                     const WeightedArguments& arguments, const device::Order& order = {});

}  // namespace treadle::kernel
