// SPDX-License-Identifier: MIT
// Methods of NumPy's arrays that treadle.numpy also has as functions.
#include <nanobind/stl/string.h>

#include <string>
#include <utility>

#include "errors.hpp"
#include "native/array.hpp"
#include "treadle/array/elementwise.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/base/error.hpp"

namespace treadle::bindings {

nb::object result_in(nb::handle out, Array result, array::OutShape shape) {
  const Array target = out_array(out);
  if (!target.has_value()) return array_object(std::move(result));
  array::write_into(target, result, shape);
  return nb::borrow(out);
}

void bind_array_numpy_methods(nb::class_<Array>& type) {
  for (const char* name : {"conj", "conjugate"})
    type.def(
        name,
        [name](nb::handle self) {
          const Array* found = as_array(self.ptr());
          if (found == nullptr)
            raise_python(PyExc_TypeError, std::string(name) + "() of a " +
                                              Py_TYPE(self.ptr())->tp_name +
                                              ": it is a method of arrays");
          const Array own = *found;
          if (own.dtype().kind() != ScalarKind::complex) return nb::borrow(self);
          note_launch_site();
          return array_object(array::conjugate(own));
        },
        nb::sig((std::string("def ") + name + "(self) -> Array").c_str()),
        "The elements with the sign of the imaginary part changed; of real ones the array itself.");
  type.def("round", recorded(+[](const Array& self, int decimals, nb::handle out) {
             return result_in(out, array::round(self, decimals));
           }),
           nb::arg("decimals") = 0, nb::arg("out") = nb::none(),
           nb::sig("def round(self, decimals: int = 0, out: Array | None = None) -> Array"),
           "To so many decimals, and to even ones halfway; integers stay integers.")
      .def("trace", recorded(+[](const Array& self, int offset, int axis, int other) {
             return array::sum(array::diagonal(self, offset, axis, other), {.axes = -1});
           }),
           nb::arg("offset") = 0, nb::arg("axis1") = 0, nb::arg("axis2") = 1,
           "The sum of elements (i, i + offset) of two axes.")
      .def(
          "view",
          [](nb::handle self, nb::handle dtype) {
            const Array own = nb::cast<Array>(self);
            return array_object(
                array::view_as(own, dtype.is_none() ? own.dtype() : dtype_from(dtype)));
          },
          nb::arg("dtype") = nb::none(),
          nb::sig("def view(self, dtype: typing.Any = None) -> Array"),
          "The same bytes as elements of another dtype: more or fewer of them along the last axis.")
      .def(
          "choose",
          [](nb::handle self, nb::handle choices, nb::handle out, nb::handle mode) {
            return protocols().attr("choose")(self, choices, out, mode);
          },
          nb::arg("choices"), nb::arg("out") = nb::none(), nb::arg("mode") = nb::none(),
          nb::sig("def choose(self, choices: typing.Sequence[typing.Any], out: Array | None = "
                  "None, mode: str | None = None) -> Array"),
          "Of each element that of the choice whose number it is; see treadle.numpy.choose().")
      .def_prop_rw(
          "flat", [](nb::handle self) { return protocols().attr("flat")(self); },
          [](nb::handle self, nb::handle values) {
            protocols().attr("flat")(self).attr("__setitem__")(
                nb::slice(nb::none(), nb::none(), nb::none()), values);
          },
          nb::for_getter(nb::sig("def flat(self) -> typing.Any")),
          nb::for_setter(nb::sig("def flat(self, values: typing.Any) -> None")),
          "The elements in C's order, as a row: to walk over, to choose from and to assign to.")
      .def(
          "tofile",
          [](nb::handle self, nb::handle file, nb::handle sep, nb::handle format) {
            protocols().attr("tofile")(self, file, sep, format);
          },
          nb::arg("fid"), nb::arg("sep") = "", nb::arg("format") = "%s",
          nb::sig("def tofile(self, fid: typing.Any, sep: str = '', format: str = '%s') -> None"),
          "Writes the elements in C's order into a file, as bytes or as texts with `sep` between.")
      .def(
          "tobytes",
          [](nb::handle self, const std::string& order) {
            return nb::bytes(self.attr("get")().attr("tobytes")(order));
          },
          nb::arg("order") = "C", "The elements on the host, as bytes.");
}

}  // namespace treadle::bindings
