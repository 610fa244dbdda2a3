// SPDX-License-Identifier: MIT
#include "treadle/linalg/product.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "linalg/host_matrices.hpp"
#include "linalg/matrix_product.hpp"
#include "linalg/operands.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/elementwise.hpp"
#include "treadle/array/linear_algebra.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/base/axis.hpp"
#include "treadle/base/bfloat16.hpp"
#include "treadle/base/error.hpp"
#include "treadle/base/layout.hpp"
#include "treadle/base/promotion.hpp"
#include "treadle/linalg/decomposition.hpp"

namespace treadle::linalg {
namespace {

using array::Shape;

std::string two_shapes(const Array& x, const Array& y) {
  return "shapes " + shape_text(x.shape()) + " and " + shape_text(y.shape());
}

[[noreturn]] void refuse_lengths(const char* what, const Array& x, const Array& y, std::int64_t a,
                                 std::int64_t b) {
  throw ShapeError(std::string(what) + ": " + two_shapes(x, y) + ": " + std::to_string(a) +
                       " elements are summed over on the left and " + std::to_string(b) +
                       " on the right",
                   "transpose one of them, or reshape it");
}

/// What multiplies every element.
bool is_number(const array::Operand& x) { return x.array() == nullptr || x.array()->rank() == 0; }

/// A shape without some of its axes, counted from the end.
Shape without(Shape shape, bool last_but_one, bool last) {
  if (last) shape.pop_back();
  if (last_but_one) shape.erase(shape.end() - 1 - (last ? 0 : 1));
  return shape;
}

/// Axes before the last two of both, broadcast.
Shape broadcast_batch(const Array& x, const Array& y) {
  const Array* const operands[] = {&x, &y};
  std::vector<Layout> layouts;
  for (const Array* operand : operands) {
    Shape shape = shape_of(*operand);
    shape.resize(shape.size() - 2);
    layouts.push_back(Layout::contiguous(shape, 1));
  }
  const Layout* const both[] = {&layouts[0], &layouts[1]};
  const Layout whole = broadcast(both, 1);
  return {whole.shape().begin(), whole.shape().end()};
}

/// Two arrays with two axes or more, multiplied; the axes of 1 that the caller added are not in the
/// result.
Array multiplied(const Array& x, const Array& y, bool x_is_vector, bool y_is_vector) {
  // The host has some microseconds for a small product of two matrices, and shapes are allocated.
  if (x.rank() == 2 && y.rank() == 2 && !x_is_vector && !y_is_vector)
    return matrix_product(x, y, {x.shape()[0], y.shape()[1]});
  const Shape batch = broadcast_batch(x, y);
  const auto whole = [&](const Array& operand) {
    Shape shape = batch;
    shape.insert(shape.end(), operand.shape().end() - 2, operand.shape().end());
    return shape == shape_of(operand) ? operand : array::broadcast_to(operand, shape);
  };
  Shape shape = batch;
  shape.push_back(x.shape()[static_cast<std::size_t>(x.rank()) - 2]);
  shape.push_back(y.shape().back());
  return matrix_product(whole(x), whole(y), without(std::move(shape), x_is_vector, y_is_vector));
}

bool has_bfloat16(std::initializer_list<const Array*> operands) {
  return std::ranges::any_of(operands, [](const Array* x) { return is_bfloat16(x->dtype()); });
}
/// A product with sums in float32; of two factors of bfloat16 rounded to that at last.
template <class Product>
Array of_bfloat16(Product product, const Array& x, const Array& y) {
  const auto wide = [](const Array& factor) {
    return is_bfloat16(factor.dtype()) ? array::cast(factor, Scalar::float32) : factor;
  };
  const Array made = product(wide(x), wide(y));
  return is_bfloat16(x.dtype()) && is_bfloat16(y.dtype()) ? array::cast(made, bfloat16_dtype())
                                                          : made;
}

void require_axes(const char* what, const Array& x, int least, const char* which) {
  if (x.rank() < least)
    throw ShapeError(std::string(what) + ": the " + which + " operand has shape " +
                         shape_text(x.shape()) + ", and at least " + std::to_string(least) +
                         (least == 1 ? " axis is" : " axes are") + " multiplied",
                     least == 1 ? "multiply by a number with *" : "add axes of length 1");
}

/// A product along the last axis of x and the axis `axis` of y by reshaping both to matrices.
Array contracted(const char* what, const Array& x, const Array& y, std::vector<int> axes,
                 std::vector<int> others) {
  const auto normal = [&](std::vector<int>& list, const Array& operand) {
    for (int& axis : list) axis = checked_axis(axis, operand.rank(), what);
  };
  normal(axes, x);
  normal(others, y);
  if (axes.size() != others.size())
    throw ShapeError(std::string(what) + ": " + std::to_string(axes.size()) + " axes of one and " +
                         std::to_string(others.size()) + " of the other",
                     "axes are summed over in pairs");
  std::int64_t length = 1;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::int64_t a = x.shape()[static_cast<std::size_t>(axes[i])];
    const std::int64_t b = y.shape()[static_cast<std::size_t>(others[i])];
    if (a != b) refuse_lengths(what, x, y, a, b);
    length *= a;
  }
  const auto rest = [](const Array& operand, const std::vector<int>& used) {
    std::vector<int> left;
    for (int axis = 0; axis < operand.rank(); ++axis)
      if (std::ranges::find(used, axis) == used.end()) left.push_back(axis);
    return left;
  };
  const std::vector<int> x_rest = rest(x, axes), y_rest = rest(y, others);
  std::vector<int> x_order = x_rest, y_order = others;
  x_order.insert(x_order.end(), axes.begin(), axes.end());
  y_order.insert(y_order.end(), y_rest.begin(), y_rest.end());
  Shape shape;
  std::int64_t rows = 1, columns = 1;
  for (const int axis : x_rest) {
    shape.push_back(x.shape()[static_cast<std::size_t>(axis)]);
    rows *= shape.back();
  }
  for (const int axis : y_rest) {
    shape.push_back(y.shape()[static_cast<std::size_t>(axis)]);
    columns *= shape.back();
  }
  const auto in_order = [](const Array& operand, const std::vector<int>& order) {
    return std::ranges::is_sorted(order) ? operand : array::permute_dims(operand, order);
  };
  return matrix_product(array::reshape(in_order(x, x_order), {rows, length}),
                        array::reshape(in_order(y, y_order), {length, columns}), shape);
}

}  // namespace

Array matmul(const Array& x, const Array& y) {
  if (has_bfloat16({&x, &y})) return of_bfloat16(matmul, x, y);
  require_axes("matmul", x, 1, "first");
  require_axes("matmul", y, 1, "second");
  const Scalar dtype = promote(x.dtype().scalar(), y.dtype().scalar());
  const bool x_is_vector = x.rank() == 1, y_is_vector = y.rank() == 1;
  const std::int64_t a = x.shape().back();
  const std::int64_t b = y.shape()[static_cast<std::size_t>(std::max(y.rank() - 2, 0))];
  if (a != b) refuse_lengths("matmul", x, y, a, b);
  // The product of two vectors is a sum, and takes pending operands into its kernel.
  if (x_is_vector && y_is_vector) return array::dot_of_vectors(x, y);
  const Array left = in_dtype(x, dtype), right = in_dtype(y, dtype);
  return multiplied(x_is_vector ? array::expand_dims(left, 0) : left,
                    y_is_vector ? array::expand_dims(right, 1) : right, x_is_vector, y_is_vector);
}

Array dot(const array::Operand& first, const array::Operand& second) {
  if (is_number(first) || is_number(second)) return array::multiply(first, second);
  const Array &x = *first.array(), &y = *second.array();
  if (has_bfloat16({&x, &y}))
    return of_bfloat16([](const Array& left, const Array& right) { return dot(left, right); }, x,
                       y);
  if (x.rank() == 1 && y.rank() == 1) return array::dot_of_vectors(x, y);
  if (x.rank() <= 2 && y.rank() <= 2) {
    const std::int64_t a = x.shape().back();
    const std::int64_t b = y.shape()[static_cast<std::size_t>(std::max(y.rank() - 2, 0))];
    if (a != b) refuse_lengths("dot", x, y, a, b);
    return matmul(x, y);
  }
  const Scalar dtype = promote(x.dtype().scalar(), y.dtype().scalar());
  return contracted("dot", in_dtype(x, dtype), in_dtype(y, dtype), {-1},
                    {y.rank() == 1 ? 0 : y.rank() - 2});
}

Array inner(const array::Operand& first, const array::Operand& second) {
  if (is_number(first) || is_number(second)) return array::multiply(first, second);
  const Array &x = *first.array(), &y = *second.array();
  if (has_bfloat16({&x, &y}))
    return of_bfloat16([](const Array& left, const Array& right) { return inner(left, right); }, x,
                       y);
  if (x.rank() == 1 && y.rank() == 1) return array::dot_of_vectors(x, y);
  const Scalar dtype = promote(x.dtype().scalar(), y.dtype().scalar());
  return contracted("inner", in_dtype(x, dtype), in_dtype(y, dtype), {-1}, {-1});
}

Array matvec(const Array& x, const Array& vectors) {
  if (has_bfloat16({&x, &vectors})) return of_bfloat16(matvec, x, vectors);
  require_axes("matvec", x, 2, "first");
  require_axes("matvec", vectors, 1, "second");
  const std::int64_t a = x.shape().back(), b = vectors.shape().back();
  if (a != b) refuse_lengths("matvec", x, vectors, a, b);
  const Scalar dtype = promote(x.dtype().scalar(), vectors.dtype().scalar());
  return multiplied(in_dtype(x, dtype), array::expand_dims(in_dtype(vectors, dtype), -1), false,
                    true);
}

Array vecmat(const Array& vectors, const Array& x) {
  if (has_bfloat16({&vectors, &x})) return of_bfloat16(vecmat, vectors, x);
  require_axes("vecmat", vectors, 1, "first");
  require_axes("vecmat", x, 2, "second");
  const std::int64_t a = vectors.shape().back();
  const std::int64_t b = x.shape()[static_cast<std::size_t>(x.rank()) - 2];
  if (a != b) refuse_lengths("vecmat", vectors, x, a, b);
  const Scalar dtype = promote(x.dtype().scalar(), vectors.dtype().scalar());
  Array left = in_dtype(vectors, dtype);
  if (left.dtype().kind() == ScalarKind::complex) left = array::conjugate(left);
  return multiplied(array::expand_dims(left, -2), in_dtype(x, dtype), true, false);
}

Array tensordot(const Array& x, const Array& y, List<int> axes, List<int> others) {
  if (has_bfloat16({&x, &y}))
    return of_bfloat16(
        [&](const Array& left, const Array& right) { return tensordot(left, right, axes, others); },
        x, y);
  const Scalar dtype = promote(x.dtype().scalar(), y.dtype().scalar());
  return contracted("tensordot", in_dtype(x, dtype), in_dtype(y, dtype), {axes.begin(), axes.end()},
                    {others.begin(), others.end()});
}

Array tensordot(const Array& x, const Array& y, int count) {
  if (count < 0 || count > x.rank() || count > y.rank())
    throw ShapeError("tensordot: axes=" + std::to_string(count) + " of " + two_shapes(x, y),
                     "it is at most the number of axes of both");
  std::vector<int> axes(static_cast<std::size_t>(count)), others(axes.size());
  std::iota(axes.begin(), axes.end(), x.rank() - count);
  std::iota(others.begin(), others.end(), 0);
  return tensordot(x, y, axes, others);
}

Array matrix_power(const Array& x, std::int64_t n) {
  require_squares("matrix_power", x);
  const std::int64_t rows = x.shape().back();
  if (n == std::numeric_limits<std::int64_t>::min())
    throw InvalidArgument("matrix_power: n=" + std::to_string(n), "it is above -2**63");
  if (n < 0) return matrix_power(inv(x), -n);
  if (n == 0) {
    const Array one = array::eye(rows, rows, 0, x.dtype().scalar(), {.stream = x.stream()});
    return array::copy(array::broadcast_to(one, shape_of(x)));
  }
  // By squares: the product of those whose digits of n are 1.
  Array square = x, power;
  for (; n != 0; n /= 2) {
    if (n % 2 != 0) power = power.has_value() ? matmul(power, square) : square;
    if (n > 1) square = matmul(square, square);
  }
  return power;
}

namespace {

/// The order that takes the fewest multiplications: best[i][j] is where the product of matrices i
/// to j is cut (the textbook's dynamic programme).
class Chain {
 public:
  explicit Chain(const std::vector<Array>& matrices) : matrices_(matrices) {
    const std::size_t count = matrices.size();
    cuts_.assign(count, std::vector<std::size_t>(count));
    std::vector<std::vector<double>> cost(count, std::vector<double>(count));
    const auto length = [&](std::size_t i) {
      return static_cast<double>(i < count ? matrices[i].shape()[0] : matrices[i - 1].shape()[1]);
    };
    for (std::size_t span = 1; span < count; ++span)
      for (std::size_t i = 0; i + span < count; ++i) {
        const std::size_t j = i + span;
        cost[i][j] = std::numeric_limits<double>::infinity();
        for (std::size_t cut = i; cut < j; ++cut) {
          const double all =
              cost[i][cut] + cost[cut + 1][j] + length(i) * length(cut + 1) * length(j + 1);
          if (all < cost[i][j]) cost[i][j] = all, cuts_[i][j] = cut;
        }
      }
  }
  Array product(std::size_t first, std::size_t last) const {
    if (first == last) return matrices_[first];
    const std::size_t cut = cuts_[first][last];
    return matmul(product(first, cut), product(cut + 1, last));
  }

 private:
  const std::vector<Array>& matrices_;
  std::vector<std::vector<std::size_t>> cuts_;
};

}  // namespace

Array multi_dot(List<Array> matrices) {
  if (matrices.size() < 2)
    throw InvalidArgument("multi_dot of " + std::to_string(matrices.size()) + " arrays",
                          "pass two or more");
  std::vector<Array> all(matrices.begin(), matrices.end());
  const bool begins_with_vector = all.front().rank() == 1,
             ends_with_vector = all.back().rank() == 1;
  if (begins_with_vector) all.front() = array::expand_dims(all.front(), 0);
  if (ends_with_vector) all.back() = array::expand_dims(all.back(), 1);
  for (const Array& x : all)
    if (x.rank() != 2)
      throw MatrixShapeError("multi_dot: an array of shape " + shape_text(x.shape()),
                             "matrices have two axes; the first and the last may be vectors");
  for (std::size_t i = 0; i + 1 < all.size(); ++i)
    if (all[i].shape()[1] != all[i + 1].shape()[0])
      refuse_lengths("multi_dot", all[i], all[i + 1], all[i].shape()[1], all[i + 1].shape()[0]);
  const Array product = Chain(all).product(0, all.size() - 1);
  Shape shape = without(shape_of(product), begins_with_vector, ends_with_vector);
  return shape == shape_of(product) ? product : array::reshape(product, shape);
}

}  // namespace treadle::linalg
