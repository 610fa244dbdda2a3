// SPDX-License-Identifier: MIT
// Each method says where, counted from 0 in the order, the quantile of the fraction q lies: at the
// element before that place, at the one behind it, or between them by a weight. How many elements a
// row has is the same number for all rows, or, where NaNs do not count, an array.
#include "treadle/array/order_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "array/access.hpp"
#include "array/axes.hpp"
#include "array/record.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/indexing.hpp"
#include "treadle/array/joining.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/ordering.hpp"
#include "treadle/base/error.hpp"

namespace treadle::array {
namespace {

/// Rows whose elements are in their order, along the last axis.
struct OrderedRows {
  Array values;
  Shape kept;     ///< the result's with keeps_axes
  Shape dropped;  ///< the result's without
};

OrderedRows ordered_rows(const char* function, const Array& x, const QuantileOptions& options) {
  const ScalarKind kind = x.dtype().kind();
  if (kind == ScalarKind::complex || kind == ScalarKind::structure)
    throw DTypeError(std::string(function) + " of " + x.dtype().name(), "it takes real numbers");
  const std::uint64_t axes = axes_of(options.axes, x.layout(), function);
  OrderedRows made;
  std::vector<int> moved;
  for (int axis = 0; axis < x.rank(); ++axis) {
    const bool is_folded = (axes >> axis & 1) != 0;
    const std::int64_t length = x.shape()[static_cast<std::size_t>(axis)];
    made.kept.push_back(is_folded ? 1 : length);
    if (is_folded)
      moved.push_back(axis);
    else
      made.dropped.push_back(length);
  }
  std::vector<int> order;
  for (int axis = 0; axis < x.rank(); ++axis)
    if (std::ranges::find(moved, axis) == moved.end()) order.push_back(axis);
  order.insert(order.end(), moved.begin(), moved.end());
  Shape rows = made.dropped;
  std::int64_t length = 1;
  for (const int axis : moved) length *= x.shape()[static_cast<std::size_t>(axis)];
  rows.push_back(length);
  if (length == 0)
    throw ShapeError(
        std::string(function) + " of no elements (shape " + shape_text(x.shape()) + ")",
        "pass an array with elements along the axes");
  const Scalar dtype = kind == ScalarKind::floating ? x.dtype().scalar() : Scalar::float64;
  made.values = sorted(reshape(permute_dims(x, order), rows));
  made.values = in_dtype(made.values, dtype);
  return made;
}

/// Where q lies among n elements: the place before it, and the weight of the one behind.
struct QuantilePlace {
  Array before, weight;  ///< int64 and float64, of the rows' shape with a last axis of 1
};

/// n and q are float64; before and weight are of n's shape.
QuantilePlace quantile_place(const Array& n, double q, QuantileMethod method) {
  using Method = QuantileMethod;
  Array place = (n - 1.0) * q;
  const auto with = [&](double alpha, double beta) {
    place = n * q + (alpha + q * (1 - alpha - beta) - 1);
  };
  switch (method) {
    case Method::inverted_cdf:
    case Method::averaged_inverted_cdf:
      place = n * q - 1.0;
      break;
    case Method::closest_observation:
      place = n * q - 1.5;
      break;
    case Method::interpolated_inverted_cdf:
      with(0, 1);
      break;
    case Method::hazen:
      with(0.5, 0.5);
      break;
    case Method::weibull:
      with(0, 0);
      break;
    case Method::median_unbiased:
      with(1.0 / 3, 1.0 / 3);
      break;
    case Method::normal_unbiased:
      with(3.0 / 8, 3.0 / 8);
      break;
    default:
      break;
  }
  const Array before = floor(place);
  const Array part = place - before;
  Array weight = part;
  switch (method) {
    case Method::inverted_cdf:
      weight = where(part > 0, 1.0, 0.0);
      break;
    case Method::averaged_inverted_cdf:
      weight = where(part > 0, 1.0, 0.5);
      break;
    case Method::closest_observation:  // of two that are equally near the even one, counted from 1
      weight = where((part == 0) & (remainder(before, 2.0) == 1), 0.0, 1.0);
      break;
    case Method::lower:
      weight = zeros_like(part);
      break;
    case Method::higher:
      weight = where(part > 0, 1.0, 0.0);
      break;
    case Method::midpoint:
      weight = where(part > 0, 0.5, 0.0);
      break;
    case Method::nearest:
      weight = rint(place) - before;
      break;
    default:
      break;
  }
  // Before the first place, and behind the last, there are no others.
  weight = where(before < 0, 0.0, weight);
  return {in_dtype(minimum(maximum(before, 0.0), n - 1.0), Scalar::int64), weight};
}

/// Elements at places along the last axis, which is left out.
Array elements_at(const Array& rows, const Array& places) {
  return squeeze(take_along_axis(rows, IndexArray(places), -1), -1);
}

/// How many elements of each row count, float64 with a last axis of 1.
Array lengths_of(const Array& rows, bool ignores_nan) {
  Shape shape = shape_of(rows);
  const std::int64_t length = shape.back();
  shape.back() = 1;
  if (ignores_nan && rows.dtype().kind() == ScalarKind::floating)
    return in_dtype(count_nonzero(logical_not(isnan(rows)), {.axes = -1, .keeps_axes = true}),
                    Scalar::float64);
  return full(shape, static_cast<double>(length), Scalar::float64, {.stream = rows.stream()});
}

/// One quantile of all rows, in their dtype.
Array quantile_of(const Array& rows, const Array& n, double q, const QuantileOptions& options) {
  const DType dtype = rows.dtype();
  const QuantilePlace at = quantile_place(n, q, options.method);
  const Array last = in_dtype(maximum(n - 1.0, 0.0), Scalar::int64);
  const Array before = elements_at(rows, maximum(at.before, 0));
  const Array behind = elements_at(rows, minimum(maximum(at.before + 1, 0), last));
  const Array weight = in_dtype(squeeze(at.weight, -1), dtype);
  const Array step = behind - before;
  // From the nearer one, as NumPy has it; equal infinities are no NaN.
  Array made = where(weight < 0.5, before + step * weight, behind - step * (1 - weight));
  made = where(before == behind, before, where(weight == 0, before, made));
  made = where(weight == 1, behind, made);
  if (dtype.kind() != ScalarKind::floating) return made;
  const Array end = rows.at({Index::ellipsis(), Index::at(-1)});  // NaN, if there is one
  return where(options.ignores_nan ? squeeze(n, -1) == 0 : isnan(end), std::nan(""), made);
}

}  // namespace

Array quantile(const Array& x, std::span<const double> fractions, const QuantileOptions& options) {
  for (const double q : fractions)
    if (!(q >= 0 && q <= 1))
      throw InvalidArgument("quantile of q=" + std::to_string(q),
                            "fractions are from 0 to 1, and percentiles from 0 to 100");
  const OrderedRows of = ordered_rows("quantile", x, options);
  const Array n = lengths_of(of.values, options.ignores_nan);
  std::vector<Array> results;
  for (const double q : fractions)
    results.push_back(
        reshape(quantile_of(of.values, n, q, options), options.keeps_axes ? of.kept : of.dropped));
  if (!results.empty()) return stack(results);
  Shape none = options.keeps_axes ? of.kept : of.dropped;
  none.insert(none.begin(), 0);
  return empty(none, of.values.dtype(), {.stream = x.stream()});
}

Array median(const Array& x, const QuantileOptions& options) {
  const OrderedRows of = ordered_rows("median", x, options);
  const Array& rows = of.values;
  const Array n = in_dtype(lengths_of(rows, options.ignores_nan), Scalar::int64);
  const Array low = elements_at(rows, maximum(floor_divide(n - 1, 2), 0));
  const Array high = elements_at(rows, floor_divide(n, 2));
  const Array odd = squeeze(remainder(n, 2), -1) == 1;
  Array made = where(odd, high, in_dtype((low + high) / 2.0, rows.dtype()));
  if (rows.dtype().kind() == ScalarKind::floating) {
    const Array end = rows.at({Index::ellipsis(), Index::at(-1)});
    const Array is_nan = options.ignores_nan ? squeeze(n, -1) == 0 : isnan(end);
    made = where(is_nan, std::nan(""), made);
  }
  return reshape(made, options.keeps_axes ? of.kept : of.dropped);
}

}  // namespace treadle::array
