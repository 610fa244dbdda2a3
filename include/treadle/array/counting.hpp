// SPDX-License-Identifier: MIT
// Counts elements by bins. Counts, and sums of weights, have the same bits in every run on a
// device.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "treadle/array/array.hpp"
#include "treadle/base/list.hpp"

namespace treadle::array {

/// Counts how often each number 0, 1, 2, ... is in x, an array of integers of one axis, as int64.
/// With one weight for each element, sums the weights as float64. The result has at least
/// `least_length` elements. Reads the extrema of x, and waits. Throws ShapeError for several axes
/// and another number of weights, DTypeError for a dtype that is not an integer, InvalidArgument
/// for negative elements.
Array bincount(const Array& x, const Array& weights = {}, std::int64_t least_length = 0);

/// A range of numbers that includes both ends.
using HistogramRange = std::pair<double, double>;

/// The `count` + 1 edges of bins of equal width. Without a range the bins span the extrema of x,
/// and the function waits for these. The edges have the dtype of x if that is floating, else
/// float64. Throws InvalidArgument for less than one bin, and for a range that is not finite or
/// goes down.
Array histogram_bin_edges(const Array& x, std::int64_t count,
                          const std::optional<HistogramRange>& range = {});

/// Rules for the number of bins, by NumPy's names.
enum class BinRule : std::uint8_t {
  automatic,          ///< "auto": the narrower bins of the next two, but no more than twice sqrt(n)
  freedman_diaconis,  ///< "fd": the width is 2 * (interquartile range) / cbrt(n)
  sturges,            ///< log2(n) + 1
  square_root,        ///< "sqrt": sqrt(n)
  rice,               ///< 2 * cbrt(n)
  scott,              ///< the width is cbrt(24 sqrt(pi) / n) * (standard deviation)
  doane,              ///< as sturges, with more bins for skewed numbers
  stone,              ///< the least error as estimated by leave-one-out cross-validation
};
/// The number of bins of equal width that a rule gives for the elements in the range. Bins of
/// integers are at least 1 wide. Reads x, and waits. Throws as histogram_bin_edges().
std::int64_t bin_count(const Array& x, BinRule rule,
                       const std::optional<HistogramRange>& range = {});

/// Counts and the edges of their bins.
struct Histogram {
  Array counts;              ///< int64; sums of weights and densities: float64 or complex128
  std::vector<Array> edges;  ///< for each axis of the counts
};
/// The bins of one axis.
struct HistogramBins {
  std::int64_t count = 10;                   ///< bins of equal width
  std::optional<HistogramRange> range = {};  ///< none: from the least to the largest element
  Array edges = {};                          ///< replace count and range; one axis, ascending
};
/// Tells what a histogram sums.
struct HistogramOptions {
  Array weights = {};       ///< one for each sample, in place of 1
  bool is_density = false;  ///< divide by the bins' volumes and by the sum of all counts
};
/// Counts how many elements of x, of any shape, are in each bin. A bin contains its lower edge; the
/// last bin contains both edges. Throws as histogram_bin_edges(), ShapeError for edges of several
/// axes and another number of weights, InvalidArgument for edges that go down. Waits for the check
/// of edges.
Histogram histogram(const Array& x, const HistogramBins& bins = {},
                    const HistogramOptions& options = {});
/// A histogram of points. Each coordinate is an array of one axis and has bins of its own.
Histogram histogramdd(List<Array> coordinates, List<HistogramBins> bins,
                      const HistogramOptions& options = {});

}  // namespace treadle::array
