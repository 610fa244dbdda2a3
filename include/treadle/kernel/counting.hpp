// SPDX-License-Identifier: MIT
// How many numbers are in each bin, and sums of what goes with them: what array::bincount()
// launches.
#pragma once

#include <cstdint>

#include "treadle/device/copy.hpp"
#include "treadle/device/kernel.hpp"
#include "treadle/device/stream.hpp"

namespace treadle::kernel {

/// Adds 1 to counts[bins[i]] for each i before n, at most 2^32 - 1 of them: both uint32. Bins from
/// `bin_count` on are left out. The counts are the same whatever the order of the additions. Throws
/// as ElementwiseKernel.
void launch_count(device::Stream& stream, std::uint64_t n, std::uint64_t bin_count,
                  const device::Argument& bins, const device::Argument& counts,
                  const device::Order& order = {});

/// sums[b] becomes the sum of the weights (float64) of bin b, for each b in `bins` (uint32, sorted)
/// that is less than `bin_count`. Equal launches give equal bits. Throws as ScanKernel.
struct WeightedArguments {
  device::Argument bins, weights, sums;
};
void launch_weighted(device::Stream& stream, std::uint64_t n, std::uint64_t bin_count,
                     const WeightedArguments& arguments, const device::Order& order = {});

}  // namespace treadle::kernel
