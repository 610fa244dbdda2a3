// SPDX-License-Identifier: MIT
// Products of vectors, differences of neighbours and integrals, for
// treadle.numpy.
#include "treadle/array/linear_algebra.hpp"

#include <nanobind/stl/optional.h>

#include "native/array.hpp"
#include "treadle/array/cumulative.hpp"
#include "treadle/array/reduction.hpp"

namespace treadle::bindings {

void bind_array_linear_algebra(nb::module_& m) {
  m.def("outer", recorded(&array::outer), nb::arg("x"), nb::arg("y"),
        "The products of each element of x with each of y.");
  m.def("vecdot", recorded(&array::vecdot), nb::arg("x"), nb::arg("y"), nb::arg("axis"),
        "The sum of the products along an axis, x conjugated.");
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
