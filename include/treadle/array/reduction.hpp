// SPDX-License-Identifier: MIT
// Reductions: sums, extrema and their places, of all elements of an array or along axes.
//
// Reductions are as lazy as other operations. Operations on the elements before the reduction, and
// on the results afterwards, join the reduction's kernel: sqrt(sum(a * b)) / n reads a and b once
// and is one launch. sum(x) and max(x) that are computed together are also one launch. Results have
// the same bits in every run on a device.
#pragma once

#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "treadle/array/array.hpp"

namespace treadle::array {

/// Axes of an array. By default all axes. Negative axes count from the end.
class Axes {
 public:
  /// Names no axes: all.
  Axes() = default;
  // Implicit: sum(x, {.axes = 1}), sum(x, {.axes = {0, -1}}).
  Axes(int axis) : named_(std::vector{axis}) {}
  Axes(std::initializer_list<int> axes) : named_(axes) {}
  Axes(std::vector<int> axes) : named_(std::move(axes)) {}
  /// None: all axes.
  const std::optional<std::vector<int>>& named() const noexcept { return named_; }

 private:
  std::optional<std::vector<int>> named_;
};

/// Options of a reduction. Each function lists the options that it takes beside `axes`,
/// `keeps_axes` and `out`, and throws InvalidArgument for others.
struct ReduceOptions {
  Axes axes = {};           ///< the axes that are reduced
  bool keeps_axes = false;  ///< keep reduced axes, with length 1: the result broadcasts against x
  /// The dtype of the result and of its accumulator. None: NumPy's, such as int64 for int8.
  std::optional<Scalar> dtype = {};
  /// A further element of each reduction.
  std::optional<Number> initial = {};
  /// Tells as bool which elements count, and broadcasts to the shape of x. Null: all.
  const Array* where = nullptr;
  bool ignores_nan = false;  ///< ignore NaNs
  double correction = 0;     ///< subtracted from the number of elements before dividing
  /// Receives the result, cast as `same_kind` allows, and is returned. Has the result's shape.
  const Array* out = nullptr;
};

// All functions throw IndexError for axes that do not exist, InvalidArgument for an axis named
// twice, ShapeError for a reduction of no elements without a neutral element, and DTypeError for
// records. For an array without axes, 0 and -1 mean no axes, except in means that do not ignore
// NaN.

/// Takes dtype, initial, where, ignores_nan. The sum of no elements is 0.
Array sum(const Array& x, const ReduceOptions& options = {});
/// As sum(). The product of no elements is 1.
Array prod(const Array& x, const ReduceOptions& options = {});
/// Takes dtype, where, ignores_nan. Integers have a float64 mean. The mean of no elements is NaN.
Array mean(const Array& x, const ReduceOptions& options = {});
/// The mean of squared distances from the mean, in two passes. Takes dtype, where, ignores_nan, and
/// correction (1 for a sample).
Array variance(const Array& x, const ReduceOptions& options = {});
/// The root of variance().
Array standard_deviation(const Array& x, const ReduceOptions& options = {});
/// The least and the largest element. NaN if there is a NaN, unless NaNs are ignored. Takes
/// initial, where (together with initial) and ignores_nan. Complex numbers are ordered by the real
/// part first.
Array min(const Array& x, const ReduceOptions& options = {});
Array max(const Array& x, const ReduceOptions& options = {});
/// max - min in one pass.
Array ptp(const Array& x, const ReduceOptions& options = {});
/// The first place of the extremum, along an axis or among all elements in C's order, as int64.
Array argmin(const Array& x, const ReduceOptions& options = {});
Array argmax(const Array& x, const ReduceOptions& options = {});
/// The place of the greatest number that is not NaN, along an axis or in C's order. For floats
/// these functions read the result, and wait: they throw InvalidArgument if all elements are NaN.
Array nanargmax(const Array& x, std::optional<int> axis = {}, bool keeps_axes = false);
Array nanargmin(const Array& x, std::optional<int> axis = {}, bool keeps_axes = false);  ///< least
/// Whether any element is not zero; all(): whether all are not zero. Takes where.
Array any(const Array& x, const ReduceOptions& options = {});
Array all(const Array& x, const ReduceOptions& options = {});
/// The number of elements that are not zero, as int64. Takes where.
Array count_nonzero(const Array& x, const ReduceOptions& options = {});

/// The weighted mean of x, in one pass. The weights have the shape of x or lie along the one named
/// axis. Takes axes and keeps_axes.
Array average(const Array& x, const Array& weights, const ReduceOptions& options = {});
/// sum(x * y) of two arrays with one axis of the same length, in their common dtype. Throws
/// ShapeError for other numbers of axes: linalg::dot (treadle/linalg/product.hpp) takes matrices.
Array dot_of_vectors(const Array& x, const Array& y);
/// sum(conj(x) * y) of all elements in C's order.
Array vdot(const Array& x, const Array& y);
/// The root of the sum of squared magnitudes.
Array norm(const Array& x, const ReduceOptions& options = {});
/// The root of degree `order` of the sum of the magnitudes' powers. infinity gives the largest
/// magnitude, -infinity the least, 0 the number of elements that are not 0. Integers give float64.
/// Takes axes, keeps_axes, out.
Array vector_norm(const Array& x, double order, const ReduceOptions& options = {});

}  // namespace treadle::array
