// SPDX-License-Identifier: MIT
// Few numbers of many: sums, extrema and their places, of all elements of an array or along axes.
//
// Each is as lazy as other operations. What is computed for the elements before, and of the results
// afterwards, belongs to the same kernel: sqrt(sum(a * b)) / n reads a and b once and is one
// launch; so are sum(x) and max(x) that are computed together. Results have the same bits in every
// run on a device.
#pragma once

#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "treadle/array/array.hpp"

namespace treadle::array {

/// Axes of an array: all, unless some are named. They count from the end where they are negative.
class Axes {
 public:
  /// All.
  Axes() = default;
  // Implicit: sum(x, {.axes = 1}), sum(x, {.axes = {0, -1}}).
  Axes(int axis) : named_(std::vector{axis}) {}
  Axes(std::initializer_list<int> axes) : named_(axes) {}
  Axes(std::vector<int> axes) : named_(std::move(axes)) {}
  /// None: all.
  const std::optional<std::vector<int>>& named() const noexcept { return named_; }

 private:
  std::optional<std::vector<int>> named_;
};

/// How a reduction is made. Each function says which of these it takes beside `axes`, `keeps_axes`
/// and `out`; others are an InvalidArgument.
struct ReduceOptions {
  Axes axes = {};           ///< over which elements are reduced
  bool keeps_axes = false;  ///< in the result, with length 1, so that it broadcasts against x
  /// Of the result, and in which sums are made; none: NumPy's, int64 for int8.
  std::optional<Scalar> dtype = {};
  /// What the elements are added to, or compared with.
  std::optional<Number> initial = {};
  /// bool, of a shape that broadcasts to that of x: the elements that count; null: all.
  const Array* where = nullptr;
  bool ignores_nan = false;  ///< NaNs do not count
  double correction = 0;     ///< what is subtracted from the number of elements that is divided by
  /// An array of the result's shape that receives it, cast as `same_kind` allows, and is returned.
  const Array* out = nullptr;
};

// All throw IndexError for axes that are not there (0 and -1 of an array without axes stand for
// none, except in means that ignore no NaN), InvalidArgument for those named twice, ShapeError for
// results that no elements have, DTypeError for records.

/// With dtype, initial, where, ignores_nan. 0 of no elements.
Array sum(const Array& x, const ReduceOptions& options = {});
/// As sum(). 1 of no elements.
Array prod(const Array& x, const ReduceOptions& options = {});
/// With dtype, where, ignores_nan. Integers have a mean in float64; NaN of no elements.
Array mean(const Array& x, const ReduceOptions& options = {});
/// The mean of squared distances from the mean; with dtype, where, ignores_nan, correction (1: of a
/// sample). Two passes.
Array variance(const Array& x, const ReduceOptions& options = {});
/// The root of variance().
Array standard_deviation(const Array& x, const ReduceOptions& options = {});
/// The least and the largest element; NaN if there is one, unless it is ignored. With initial,
/// where (and initial), ignores_nan. Complex numbers are ordered by the real part first.
Array min(const Array& x, const ReduceOptions& options = {});
Array max(const Array& x, const ReduceOptions& options = {});
/// max - min in one pass.
Array ptp(const Array& x, const ReduceOptions& options = {});
/// The first place of the extremum, along an axis or in C's order of all elements: int64.
Array argmin(const Array& x, const ReduceOptions& options = {});
Array argmax(const Array& x, const ReduceOptions& options = {});
/// Places of the greatest and of the least number that is not NaN, along an axis or in C's order.
/// Of floats they look, and wait: InvalidArgument where there is none.
Array nanargmax(const Array& x, std::optional<int> axis = {}, bool keeps_axes = false);
Array nanargmin(const Array& x, std::optional<int> axis = {}, bool keeps_axes = false);  ///< least
/// Whether an element is not zero, and whether all are. With where.
Array any(const Array& x, const ReduceOptions& options = {});
Array all(const Array& x, const ReduceOptions& options = {});
/// How many elements are not zero, as int64. With where.
Array count_nonzero(const Array& x, const ReduceOptions& options = {});

/// The mean of x with weights, which have the shape of x or lie along the one named axis; in one
/// pass. Takes axes and keeps_axes.
Array average(const Array& x, const Array& weights, const ReduceOptions& options = {});
/// sum(x * y) of two arrays with one axis of the same length, in their common dtype. Throws
/// ShapeError for other numbers of axes: linalg::dot (treadle/linalg/product.hpp) takes matrices.
Array dot_of_vectors(const Array& x, const Array& y);
/// The same of all elements in C's order, x conjugated.
Array vdot(const Array& x, const Array& y);
/// The root of the sum of squared magnitudes.
Array norm(const Array& x, const ReduceOptions& options = {});
/// Of magnitudes: the root of `order` of the sum of their powers; infinity: the largest, -infinity:
/// the least, 0: how many are not 0. Of integers in float64. Takes axes, keeps_axes, out.
Array vector_norm(const Array& x, double order, const ReduceOptions& options = {});

}  // namespace treadle::array
