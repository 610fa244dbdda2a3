// SPDX-License-Identifier: MIT
#include "treadle/array/linear_algebra.hpp"

#include <string>

#include "treadle/array/manipulation.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/base/error.hpp"

namespace treadle::array {

Array outer(const Array& x, const Array& y) {
  return reshape(x, {x.size(), 1}) * reshape(y, {1, y.size()});
}

Array trace(const Array& x, std::int64_t offset, int axis, int other) {
  return sum(diagonal(x, offset, axis, other), {.axes = -1});
}

Array vecdot(const Array& x, const Array& y, int axis) {
  const Array product = conjugate(moveaxis(x, axis, -1)) * moveaxis(y, axis, -1);
  return sum(product, {.axes = -1, .dtype = product.dtype().scalar()});
}

Array inner(const Array& x, const Array& y) { return dot(x, y); }

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
  return is_largest ? max(sums, options) : min(sums, options);
}

}  // namespace treadle::array
