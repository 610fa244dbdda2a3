// SPDX-License-Identifier: MIT
// Counts the numbers in each bin and adds up the weights of each bin: the kernels of
// array::bincount().
#pragma once

#include <cstdint>
#include <optional>

#include "treadle/base/dtype.hpp"
#include "treadle/codegen/schedule.hpp"
#include "treadle/device/copy.hpp"
#include "treadle/device/kernel.hpp"
#include "treadle/device/stream.hpp"

namespace treadle::kernel {

/// Bins of equal width.
struct EvenBins {
  /// The lower end of the first bin; the number of bins in an interval of length 1.
  double first, scale;
};
/// The elements to count.
struct Count {
  std::uint64_t n, bin_count;  ///< number of elements, at most 2^32 - 1; number of bins
  /// Dtype of the elements, not float16; without `even` they are bin numbers.
  Scalar dtype = Scalar::uint32;
  std::optional<EvenBins> even = {};      ///< the elements are values in these bins
  std::optional<Schedule> schedule = {};  ///< none: DeviceTraits::schedule
};
/// Memory of the device.
struct CountArguments {
  device::Argument elements;  ///< of Count::dtype
  device::Argument counts;    ///< uint32; the kernel adds to them
  /// With `even`: the ends of the bins, float32 for float32 elements, else float64.
  std::optional<device::Argument> edges;
};

/// Adds 1 to the count of each element's bin; an element in no bin is ignored. A group counts in
/// its own memory if Tiling::bin_bytes has room for the bins. With `even`, a product gives a first
/// guess of the bin, and the edges beside the guess decide: a bin includes its lower edge, and the
/// last bin includes both edges. The order of the additions does not change the counts. Throws
/// DTypeError for other dtypes, and as Program.
void launch_count(device::Stream& stream, const Count& what, const CountArguments& arguments,
                  const device::Order& order = {});

/// sums[b] becomes the sum of the weights (float64) of bin b, for each b in `bins` (uint32, sorted)
/// that is below `bin_count`. Equal launches give equal bits. Throws as ScanKernel.
struct WeightedArguments {
  device::Argument bins, weights, sums;
};
void launch_weighted(device::Stream& stream, std::uint64_t n, std::uint64_t bin_count,
                     const WeightedArguments& arguments, const device::Order& order = {});

}  // namespace treadle::kernel
