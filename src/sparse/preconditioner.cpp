// SPDX-License-Identifier: MIT
#include "treadle/sparse/preconditioner.hpp"

#include <string>

#include "sparse/iteration.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/evaluate.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/padding.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/array/scan.hpp"
#include "treadle/array/selection.hpp"
#include "treadle/base/error.hpp"
#include "treadle/linalg/decomposition.hpp"
#include "treadle/linalg/product.hpp"

namespace treadle::sparse {
namespace {

void require_square(const CsrMatrix& matrix) {
  const MatrixSize size = matrix.size();
  if (size.rows != size.columns)
    throw ShapeError("a preconditioner of a matrix of " + std::to_string(size.rows) + " x " +
                         std::to_string(size.columns),
                     "pass a square one");
}

Array inverse_diagonal(const CsrMatrix& matrix) {
  require_square(matrix);
  const Array diagonal = matrix.diagonal(), made = 1 / diagonal;
  if (diagonal.size() > 0 && !array::all(not_equal(diagonal, 0)).item().as_bool())
    throw InvalidArgument("a preconditioner of a matrix with 0 on its diagonal",
                          "take another one, or none");
  array::evaluate({made});
  return made;
}

}  // namespace

LinearOperator jacobi(const CsrMatrix& matrix) {
  return LinearOperator::diagonal(inverse_diagonal(matrix));
}

LinearOperator block_jacobi(const CsrMatrix& matrix, std::int64_t block) {
  require_square(matrix);
  const std::int64_t size = matrix.size().rows;
  if (block < 1)
    throw InvalidArgument("blocks of " + std::to_string(block) + " rows", "pass 1 or more");
  const std::int64_t count = (size + block - 1) / block, whole = count * block;
  if (size == 0) return LinearOperator::identity(0, matrix.data().dtype().scalar());
  const Array rows = matrix.rows(), columns = array::in_dtype(matrix.indices(), Scalar::int64);
  const Array is_inside = equal(floor_divide(rows, block), floor_divide(columns, block));
  const Array row = array::selected(rows, is_inside), column = array::selected(columns, is_inside);
  const Scalar dtype = matrix.data().dtype().scalar();
  const Array blocks =
      array::zeros({count, block, block}, dtype, {.stream = matrix.data().stream()});
  if (row.size() > 0)
    array::combine_at(blocks, row * block + remainder(column, block),
                      array::selected(matrix.data(), is_inside));
  if (whole > size) {  // the last block ends with ones
    const Array last = array::arange(size, whole, 1, Scalar::int64, {.stream = row.stream()});
    array::combine_at(blocks, last * block + remainder(last, block),
                      array::ones({whole - size}, dtype, {.stream = row.stream()}));
  }
  const Array inverse = linalg::inv(blocks);
  const auto apply_with = [=](const Array& factor) {
    return [=](const Array& x) {
      const std::int64_t width = x.rank() == 1 ? 1 : x.shape()[1];
      const Array flat = array::reshape(x, {size, width});
      const std::pair<std::int64_t, std::int64_t> widths[] = {{0, whole - size}, {0, 0}};
      const Array padded = whole == size ? flat : array::pad(flat, widths);
      const Array made = linalg::matmul(factor, array::reshape(padded, {count, block, width}));
      const Array rows_of = array::reshape(made, {whole, width}).at({Index{.stop = size}});
      return x.rank() == 1 ? array::ravel(rows_of) : rows_of;
    };
  };
  return {apply_with(inverse), matrix.size(), inverse.dtype().scalar(),
          apply_with(conjugate(array::matrix_transpose(inverse)))};
}

LinearOperator chebyshev(const CsrMatrix& matrix, int degree, double ratio) {
  if (degree < 1 || !(ratio > 0 && ratio < 1))
    throw InvalidArgument("Chebyshev's iteration of degree " + std::to_string(degree) +
                              " with ratio " + std::to_string(ratio),
                          "pass a degree of 1 or more, and a ratio between 0 and 1");
  const Array factor = inverse_diagonal(matrix);
  const Array sums = array::segmented_reduce(absolute(matrix.data()), matrix.offsets());
  const double bound =
      factor.size() == 0 ? 1 : reals_of(array::max(sums * absolute(factor))).front();
  const double centre = bound * (1 + ratio) / 2, half = bound * (1 - ratio) / 2;
  const LinearOperator scale = LinearOperator::diagonal(factor);
  const auto apply = [=](const Array& r) {
    // x and its residual, both scaled; Saad, Iterative methods, algorithm 12.1.
    const double sigma = centre / half;
    double rho = 1 / sigma;
    Array direction = scale.apply(r) / centre, x = direction;
    for (int step = 1; step < degree; ++step) {
      const Array residual = scale.apply(r - matrix.multiply(x));
      const double next = 1 / (2 * sigma - rho);
      direction = (rho * next) * direction + (2 * next / half) * residual;
      x = x + direction;
      rho = next;
    }
    return x;
  };
  return {apply, matrix.size(), factor.dtype().scalar()};
}

}  // namespace treadle::sparse
