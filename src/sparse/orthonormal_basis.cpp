// SPDX-License-Identifier: MIT
#include "sparse/orthonormal_basis.hpp"

#include "sparse/iteration.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/joining.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/linalg/product.hpp"

namespace treadle::sparse {
namespace {

bool is_complex(const Array& x) { return x.dtype().kind() == ScalarKind::complex; }

}  // namespace

OrthonormalBasis::OrthonormalBasis(const Array& first, std::int64_t count)
    : rows_(
          array::zeros({count, first.size()}, first.dtype().scalar(), {.stream = first.stream()})) {
  rows_.at({Index::at(0)}).assign(first / norm_of(first));
}

Array OrthonormalBasis::projected(const Array& rows, const Array& w) const {
  if (!is_complex(w)) return linalg::matmul(rows, w);
  return conjugate(linalg::matmul(rows, conjugate(w)));
}

OrthonormalBasis::Step OrthonormalBasis::add(const Array& w) {
  const Array rows = rows_.at({Index{.stop = size_}});
  const Array size = norm_of(w);
  const Array first = projected(rows, w);
  const Array once = w - linalg::matmul(first, rows);
  const Array second = projected(rows, once);
  const Array twice = once - linalg::matmul(second, rows);
  const Array left = norm_of(twice);
  const Array is_something = left > least * precision_of(w.dtype()) * size;
  rows_.at({Index::at(size_)}).assign(where(is_something, twice / left, 0));
  ++size_;
  const Array last[] = {first + second, array::reshape(array::in_dtype(left, w.dtype()), {1}),
                        array::reshape(array::in_dtype(size, w.dtype()), {1})};
  return {array::concatenate(last)};
}

Array OrthonormalBasis::combined(const std::vector<std::complex<double>>& weights) const {
  const auto count = static_cast<std::int64_t>(weights.size());
  const array::Placement here{.stream = rows_.stream()};
  Array factors = Array::from(weights.data(), {count}, Scalar::complex128, here);
  if (!is_complex(rows_)) factors = array::real_part(factors);
  return linalg::matmul(array::in_dtype(factors, rows_.dtype()), rows_.at({Index{.stop = count}}));
}

Array OrthonormalBasis::sums(const std::vector<double>& weights, std::int64_t count,
                             std::int64_t width) const {
  const array::Placement here{.stream = rows_.stream()};
  const Array factors = Array::from(weights.data(), {count, width}, Scalar::float64, here);
  return linalg::matmul(array::in_dtype(factors, rows_.dtype()), rows_.at({Index{.stop = width}}));
}

void OrthonormalBasis::recombine(const std::vector<double>& weights, std::int64_t count) {
  const Array last = array::copy(vector(size_ - 1)), made = sums(weights, count, size_ - 1);
  array::evaluate({last, made});
  rows_.at({Index{.stop = count}}).assign(made);
  rows_.at({Index::at(count)}).assign(last);
  size_ = count + 1;
}

}  // namespace treadle::sparse
