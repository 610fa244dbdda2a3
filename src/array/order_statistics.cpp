// SPDX-License-Identifier: MIT
// A method tells where the quantile of the fraction q lies in the sorted row. Places count from 0.
// The quantile is the element before that place, the element behind it, or a weighted mean of both.
// All rows have the same number of elements, unless NaNs are ignored: then an array holds the
// number of each row.
#include "treadle/array/order_statistics.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "array/access.hpp"
#include "array/axes.hpp"
#include "array/context.hpp"
#include "array/dense.hpp"
#include "array/evaluate.hpp"
#include "array/record.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/cumulative.hpp"
#include "treadle/array/indexing.hpp"
#include "treadle/array/joining.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/ordering.hpp"
#include "treadle/base/error.hpp"
#include "treadle/kernel/ranks.hpp"

namespace treadle::array {
namespace {

/// Rows along the last axis.
struct QuantileRows {
  Array values;
  Shape result;  ///< has the shape that the options ask for
  bool has_elements = true;
};

bool is_inexact(const DType& dtype) {
  return dtype.kind() == ScalarKind::floating || dtype.kind() == ScalarKind::complex;
}

/// Rows in the dtype of x. For rows of length 0, `values` tells only the dtype.
QuantileRows quantile_rows(const char* function, const Array& x, const QuantileOptions& options) {
  if (x.dtype().scalar() == Scalar::structure)
    throw DTypeError(std::string(function) + " of records of " + x.dtype().name(),
                     "take one of their fields");
  const std::uint64_t axes = axes_of(options.axes, x.layout(), function);
  QuantileRows made;
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
  made.values = made.has_elements ? reshape(permute_dims(x, order), rows) : x;
  return made;
}

/// The dtype of a mean of two elements.
Scalar dtype_between(const DType& dtype, const QuantileOptions& options) {
  return options.dtype.value_or(is_inexact(dtype) ? dtype.scalar() : Scalar::float64);
}

/// The result for rows of length 0.
Array not_a_number(const QuantileRows& of, const QuantileOptions& options) {
  return full(of.result, std::nan(""), dtype_between(of.values.dtype(), options),
              {.stream = of.values.stream()});
}

/// The place of q among n elements: the element before, and the weight of the element behind.
struct QuantilePlace {
  Array before, weight;  ///< int64 and float64; the rows' shape with a last axis of 1
};

/// n and q are float64; before and weight have n's shape.
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
    case Method::closest_observation:  // at equal distance the even place, counted from 0
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
  // Before the first place, and behind the last, there is no element to weigh.
  weight = where(before < 0, 0.0, weight);
  return {in_dtype(minimum(maximum(before, 0.0), n - 1.0), Scalar::int64), weight};
}

/// Takes the elements of the sorted rows at `places` (int64, with a last axis of 1) and drops that
/// axis.
std::vector<Array> elements_at(const Array& rows, const std::vector<Array>& places) {
  std::vector<Array> found;
  const kernel::Ranks ranks{.dtype = rows.dtype().scalar(),
                            .n = static_cast<std::uint64_t>(rows.size()),
                            .rank_count = places.size()};
  if (rows.size() != rows.shape().back() || rows.dtype().kind() == ScalarKind::complex ||
      !kernel::is_worth_ranks(rows.device(), ranks)) {
    const Array in_order = sorted(rows);
    for (const Array& place : places)
      found.push_back(squeeze(take_along_axis(in_order, IndexArray(place), -1), -1));
    return found;
  }
  std::vector<Array> flat;
  for (const Array& place : places) flat.push_back(ravel(place));
  const Array row = dense(rows), all = dense(concatenate(flat));
  const Array values = empty({all.size()}, rows.dtype(), {.stream = row.stream()});
  {
    const StreamRef stream = Access::node(values).context->stream({});
    const WithoutHostLock released;
    kernel::launch_ranks(*stream, ranks, {row, all, values});
  }
  Shape shape = shape_of(rows);
  shape.pop_back();
  for (std::int64_t i = 0; i < all.size(); ++i)
    found.push_back(reshape(values.at({Index::at(i)}), shape));
  return found;
}

/// The number of elements of each row that are counted, as float64 with a last axis of 1.
Array lengths_of(const Array& rows, bool ignores_nan) {
  Shape shape = shape_of(rows);
  const std::int64_t length = shape.back();
  shape.back() = 1;
  if (ignores_nan && is_inexact(rows.dtype()))
    return in_dtype(count_nonzero(logical_not(isnan(rows)), {.axes = -1, .keeps_axes = true}),
                    Scalar::float64);
  return full(shape, static_cast<double>(length), Scalar::float64, {.stream = rows.stream()});
}

/// Whether the method returns elements, and never a mean of two elements.
bool gives_elements(QuantileMethod method) {
  using Method = QuantileMethod;
  constexpr Method all[] = {Method::inverted_cdf, Method::closest_observation, Method::lower,
                            Method::higher, Method::nearest};
  return std::ranges::find(all, method) != std::end(all);
}

/// The place of the last element of each row; NaN if the row has a NaN.
Array last_place(const Array& rows) {
  Shape shape = shape_of(rows);
  const std::int64_t last = shape.back() - 1;
  shape.back() = 1;
  return full(shape, last, Scalar::int64, {.stream = rows.stream()});
}

/// Quantiles of all rows.
std::vector<Array> quantiles_of(const Array& rows, std::span<const double> fractions,
                                const QuantileOptions& options) {
  const Array n = lengths_of(rows, options.ignores_nan);
  const Array last = in_dtype(maximum(n - 1.0, 0.0), Scalar::int64);
  std::vector<Array> places, weights, results;
  for (const double q : fractions) {
    const QuantilePlace at = quantile_place(n, q, options.method);
    places.push_back(maximum(at.before, 0));
    places.push_back(minimum(maximum(at.before + 1, 0), last));
    weights.push_back(squeeze(at.weight, -1));
  }
  places.push_back(last_place(rows));
  std::vector<Array> found = elements_at(rows, places);
  if (!gives_elements(options.method))
    for (Array& one : found) one = in_dtype(one, dtype_between(rows.dtype(), options));
  for (std::size_t i = 0; i < fractions.size(); ++i) {
    const Array &before = found[2 * i], &behind = found[2 * i + 1];
    const Array weight = in_dtype(weights[i], before.dtype());
    Array made = before;
    if (!gives_elements(options.method)) {
      const Array step = behind - before;
      // NumPy interpolates from the nearer element. Equal infinities must not give NaN.
      made = where(weight < 0.5, before + step * weight, behind - step * (1 - weight));
      made = where(before == behind, before, where(weight == 0, before, made));
    }
    made = where(weight == 1, behind, made);
    if (rows.dtype().kind() == ScalarKind::floating)
      made = where(options.ignores_nan ? squeeze(n, -1) == 0 : isnan(found.back()), std::nan(""),
                   made);
    results.push_back(made);
  }
  return results;
}

/// The weights, arranged in rows as x is.
Array weight_rows(const Array& x, const QuantileOptions& options) {
  const Array& weights = options.weights;
  if (options.method != QuantileMethod::inverted_cdf)
    throw InvalidArgument("quantile with weights by another method than inverted_cdf",
                          "pass method=\"inverted_cdf\"");
  Array all = in_dtype(weights, Scalar::float64);
  if (!std::ranges::equal(weights.shape(), x.shape())) {
    const std::uint64_t axes = axes_of(options.axes, x.layout(), "quantile");
    const int axis = std::countr_zero(axes);
    if (std::popcount(axes) != 1 || weights.rank() != 1 ||
        weights.size() != x.shape()[static_cast<std::size_t>(axis)])
      throw ShapeError("quantile: weights of shape " + shape_text(weights.shape()) +
                           " for an array of shape " + shape_text(x.shape()),
                       "there is one for each element, or for each along the one axis");
    Shape along(x.shape().size(), 1);
    along[static_cast<std::size_t>(axis)] = -1;
    all = broadcast_to(reshape(all, along), shape_of(x));
  }
  if (any(all < 0).item().as_bool())
    throw InvalidArgument("quantile: a weight below 0", "weights are 0 or more");
  QuantileOptions own = options;
  own.weights = {};
  return quantile_rows("quantile", all, own).values;
}

/// The first element of each sorted row where the sum of weights reaches the fraction q of the
/// total.
std::vector<Array> weighted_quantiles(const QuantileRows& of, const Array& weights,
                                      std::span<const double> fractions, bool ignores_nan) {
  const bool has_nans = is_inexact(of.values.dtype());
  const Array order = argsort(of.values);
  const Array rows = take_along_axis(of.values, IndexArray(order), -1);
  Array each = take_along_axis(weights, IndexArray(order), -1);
  if (has_nans && ignores_nan) each = where(isnan(rows), 0.0, each);
  const Array up_to = cumulative_sum(each, {.axes = -1});
  const Array share = up_to / up_to.at({Index::ellipsis(), Index{.start = -1}});
  const std::int64_t last = rows.shape().back() - 1;
  std::vector<Array> results;
  for (const double q : fractions) {
    // For q = 0, skip elements whose weight is 0.
    const Array is_before = q == 0 ? share == 0 : share < q;
    const Array place = minimum(count_nonzero(is_before, {.axes = -1, .keeps_axes = true}), last);
    Array made = squeeze(take_along_axis(rows, IndexArray(place), -1), -1);
    if (has_nans && !ignores_nan) made = where(any(isnan(rows), {.axes = -1}), std::nan(""), made);
    results.push_back(made);
  }
  return results;
}

}  // namespace

Array percentile(const Array& x, List<double> percentages, const QuantileOptions& options) {
  std::vector<double> fractions(percentages.begin(), percentages.end());
  for (double& fraction : fractions) fraction /= 100;
  return quantile(x, fractions, options);
}

Array quantile(const Array& x, List<double> fractions, const QuantileOptions& options) {
  if (x.dtype().kind() == ScalarKind::complex)
    throw DTypeError("quantile of " + x.dtype().name(),
                     "it takes real numbers; median() takes these");
  for (const double q : fractions)
    if (!(q >= 0 && q <= 1))
      throw InvalidArgument("quantile of q=" + std::to_string(q),
                            "fractions are from 0 to 1, and percentiles from 0 to 100");
  const QuantileRows of = quantile_rows("quantile", x, options);
  const bool has_results = std::ranges::find(of.result, 0) == of.result.end();
  if (!of.has_elements && !options.ignores_nan && has_results)
    throw IndexError("quantile of no elements (shape " + shape_text(x.shape()) + ")",
                     "pass an array with elements along the axes");
  const DType dtype =
      gives_elements(options.method) ? x.dtype() : DType(dtype_between(x.dtype(), options));
  std::vector<Array> results(fractions.size());
  if (!of.has_elements || (options.ignores_nan && x.size() == 0)) {
    std::ranges::fill(results, not_a_number(of, options));
  } else if (!fractions.empty()) {
    results = options.weights.has_value()
                  ? weighted_quantiles(of, weight_rows(x, options), fractions, options.ignores_nan)
                  : quantiles_of(of.values, fractions, options);
    for (Array& result : results) result = reshape(result, of.result);
  }
  if (!results.empty()) return stack(results);
  Shape none = of.result;
  none.insert(none.begin(), 0);
  return empty(none, dtype, {.stream = x.stream()});
}

Array median(const Array& x, const QuantileOptions& options) {
  const QuantileRows of = quantile_rows("median", x, options);
  if (!of.has_elements) return not_a_number(of, options);
  const DType dtype = is_inexact(x.dtype()) ? x.dtype() : DType(Scalar::float64);
  const Array& rows = of.values;
  const Array n = in_dtype(lengths_of(rows, options.ignores_nan), Scalar::int64);
  std::vector<Array> found =
      elements_at(rows, {maximum(floor_divide(n - 1, 2), 0), floor_divide(n, 2), last_place(rows)});
  for (Array& one : found) one = in_dtype(one, dtype);
  const Array &low = found[0], &high = found[1], &end = found[2];
  const Array odd = squeeze(remainder(n, 2), -1) == 1;
  // A sum of two halves may overflow where their mean does not.
  const bool is_half = dtype.scalar() == Scalar::float16;
  const Array total = is_half ? in_dtype(low, Scalar::float32) + high : low + high;
  Array made = where(odd, high, in_dtype(total / 2.0, dtype.scalar()));
  if (is_inexact(x.dtype()))
    made = options.ignores_nan ? where(squeeze(n, -1) == 0, std::nan(""), made)
                               : where(isnan(end), end, made);
  return reshape(made, of.result);
}

}  // namespace treadle::array
