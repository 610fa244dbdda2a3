// SPDX-License-Identifier: MIT
// Medians and quantiles: elements at places of the sorted order, or means of two such elements.
#pragma once

#include <cstdint>
#include <optional>

#include "treadle/array/array.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/base/list.hpp"

namespace treadle::array {

/// How the fraction q of n sorted elements becomes a number, by NumPy's names (Hyndman and Fan
/// 1996). The first three methods give elements; `linear` is the default.
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

/// Options of quantiles.
struct QuantileOptions {
  Axes axes = {};            ///< elements along these axes are sorted together
  bool keeps_axes = false;   ///< keep these axes, with length 1
  bool ignores_nan = false;  ///< ignore NaNs; otherwise a NaN makes the result NaN
  QuantileMethod method = QuantileMethod::linear;
  std::optional<Scalar> dtype = {};  ///< of interpolated results; none: see quantile()
  /// The weight of each element, 0 or more, in the shape of x or along the one axis. None: equal
  /// weights. Only the method inverted_cdf takes weights.
  Array weights = {};
};

// All functions are queued at once and sort the elements. (For one long row on a processor they
// count instead: treadle/kernel/ranks.hpp.) They throw IndexError for axes that do not exist and
// DTypeError for records. The result of no elements is NaN.

/// Gives one result for each fraction, along a new first axis. For integers the result is float64,
/// unless the method gives elements (inverted_cdf, closest_observation, lower, higher, nearest);
/// otherwise it has the dtype of x. Throws InvalidArgument for fractions that are not from 0 to 1
/// and DTypeError for complex numbers. Unless NaNs are ignored, throws IndexError for no elements,
/// as NumPy does. Throws ShapeError for weights of another shape, and InvalidArgument for negative
/// weights, for which it waits, and for weights with another method.
Array quantile(const Array& x, List<double> fractions, const QuantileOptions& options = {});
/// quantile() of percentages, from 0 to 100.
Array percentile(const Array& x, List<double> percentages, const QuantileOptions& options = {});
/// Of one fraction or percentage, without the new axis: quantile(x, 0.5). `{0.5}` is a list.
template <class T>
  requires std::is_arithmetic_v<T>
Array quantile(const Array& x, T fraction, const QuantileOptions& options = {}) {
  return squeeze(quantile(x, List<double>({static_cast<double>(fraction)}), options), 0);
}
template <class T>
  requires std::is_arithmetic_v<T>
Array percentile(const Array& x, T percentage, const QuantileOptions& options = {}) {
  return squeeze(percentile(x, List<double>({static_cast<double>(percentage)}), options), 0);
}
/// The mean of the two middle elements, or the one middle element; float64 for integers, else in
/// the dtype of x. Complex numbers have the order of sorted(). Ignores the method.
Array median(const Array& x, const QuantileOptions& options = {});

}  // namespace treadle::array
