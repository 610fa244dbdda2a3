// SPDX-License-Identifier: MIT
#include "treadle/array/linear_algebra.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "array/record.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/elementwise.hpp"
#include "treadle/array/joining.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/base/axis.hpp"
#include "treadle/base/error.hpp"

namespace treadle::array {
namespace {

/// One component of each vector; vectors lie along the last axis.
Array component(const Array& vectors, std::int64_t number) {
  return vectors.at({Index::ellipsis(), Index::at(number)});
}

void require_vectors(const Array& x, const Array& vectors) {
  const std::int64_t length = vectors.rank() == 0 ? 0 : vectors.shape().back();
  if (length != 2 && length != 3)
    throw ShapeError("cross: vectors of an array of shape " + shape_text(x.shape()),
                     "vectors have 2 or 3 elements, along the last axis or the one that is named");
}

/// The extents with leading axes of length 1, and one such axis before (or behind) each extent.
Shape interleaved(const Array& x, int rank, bool is_behind) {
  Shape shape;
  for (int axis = 0; axis < rank; ++axis) {
    const int own = axis - (rank - x.rank());
    const std::int64_t extent = own < 0 ? 1 : x.shape()[static_cast<std::size_t>(own)];
    shape.insert(shape.end(), {is_behind ? extent : 1, is_behind ? 1 : extent});
  }
  return shape;
}

void require_weights(const char* name, const Array* weights, std::int64_t count) {
  if (weights != nullptr && (weights->rank() != 1 || weights->size() != count))
    throw ShapeError(std::string("covariance: ") + name + " of shape " +
                         shape_text(weights->shape()) + " for " + std::to_string(count) +
                         " observations",
                     "there is one for each observation");
}

}  // namespace

Array cross(const Array& x, const Array& y, CrossAxes axes) {
  const Array a = x.rank() == 0 ? x : moveaxis(x, checked_axis(axes.of_x, x.rank(), "axisa"), -1);
  const Array b = y.rank() == 0 ? y : moveaxis(y, checked_axis(axes.of_y, y.rank(), "axisb"), -1);
  require_vectors(x, a);
  require_vectors(y, b);
  const bool is_flat_a = a.shape().back() == 2, is_flat_b = b.shape().back() == 2;
  const Array a0 = component(a, 0), a1 = component(a, 1);
  const Array b0 = component(b, 0), b1 = component(b, 1);
  const Array third = a0 * b1 - a1 * b0;
  if (is_flat_a && is_flat_b) return third;
  // The third component of a vector in the plane is 0.
  Array parts[3];
  parts[2] = third;
  if (is_flat_a) {
    const Array b2 = component(b, 2);
    parts[0] = a1 * b2, parts[1] = -(a0 * b2);
  } else if (is_flat_b) {
    const Array a2 = component(a, 2);
    parts[0] = -(a2 * b1), parts[1] = a2 * b0;
  } else {
    const Array a2 = component(a, 2), b2 = component(b, 2);
    parts[0] = a1 * b2 - a2 * b1, parts[1] = a2 * b0 - a0 * b2;
  }
  const Array vectors = stack(parts, -1);
  return moveaxis(vectors, -1, checked_axis(axes.of_result, vectors.rank(), "axisc"));
}

Array kron(const Array& x, const Array& y) {
  const int rank = std::max(x.rank(), y.rank());
  const Shape outer_shape = interleaved(x, rank, true), inner_shape = interleaved(y, rank, false);
  Shape shape;
  for (std::size_t i = 0; i < outer_shape.size(); i += 2)
    shape.push_back(outer_shape[i] * inner_shape[i + 1]);
  return reshape(reshape(x, outer_shape) * reshape(y, inner_shape), shape);
}

Array vander(const Array& x, std::int64_t n, bool is_increasing) {
  if (x.rank() != 1)
    throw ShapeError("vander: an array of shape " + shape_text(x.shape()), "it takes one axis");
  if (n < 0) throw InvalidArgument("vander: n=" + std::to_string(n), "it is 0 or more");
  const Array powers = arange(0, n, 1, Scalar::int64, {.stream = x.stream()});
  return power(expand_dims(x, 1), is_increasing ? powers : flip(powers, 0));
}

Array covariance(const Array& x, const CovarianceOptions& options) {
  if (x.rank() > 2)
    throw ShapeError("covariance: an array of shape " + shape_text(x.shape()),
                     "it has at most two axes: variables and observations");
  Array variables = in_dtype(atleast_2d(x), options.dtype);
  if (!options.has_rows && x.rank() == 2) variables = transpose(variables);
  const std::int64_t count = variables.shape()[1];
  require_weights("counts", options.counts, count);
  require_weights("weights", options.weights, count);
  std::optional<Array> weights;
  if (options.counts != nullptr) weights = in_dtype(*options.counts, Scalar::float64);
  if (options.weights != nullptr) {
    const Array given = in_dtype(*options.weights, Scalar::float64);
    weights = weights ? *weights * given : given;
  }
  double divisor = static_cast<double>(count) - options.correction;
  Array mean_of_each;
  if (weights) {
    const double total = sum(*weights).item().as_double();
    // Observation weights that are not counts also weight the correction.
    const double squares =
        options.weights == nullptr
            ? total
            : sum(*weights * in_dtype(*options.weights, Scalar::float64)).item().as_double();
    divisor = total - options.correction * squares / total;
    mean_of_each = sum(variables * *weights, {.axes = 1, .keeps_axes = true}) / total;
  } else {
    mean_of_each = mean(variables, {.axes = 1, .keeps_axes = true});
  }
  const Array distances = variables - mean_of_each;
  const Array others = conjugate(weights ? distances * *weights : distances);
  const Array products = expand_dims(distances, 1) * expand_dims(others, 0);
  const Array sums = sum(products, {.axes = 2, .dtype = products.dtype().scalar()});
  return squeeze(sums * (1 / std::max(divisor, 0.0)));
}

Array correlation(const Array& x, const CovarianceOptions& options) {
  const Array c = covariance(x, options);
  if (c.rank() == 0) return c / c;
  const Array deviations = sqrt(real(diagonal(c)));
  const Array scaled = c / expand_dims(deviations, 1) / expand_dims(deviations, 0);
  const auto limited = [](const Array& part) { return clip(part, -1.0, 1.0); };
  if (scaled.dtype().kind() != ScalarKind::complex) return limited(scaled);
  return make_complex(limited(real(scaled)), limited(imag(scaled)));
}

Array outer(const Array& x, const Array& y) {
  return reshape(x, {x.size(), 1}) * reshape(y, {1, y.size()});
}

Array trace(const Array& x, std::int64_t offset, int axis, int other) {
  return sum(diagonal(x, offset, axis, other), {.axes = -1});
}

Array vecdot(const Array& x, const Array& y, int axis) {
  const Array first = moveaxis(x, axis, -1);
  const bool is_complex = x.dtype().kind() == ScalarKind::complex;  // of bool, conjugate() is int8
  const Array product = (is_complex ? conjugate(first) : first) * moveaxis(y, axis, -1);
  return sum(product, {.axes = -1, .dtype = product.dtype().scalar()});
}

Array matrix_norm(const Array& x, MatrixNorm norm, bool keeps_axes) {
  if (x.rank() < 2)
    throw ShapeError("matrix_norm: an array of " + std::to_string(x.rank()) + " axes",
                     "matrices are the last two axes");
  return matrix_norm(x, norm, {-2, -1}, keeps_axes);
}

Array matrix_norm(const Array& x, MatrixNorm norm, std::pair<int, int> axes, bool keeps_axes) {
  const auto [rows, columns] = axes;
  const ReduceOptions options{.axes = {rows, columns}, .keeps_axes = keeps_axes};
  if (norm == MatrixNorm::frobenius) return array::norm(x, options);
  const bool of_columns = norm == MatrixNorm::one || norm == MatrixNorm::minus_one;
  const bool is_largest = norm == MatrixNorm::one || norm == MatrixNorm::infinity;
  const Array sums = vector_norm(x, 1, {.axes = of_columns ? rows : columns, .keeps_axes = true});
  if (!is_largest) return min(sums, options);
  ReduceOptions largest = options;
  if (sums.size() == 0) largest.initial = 0.0;  // the norm of no elements is 0
  return max(sums, largest);
}

}  // namespace treadle::array
