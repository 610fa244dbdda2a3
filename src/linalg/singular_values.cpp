// SPDX-License-Identifier: MIT
#include "treadle/linalg/singular_values.hpp"

#include <algorithm>
#include <limits>

#include "linalg/host_matrices.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/base/axis.hpp"
#include "treadle/base/layout.hpp"
#include "treadle/linalg/decomposition.hpp"
#include "treadle/linalg/product.hpp"

namespace treadle::linalg {
namespace {

/// A number, or one for each matrix, beside the singular values s.
Array for_each_matrix(const array::Operand& number, const Array& s) {
  const Scalar dtype = s.dtype().scalar();
  if (number.array() == nullptr)
    return array::full({1}, number.number(), dtype, {.stream = s.stream()});
  return array::expand_dims(in_dtype(*number.array(), dtype), -1);
}

/// What singular values of `x` must exceed to count.
Array least_counting(const Array& x, const Array& s,
                     const std::optional<array::Operand>& relative) {
  const Array largest = array::max(s, {.axes = -1, .keeps_axes = true, .initial = 0.0});
  if (relative) return largest * for_each_matrix(*relative, s);
  const double precision = s.dtype() == DType(Scalar::float32)
                               ? static_cast<double>(std::numeric_limits<float>::epsilon())
                               : std::numeric_limits<double>::epsilon();
  const std::int64_t side = std::max(*(x.shape().end() - 2), x.shape().back());
  return largest * (precision * static_cast<double>(side));
}

Array of_matrices(const Array& number) {
  return array::expand_dims(array::expand_dims(number, -1), -1);
}

/// The inverse, of NaN for singular matrices.
Array inverse_or_nan(const Array& x) {
  try {
    return inv(x);
  } catch (const LinAlgError&) {
    const Array sign = array::absolute(slogdet(x).sign);
    const Array is_singular = of_matrices(~(sign > 0));  // or it has NaN
    const Array ones =
        array::identity(x.shape().back(), x.dtype().scalar(), {.stream = x.stream()});
    const Array inverse = inv(array::where(is_singular, ones, x));
    return array::where(is_singular, std::numeric_limits<double>::quiet_NaN(), inverse);
  }
}

}  // namespace

Array svdvals(const Array& a) { return svd(a, false, false).s; }

Array pinv(const Array& a, const std::optional<array::Operand>& relative) {
  require_matrices("pinv", a);
  const auto adjoint = [](const Array& x) { return array::conjugate(array::swapaxes(x, -1, -2)); };
  if (a.size() == 0) return array::copy(array::swapaxes(a, -1, -2));
  const Svd parts = svd(a, false);
  const Array counts = parts.s > least_counting(a, parts.s, relative);
  const Array inverse = array::where(counts, 1 / array::where(counts, parts.s, 1), 0);
  return matmul(adjoint(parts.vh), adjoint(parts.u) * array::expand_dims(inverse, -1));
}

Array matrix_rank(const Array& a, const RankLimit& limit) {
  if (a.rank() < 2) return array::cast(array::any(array::not_equal(a, 0)), Scalar::int64);
  const Array s = svdvals(a);
  const Array least =
      limit.absolute ? for_each_matrix(*limit.absolute, s) : least_counting(a, s, limit.relative);
  return array::count_nonzero(s > least, {.axes = -1});
}

Array matrix_norm(const Array& x, Norm norm, std::pair<int, int> axes, bool keeps_axes) {
  if (const auto* of_elements = std::get_if<array::MatrixNorm>(&norm))
    return array::matrix_norm(x, *of_elements, axes, keeps_axes);
  const int from[] = {axes.first, axes.second}, to[] = {-2, -1};
  const Array s = svdvals(array::moveaxis(x, from, to));
  const array::ReduceOptions options{.axes = -1};
  Array found;
  switch (std::get<SpectralNorm>(norm)) {
    case SpectralNorm::largest:
      found = array::max(s, {.axes = -1, .initial = 0.0});
      break;
    case SpectralNorm::smallest:
      found = array::min(s, options);
      break;
    case SpectralNorm::nuclear:
      found = array::sum(s, options);
  }
  if (!keeps_axes) return found;
  array::Shape shape = shape_of(x);
  for (const int axis : from)
    shape[static_cast<std::size_t>(checked_axis(axis, x.rank(), "norm"))] = 1;
  return array::reshape(found, shape);
}

Array cond(const Array& x, Norm norm) {
  require_matrices("cond", x);
  const std::int64_t rows = *(x.shape().end() - 2), columns = x.shape().back();
  if (rows == 0 || columns == 0)
    throw LinAlgError("cond of matrices without elements: their shape is " + shape_text(x.shape()),
                      "a condition number is that of a matrix with rows and columns");
  Array found;
  if (const auto* spectral = std::get_if<SpectralNorm>(&norm)) {
    if (*spectral == SpectralNorm::nuclear) require_squares("cond", x);
    const Array s = svdvals(x);
    const auto value = [&](std::int64_t place) {
      return s.at({Index::ellipsis(), Index::at(place)});
    };
    switch (*spectral) {
      case SpectralNorm::largest:
        found = value(0) / value(-1);
        break;
      case SpectralNorm::smallest:
        found = value(-1) / value(0);
        break;
      case SpectralNorm::nuclear:
        found = array::sum(s, {.axes = -1}) * array::sum(1 / s, {.axes = -1});
    }
  } else {
    found = matrix_norm(x, norm) * matrix_norm(inverse_or_nan(x), norm);
  }
  // Of a singular matrix it is infinite: of zeros, too, where it is 0 / 0.
  const Array has_nan = array::any(array::isnan(x), {.axes = {-2, -1}});
  return array::where(~has_nan & array::isnan(found), std::numeric_limits<double>::infinity(),
                      found);
}

}  // namespace treadle::linalg
