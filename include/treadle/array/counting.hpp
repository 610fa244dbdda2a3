// SPDX-License-Identifier: MIT
// How many elements are in each bin. Counts, and sums of weights, have the same bits in every run
// on a device.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "treadle/array/array.hpp"

namespace treadle::array {

/// How often each number 0, 1, 2, ... is in x, an array of one axis of integers: int64; or, with
/// weights of as many elements, their sums: float64. As long as `least_length` at least. Looks at
/// the extrema of x, and waits. Throws ShapeError for several axes and other numbers of weights,
/// DTypeError unless x is of integers, InvalidArgument for negative ones.
Array bincount(const Array& x, const Array& weights = {}, std::int64_t least_length = 0);

/// A range of numbers, both ends within it.
using HistogramRange = std::pair<double, double>;

/// `count` + 1 edges of bins of one width, over the range, or that of x's extrema, for which it
/// waits; in the dtype of x if that is floating, else float64. Throws InvalidArgument for less than
/// one bin, and for a range that is not finite or goes down.
Array histogram_bin_edges(const Array& x, std::int64_t count,
                          const std::optional<HistogramRange>& range = {});

/// How many bins show what numbers are like, by NumPy's names of the rules.
enum class BinRule : std::uint8_t {
  automatic,          ///< "auto": the narrower bins of the next two, but no more than twice sqrt(n)
  freedman_diaconis,  ///< "fd": of width 2 * (the middle half's) / cbrt(n)
  sturges,            ///< log2(n) + 1
  square_root,        ///< "sqrt": sqrt(n)
  rice,               ///< 2 * cbrt(n)
  scott,              ///< of width cbrt(24 sqrt(pi) / n) * (standard deviation)
  doane,              ///< as sturges, more for skewed numbers
  stone,              ///< with the least error as estimated by leaving one out
};
/// The number of bins of one width by a rule, for the elements in the range. Of integers no bin is
/// narrower than 1. Looks at x, and waits. Throws as histogram_bin_edges().
std::int64_t bin_count(const Array& x, BinRule rule,
                       const std::optional<HistogramRange>& range = {});

/// Counts, and the edges of their bins.
struct Histogram {
  Array counts;              ///< int64; sums of weights, and densities, float64 or complex128
  std::vector<Array> edges;  ///< for each axis of the counts
};
/// Bins of one axis.
struct HistogramBins {
  std::int64_t count = 10;                   ///< of one width
  std::optional<HistogramRange> range = {};  ///< none: from the least to the largest element
  Array edges = {};                          ///< in place of both: one axis, upwards
};
/// What is counted.
struct HistogramOptions {
  Array weights = {};       ///< of the samples' number: what each counts
  bool is_density = false;  ///< divided by the bins' volumes and by the sum of all
};
/// How many elements of x, in any shape, are in each bin. A bin has its lower edge, the last one
/// both. Throws as histogram_bin_edges(), ShapeError for edges of several axes and other numbers of
/// weights, InvalidArgument for edges that go down, for which it waits.
Histogram histogram(const Array& x, const HistogramBins& bins = {},
                    const HistogramOptions& options = {});
/// The same of points, whose coordinates are arrays of one axis; bins for each.
Histogram histogramdd(std::span<const Array> coordinates, std::span<const HistogramBins> bins,
                      const HistogramOptions& options = {});

}  // namespace treadle::array
