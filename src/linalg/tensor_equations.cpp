// SPDX-License-Identifier: MIT
// Systems of equations whose unknowns lie along several axes: reshaped to matrices.
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "linalg/host_matrices.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/base/axis.hpp"
#include "treadle/base/layout.hpp"
#include "treadle/linalg/decomposition.hpp"

namespace treadle::linalg {

using array::Shape;

namespace {

/// The lengths of the first `count` axes, and of the others.
std::pair<Shape, Shape> cut(const Array& x, int count) {
  const auto place = x.shape().begin() + std::min(count, x.rank());
  return {{x.shape().begin(), place}, {place, x.shape().end()}};
}

/// The axes of an array, some of them behind the others.
std::vector<int> with_last(const Array& a, std::span<const int> axes) {
  std::vector<int> order(static_cast<std::size_t>(a.rank()));
  std::iota(order.begin(), order.end(), 0);
  for (const int axis : axes) {
    const int place = checked_axis(axis, a.rank(), "tensorsolve");
    std::erase(order, place);
    order.push_back(place);
  }
  return order;
}

Array as_square(const char* name, const Array& a, const Shape& first, const Shape& others) {
  const std::int64_t rows = element_count(first), columns = element_count(others);
  if (rows != columns)
    throw MatrixShapeError(std::string(name) + ": the axes " + shape_text(first) + " are " +
                               std::to_string(rows) + " equations for the " +
                               std::to_string(columns) + " unknowns of the axes " +
                               shape_text(others),
                           "as many equations as unknowns");
  return array::reshape(a, {rows, columns});
}

}  // namespace

Array tensorsolve(const Array& a, const Array& b, List<int> axes) {
  const Array ordered = axes.empty() ? a : array::permute_dims(a, with_last(a, axes));
  const auto [equations, unknowns] = cut(ordered, b.rank());
  const Array matrix = as_square("tensorsolve", ordered, equations, unknowns);
  return array::reshape(solve(matrix, array::ravel(b)), unknowns);
}

Array tensorinv(const Array& a, int count) {
  if (count <= 0)
    throw InvalidArgument("tensorinv: " + std::to_string(count) + " axes of equations",
                          "the inverse is that of the first axes and the others: one or more");
  const auto [equations, unknowns] = cut(a, count);
  Shape shape = unknowns;
  shape.insert(shape.end(), equations.begin(), equations.end());
  return array::reshape(inv(as_square("tensorinv", a, equations, unknowns)), shape);
}

}  // namespace treadle::linalg
