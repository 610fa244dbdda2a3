// SPDX-License-Identifier: MIT
#include "treadle/sparse/matrix_functions.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "sparse/entries.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/base/error.hpp"

namespace treadle::sparse {

Bandwidths bandwidths(const CsrMatrix& a) {
  if (a.entries() == 0) return {0, 0};
  const Array offsets = in_dtype(a.indices(), Scalar::int64) - a.rows();
  const Array least = array::min(offsets), most = array::max(offsets);
  return {std::max<std::int64_t>(0, -integer_of(least)),
          std::max<std::int64_t>(0, integer_of(most))};
}

Array matrix_norm(const CsrMatrix& a, array::MatrixNorm norm) {
  using array::MatrixNorm;
  const CsrMatrix matrix = a.canonical();
  const Array values = as_numbers(matrix.data());
  if (norm == MatrixNorm::frobenius) return array::norm(values);
  const bool of_columns = norm == MatrixNorm::one || norm == MatrixNorm::minus_one;
  const Array sums = matrix.with_data(absolute(values)).sum(of_columns ? 0 : 1);
  if (sums.size() == 0) return array::zeros({}, sums.dtype().scalar(), {.stream = a.stream()});
  return norm == MatrixNorm::one || norm == MatrixNorm::infinity ? array::max(sums)
                                                                 : array::min(sums);
}

CsrMatrix matrix_power(const CsrMatrix& a, std::int64_t power) {
  const std::int64_t rows = a.size().rows;
  if (rows != a.size().columns)
    throw ShapeError("matrix_power() of a matrix of " + text_of(a.size()), "pass a square one");
  if (power < 0)
    throw InvalidArgument("matrix_power() of " + std::to_string(power), "pass 0 or more");
  if (power == 0) {
    const Array places = numbers(rows, a.data());
    return CsrMatrix::assembled(stored_as(array::ones({rows}, as_numbers(a.data()).dtype().scalar(),
                                                      {.stream = a.stream()}),
                                          a.dtype()),
                                places, places, a.size());
  }
  CsrMatrix square = a;
  std::optional<CsrMatrix> made;
  for (; power != 0; power /= 2) {
    if (power % 2 != 0) made = made ? made->multiply(square) : square;
    if (power > 1) square = square.multiply(square);
  }
  return *made;
}

}  // namespace treadle::sparse
