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
  Shape result;  ///< as the options have it
  bool has_elements = true;
};

bool is_inexact(const DType& dtype) {
  return dtype.kind() == ScalarKind::floating || dtype.kind() == ScalarKind::complex;
}

/// In the dtype of x. Rows of length 0 are not sorted: `values` has their dtype only.
OrderedRows ordered_rows(const char* function, const Array& x, const QuantileOptions& options) {
  if (x.dtype().scalar() == Scalar::structure)
    throw DTypeError(std::string(function) + " of records of " + x.dtype().name(),
                     "take one of their fields");
  const std::uint64_t axes = axes_of(options.axes, x.layout(), function);
  OrderedRows made;
  Shape rows;
  std::vector<int> moved;
  for (int axis = 0; axis < x.rank(); ++axis) {
    const bool is_folded = (axes >> axis & 1) != 0;
    const std::int64_t length = x.shape()[static_cast<std::size_t>(axis)];
    if (!is_folded || options.keeps_axes) made.result.push_back(is_folded ? 1 : length);
    if (is_folded)
      moved.push_back(axis);
    else
      rows.push_back(length);
  }
  std::vector<int> order;
  for (int axis = 0; axis < x.rank(); ++axis)
    if (std::ranges::find(moved, axis) == moved.end()) order.push_back(axis);
  order.insert(order.end(), moved.begin(), moved.end());
  std::int64_t length = 1;
  for (const int axis : moved) length *= x.shape()[static_cast<std::size_t>(axis)];
  rows.push_back(length);
  made.has_elements = length != 0;
  made.values = made.has_elements ? sorted(reshape(permute_dims(x, order), rows)) : x;
  return made;
}

/// The result for rows of length 0: NaN, in float64 of integers.
Array not_a_number(const OrderedRows& of) {
  const DType dtype = of.values.dtype();
  return full(of.result, std::nan(""), is_inexact(dtype) ? dtype.scalar() : Scalar::float64,
              {.stream = of.values.stream()});
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
  if (ignores_nan && is_inexact(rows.dtype()))
    return in_dtype(count_nonzero(logical_not(isnan(rows)), {.axes = -1, .keeps_axes = true}),
                    Scalar::float64);
  return full(shape, static_cast<double>(length), Scalar::float64, {.stream = rows.stream()});
}

/// Whether the method gives elements, and nothing between them.
bool gives_elements(QuantileMethod method) {
  using Method = QuantileMethod;
  constexpr Method all[] = {Method::inverted_cdf, Method::closest_observation, Method::lower,
                            Method::higher, Method::nearest};
  return std::ranges::find(all, method) != std::end(all);
}

/// One quantile of all rows, in their dtype.
Array quantile_of(const Array& rows, const Array& n, double q, const QuantileOptions& options) {
  const DType dtype = rows.dtype();
  const QuantilePlace at = quantile_place(n, q, options.method);
  const Array last = in_dtype(maximum(n - 1.0, 0.0), Scalar::int64);
  const Array before = elements_at(rows, maximum(at.before, 0));
  const Array behind = elements_at(rows, minimum(maximum(at.before + 1, 0), last));
  const Array weight = in_dtype(squeeze(at.weight, -1), dtype);
  Array made = before;
  if (!gives_elements(options.method)) {
    const Array step = behind - before;
    // From the nearer one, as NumPy has it; equal infinities are no NaN.
    made = where(weight < 0.5, before + step * weight, behind - step * (1 - weight));
    made = where(before == behind, before, where(weight == 0, before, made));
  }
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
  if (x.dtype().kind() == ScalarKind::complex)
    throw DTypeError("quantile of " + x.dtype().name(),
                     "it takes real numbers; median() takes these");
  OrderedRows of = ordered_rows("quantile", x, options);
  const bool has_results = std::ranges::find(of.result, 0) == of.result.end();
  if (!of.has_elements && !options.ignores_nan && has_results)
    throw IndexError("quantile of no elements (shape " + shape_text(x.shape()) + ")",
                     "pass an array with elements along the axes");
  if (!gives_elements(options.method) && !is_inexact(x.dtype()))
    of.values = in_dtype(of.values, Scalar::float64);
  std::vector<Array> results;
  if (of.has_elements) {
    const Array n = lengths_of(of.values, options.ignores_nan);
    for (const double q : fractions)
      results.push_back(reshape(quantile_of(of.values, n, q, options), of.result));
  } else {
    results.assign(fractions.size(), not_a_number(of));
  }
  if (!results.empty()) return stack(results);
  Shape none = of.result;
  none.insert(none.begin(), 0);
  return empty(none, of.values.dtype(), {.stream = x.stream()});
}

Array median(const Array& x, const QuantileOptions& options) {
  const OrderedRows of = ordered_rows("median", x, options);
  if (!of.has_elements) return not_a_number(of);
  const DType dtype = is_inexact(x.dtype()) ? x.dtype() : DType(Scalar::float64);
  const Array rows = in_dtype(of.values, dtype.scalar());
  const Array n = in_dtype(lengths_of(rows, options.ignores_nan), Scalar::int64);
  const Array low = elements_at(rows, maximum(floor_divide(n - 1, 2), 0));
  const Array high = elements_at(rows, floor_divide(n, 2));
  const Array odd = squeeze(remainder(n, 2), -1) == 1;
  // The sum of two halves may be infinite where their mean is not.
  const bool is_half = dtype.scalar() == Scalar::float16;
  const Array total = is_half ? in_dtype(low, Scalar::float32) + high : low + high;
  Array made = where(odd, high, in_dtype(total / 2.0, dtype.scalar()));
  if (is_inexact(x.dtype())) {
    const Array end = rows.at({Index::ellipsis(), Index::at(-1)});  // NaN, if there is one
    made = options.ignores_nan ? where(squeeze(n, -1) == 0, std::nan(""), made)
                               : where(isnan(end), end, made);
  }
  return reshape(made, of.result);
}

}  // namespace treadle::array
