// SPDX-License-Identifier: MIT
// Medians and quantiles: elements at places of the order along axes, or between them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "treadle/array/array.hpp"
#include "treadle/array/reduction.hpp"

namespace treadle::array {

/// Which number stands for the fraction q of n elements in their order, as NumPy calls them
/// (Hyndman and Fan 1996). The first three give elements; `linear` is the default.
enum class QuantileMethod : std::uint8_t {
  inverted_cdf,
  averaged_inverted_cdf,
  closest_observation,
  interpolated_inverted_cdf,
  hazen,
  weibull,
  linear,
  median_unbiased,
  normal_unbiased,
  lower,
  higher,
  midpoint,
  nearest,
};

/// How quantiles are taken.
struct QuantileOptions {
  Axes axes = {};            ///< along which; several are taken together
  bool keeps_axes = false;   ///< with length 1
  bool ignores_nan = false;  ///< NaNs do not count; else they are the result
  QuantileMethod method = QuantileMethod::linear;
  std::optional<Scalar> dtype = {};  ///< of numbers between elements; none: see quantile()
  /// How much each element counts, 0 or more: in the shape of x, or in that of the one axis; none:
  /// all alike. Only with inverted_cdf.
  Array weights = {};
};

// All are queued at once, sort (or, of one long row on a processor, count:
// treadle/kernel/ranks.hpp), and throw IndexError for axes that are not there, DTypeError for
// records. Of no elements they are NaN.

/// One result for each fraction, along a new first axis; in float64 of integers, unless the method
/// gives elements (inverted_cdf, closest_observation, lower, higher, nearest), else in the dtype of
/// x. Throws InvalidArgument for fractions that are not from 0 to 1, DTypeError for complex
/// numbers, and, unless NaNs are ignored, IndexError for no elements, as NumPy. Throws ShapeError
/// for weights of another shape, InvalidArgument for those below 0, for which it waits, and for
/// those of other methods.
Array quantile(const Array& x, std::span<const double> fractions,
               const QuantileOptions& options = {});
/// The mean of the two elements in the middle, or the one that is there; in float64 of integers,
/// else in the dtype of x. Complex numbers are in the order that sorted() has. Takes no method.
Array median(const Array& x, const QuantileOptions& options = {});

}  // namespace treadle::array
