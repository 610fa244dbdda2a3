// SPDX-License-Identifier: MIT
// Arrays rearranged and joined: what treadle.numpy makes its functions of. Arguments are whole
// lists here; NumPy's defaults and spellings are Python's.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <vector>

#include "errors.hpp"
#include "native/array.hpp"
#include "treadle/array/elementwise.hpp"
#include "treadle/array/joining.hpp"
#include "treadle/array/manipulation.hpp"

namespace treadle::bindings {
namespace {

using Arrays = std::vector<Array>;
using Axes = std::vector<int>;
using Counts = std::vector<std::int64_t>;
// Kernels may be compiled.
using Released = nb::call_guard<nb::gil_scoped_release>;

/// A number or an array; None for none.
class OptionalOperand {
 public:
  OptionalOperand(const char* name, nb::handle object) {
    if (object.is_none()) return;
    operand_.emplace(object.ptr());
    if (!*operand_)
      raise_python(PyExc_TypeError, std::string(name) + " is no array, number or None, but a " +
                                        Py_TYPE(object.ptr())->tp_name);
  }
  std::optional<array::Operand> get() const {
    return operand_ ? std::optional(operand_->get()) : std::nullopt;
  }

 private:
  std::optional<ArrayOperand> operand_;
};

void bind_views(nb::module_& m) {
  m.def(
      "moveaxis",
      [](const Array& x, const Axes& axes, const Axes& destinations) {
        return array::moveaxis(x, axes, destinations);
      },
      nb::arg("x"), nb::arg("axes"), nb::arg("destinations"), Released(),
      "A view with axes moved to other places.");
  m.def(
      "squeeze", [](const Array& x, const Axes& axes) { return array::squeeze(x, axes); },
      nb::arg("x"), nb::arg("axes"), Released(), "A view without axes of length 1.");
  m.def(
      "expand_dims", [](const Array& x, const Axes& axes) { return array::expand_dims(x, axes); },
      nb::arg("x"), nb::arg("axes"), Released(), "A view with more axes of length 1.");
  m.def(
      "flip", [](const Array& x, const Axes& axes) { return array::flip(x, axes); }, nb::arg("x"),
      nb::arg("axes"), Released(), "A view with axes turned round.");
  m.def("rot90", &array::rot90, nb::arg("x"), nb::arg("quarters"), nb::arg("axis"),
        nb::arg("other"), Released(), "A view turned by quarters.");
  m.def(
      "broadcast_to",
      [](const Array& x, const Counts& shape) { return array::broadcast_to(x, shape); },
      nb::arg("x"), nb::arg("shape"), Released(), "A view with axes repeated.");
  m.def(
      "broadcast_arrays", [](const Arrays& all) { return array::broadcast_arrays(all); },
      nb::arg("arrays"), Released(), "Views in the shape that all are broadcast to.");
  m.def(
      "meshgrid", [](const Arrays& all) { return array::meshgrid(all); }, nb::arg("coordinates"),
      Released(), "Views: the i-th varies along axis i.");
  m.def("diagonal", &array::diagonal, nb::arg("x"), nb::arg("offset"), nb::arg("axis"),
        nb::arg("other"), Released(), "A view of elements (i, i + offset).");
  m.def(
      "split",
      [](const Array& x, const Counts& positions, int axis) {
        return array::split(x, positions, axis);
      },
      nb::arg("x"), nb::arg("positions"), nb::arg("axis"), Released(),
      "Views of the parts between positions.");
  m.def("array_split", &array::array_split, nb::arg("x"), nb::arg("parts"), nb::arg("axis"),
        Released(), "Views of as many parts.");
  m.def("unstack", &array::unstack, nb::arg("x"), nb::arg("axis"), Released(),
        "Views of the parts along an axis, without it.");
}

void bind_copies(nb::module_& m) {
  m.def(
      "concatenate", [](const Arrays& all, int axis) { return array::concatenate(all, axis); },
      nb::arg("arrays"), nb::arg("axis"), Released(), "One behind the other.");
  m.def(
      "stack", [](const Arrays& all, int axis) { return array::stack(all, axis); },
      nb::arg("arrays"), nb::arg("axis"), Released(), "Along an axis that they do not have.");
  m.def(
      "roll",
      [](const Array& x, const Counts& shifts, const Axes& axes) {
        return array::roll(x, shifts, axes);
      },
      nb::arg("x"), nb::arg("shifts"), nb::arg("axes"), Released(),
      "Elements moved on, those behind the end to the beginning.");
  m.def("repeat", nb::overload_cast<const Array&, std::int64_t, int>(&array::repeat), nb::arg("x"),
        nb::arg("count"), nb::arg("axis"), Released(), "Each element several times.");
  m.def(
      "tile", [](const Array& x, const Counts& counts) { return array::tile(x, counts); },
      nb::arg("x"), nb::arg("counts"), Released(), "The whole several times.");
  m.def(
      "pad",
      [](const Array& x, const std::vector<array::PadWidth>& widths, nb::handle value) {
        const OptionalOperand border("constant_values", value);
        return array::pad(x, widths, border.get().value_or(array::Operand(0)));
      },
      nb::arg("x"), nb::arg("widths"), nb::arg("value"),
      nb::sig("def pad(x: Array, widths: collections.abc.Sequence[tuple[int, int]], value: "
              "typing.Any) -> Array"),
      "With a border of one number.");
}

void bind_elementwise(nb::module_& m) {
  m.def("write_into", &array::write_into, nb::arg("out"), nb::arg("result"), Released(),
        "A result into an array of its shape, cast as same_kind allows.");
  m.def(
      "clip",
      [](const Array& x, nb::handle low, nb::handle high) {
        const OptionalOperand least("min", low), greatest("max", high);
        return array::clip(x, least.get(), greatest.get());
      },
      nb::arg("x"), nb::arg("low").none(), nb::arg("high").none(),
      nb::sig("def clip(x: Array, low: typing.Any, high: typing.Any) -> Array"),
      "Elements between two numbers.");
  m.def("tril", &array::tril, nb::arg("x"), nb::arg("offset"), Released(),
        "Zeros above a diagonal.");
  m.def("triu", &array::triu, nb::arg("x"), nb::arg("offset"), Released(),
        "Zeros below a diagonal.");
}

/// One axis of all elements where none is named.
Array repeated(const Array& x, std::int64_t count, std::optional<int> axis) {
  return axis ? array::repeat(x, count, *axis) : array::repeat(array::ravel(x), count, 0);
}

}  // namespace

void bind_array_joining_methods(nb::class_<Array>& type) {
  type.def("swapaxes", &array::swapaxes, nb::arg("axis1"), nb::arg("axis2"), Released(),
           "A view with two axes in each other's place.")
      .def(
          "squeeze",
          [](const Array& self, std::optional<int> axis) {
            return axis ? array::squeeze(self, *axis) : array::squeeze(self);
          },
          nb::arg("axis") = nb::none(), Released(),
          "A view without axes of length 1, or without this one.")
      .def("diagonal", &array::diagonal, nb::arg("offset") = 0, nb::arg("axis1") = 0,
           nb::arg("axis2") = 1, Released(),
           "Elements (i, i + offset) of two axes, as a new last one: a view.")
      .def(
          "flatten", [](const Array& self) { return array::ravel(array::dense_copy(self)); },
          Released(), "A copy with one axis, in C's order.")
      .def("repeat", &repeated, nb::arg("repeats"), nb::arg("axis") = nb::none(), Released(),
           "Each element several times, along an axis or in one axis of all.")
      .def(
          "clip",
          [](const Array& self, nb::handle low, nb::handle high) {
            return array::clip(self, OptionalOperand("min", low).get(),
                               OptionalOperand("max", high).get());
          },
          nb::arg("min") = nb::none(), nb::arg("max") = nb::none(),
          nb::sig("def clip(self, min: typing.Any = None, max: typing.Any = None) -> Array"),
          "Elements between two numbers; None for no bound.");
}

void bind_array_joining(nb::module_& m) {
  bind_views(m);
  bind_copies(m);
  bind_elementwise(m);
}

}  // namespace treadle::bindings
