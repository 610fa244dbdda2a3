// SPDX-License-Identifier: MIT
// Products of vectors and norms of matrices, differences of neighbours and integrals, for
// treadle.numpy.
#include "treadle/array/linear_algebra.hpp"

#include <nanobind/stl/optional.h>

#include <cmath>
#include <optional>
#include <string>

#include "native/array.hpp"
#include "treadle/array/cumulative.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/base/error.hpp"

namespace treadle::bindings {
namespace {

/// NumPy's order of a norm of matrices; none: Frobenius'.
array::MatrixNorm matrix_norm_of(std::optional<double> order) {
  using array::MatrixNorm;
  if (!order) return MatrixNorm::frobenius;
  if (std::isinf(*order)) return *order > 0 ? MatrixNorm::infinity : MatrixNorm::minus_infinity;
  if (std::abs(*order) == 1) return *order > 0 ? MatrixNorm::one : MatrixNorm::minus_one;
  throw InvalidArgument("a norm of matrices with ord=" + std::to_string(*order),
                        "there are 'fro', 1, -1, inf, -inf");
}

}  // namespace

void bind_array_linear_algebra(nb::module_& m) {
  m.def("outer", recorded(&array::outer), nb::arg("x"), nb::arg("y"),
        "The products of each element of x with each of y.");
  m.def("vecdot", recorded(&array::vecdot), nb::arg("x"), nb::arg("y"), nb::arg("axis"),
        "The sum of the products along an axis, x conjugated.");
  m.def("matrix_norm",
        recorded(+[](const Array& x, std::optional<double> order, int rows, int columns,
                     bool keeps_axes) {
          return array::matrix_norm(x, matrix_norm_of(order), {rows, columns}, keeps_axes);
        }),
        nb::arg("x"), nb::arg("order").none(), nb::arg("rows"), nb::arg("columns"),
        nb::arg("keeps_axes"), "Norms of the matrices in two axes; None: Frobenius'.");
  m.def("diff", recorded(&array::diff), nb::arg("x"), nb::arg("times"), nb::arg("axis"),
        "Differences of neighbours along an axis.");
  m.def("trapezoid", recorded(+[](const Array& y, double distance, int axis) {
          return array::trapezoid(y, distance, axis);
        }),
        nb::arg("y"), nb::arg("distance"), nb::arg("axis"),
        "The integral along an axis, of places so far apart.");
  m.def("trapezoid_at", recorded(&array::trapezoid_at), nb::arg("y"), nb::arg("x"), nb::arg("axis"),
        "The integral along an axis, of the places x.");
  m.def("nanargmax", recorded(&array::nanargmax), nb::arg("x"), nb::arg("axis").none(),
        nb::arg("keeps_axes"), "Places of the greatest number that is not NaN.");
  m.def("nanargmin", recorded(&array::nanargmin), nb::arg("x"), nb::arg("axis").none(),
        nb::arg("keeps_axes"), "Places of the least number that is not NaN.");
}

}  // namespace treadle::bindings
