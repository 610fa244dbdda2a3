// SPDX-License-Identifier: MIT
// choice(), permutation(), permuted() and shuffle() of random.Generator.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <optional>
#include <string>

#include "caller.hpp"
#include "errors.hpp"
#include "native/array.hpp"
#include "native/random.hpp"
#include "native/random_request.hpp"
#include "treadle/base/error.hpp"

namespace treadle::bindings {
namespace {

using array::Generator;
using array::Shape;

/// Returns the array; None if the object is an integer, a number of positions.
std::optional<Array> array_argument(const Generator& self, nb::handle object, const char* name) {
  if (!nb::isinstance<Array>(object) && PyIndex_Check(object.ptr()) &&
      !nb::hasattr(object, "__len__"))
    return {};
  const Parameter given(self, object, name);
  if (given.is_number())
    raise_python(PyExc_TypeError, std::string(name) + " is an integer or an array, not " +
                                      nb::cast<std::string>(nb::repr(object)));
  return given.array();
}
std::int64_t positions(nb::handle object) {
  PyObject* const index = PyNumber_Index(object.ptr());
  if (index == nullptr) throw nb::python_error();
  return nb::cast<std::int64_t>(nb::steal(index));
}

// over 6 parameters because they are NumPy's
nb::object choice(Generator& self, nb::handle a, nb::handle size, bool replace, nb::handle p,
                  int axis, bool) {
  note_launch_site();
  array::ChoiceOptions options{.replaces = replace, .axis = axis};
  if (!p.is_none()) {
    const Parameter probabilities(self, p, "p");
    if (probabilities.is_number()) raise_python(PyExc_TypeError, "p is an array");
    options.probabilities = probabilities.array();
  }
  const Shape shape = size.is_none() ? Shape{} : shape_from(size);
  const std::optional<Array> from = array_argument(self, a, "a");
  Array made;
  if (from) {
    const nb::gil_scoped_release released;
    made = self.choice(*from, shape, options);
  } else {
    const std::int64_t count = positions(a);
    const nb::gil_scoped_release released;
    made = self.choice(count, shape, options);
  }
  const bool is_number =
      size.is_none() && made.rank() == 0 && made.dtype().kind() != ScalarKind::structure;
  return is_number ? python_number(made.item(), made.dtype().scalar())
                   : array_object(std::move(made));
}

nb::object permutation(Generator& self, nb::handle x, int axis) {
  note_launch_site();
  const std::optional<Array> from = array_argument(self, x, "x");
  const std::int64_t count = from ? 0 : positions(x);
  Array made;
  {
    const nb::gil_scoped_release released;
    made = from ? self.permutation(*from, axis) : self.permutation(count);
  }
  return array_object(std::move(made));
}

nb::object permuted(Generator& self, nb::handle x, std::optional<int> axis, nb::handle out) {
  note_launch_site();
  const std::optional<Array> from = array_argument(self, x, "x");
  if (!from) raise_python(PyExc_TypeError, "x is an array, not an integer");
  const Array into = out_array(out);
  if (into.has_value() && !std::ranges::equal(into.shape(), from->shape()))
    throw ShapeError("permuted(): the shape of out is not that of x", "let it be the same");
  Array made;
  {
    const nb::gil_scoped_release released;
    made = self.permuted(*from, axis);
    if (into.has_value()) into.assign(made);
  }
  return into.has_value() ? nb::borrow(out) : array_object(std::move(made));
}

void shuffle(Generator& self, nb::handle x, int axis) {
  note_launch_site();
  if (nb::isinstance<Array>(x)) {
    const Array target = nb::cast<Array>(x);
    const nb::gil_scoped_release released;
    return self.shuffle(target, axis);
  }
  if (PyTuple_Check(x.ptr()) || !nb::hasattr(x, "__setitem__"))
    raise_python(PyExc_TypeError, std::string("shuffle() of a ") + Py_TYPE(x.ptr())->tp_name +
                                      ": pass an array or a list");
  const nb::object all = nb::steal(PySlice_New(nullptr, nullptr, nullptr));
  if (nb::hasattr(x, "__array__")) {  // NumPy's arrays
    const nb::object shape = x.attr("shape");
    const nb::object count = shape[nb::int_(axis)];
    const Array order = self.permutation(nb::cast<std::int64_t>(count));
    x[all] = x.attr("take")(array_object(order).attr("get")(), axis);
    return;
  }
  const Array order = self.permutation(static_cast<std::int64_t>(nb::len(x)));
  nb::list moved;
  for (const std::int64_t place : order.as<std::int64_t>()) moved.append(x[nb::int_(place)]);
  x[all] = moved;
}

}  // namespace

void bind_random_orders(nb::class_<array::Generator>& type) {
  type.def("choice", &choice, nb::arg("a"), nb::arg("size") = nb::none(), nb::arg("replace") = true,
           nb::arg("p") = nb::none(), nb::arg("axis") = 0, nb::arg("shuffle") = true,
           nb::sig("def choice(self, a: typing.Any, size: int | typing.Sequence[int] | None = "
                   "None, replace: bool = True, p: typing.Any = None, axis: int = 0, shuffle: bool "
                   "= True) -> typing.Any"),
           "Elements of an array, or parts along an axis, or integers below a; of probabilities p. "
           "The order is always random. Looks at p, and waits.")
      .def("permutation", &permutation, nb::arg("x"), nb::arg("axis") = 0,
           nb::sig("def permutation(self, x: typing.Any, axis: int = 0) -> "
                   "treadle._core.array.Array"),
           "The parts of an array along an axis in random order, or the integers below x.")
      .def("permuted", &permuted, nb::arg("x"), nb::kw_only(), nb::arg("axis") = nb::none(),
           nb::arg("out") = nb::none(),
           nb::sig("def permuted(self, x: typing.Any, *, axis: int | None = None, out: "
                   "treadle._core.array.Array | None = None) -> treadle._core.array.Array"),
           "The elements of each row along an axis in an order of its own; None: all elements.")
      .def(
          "shuffle", &shuffle, nb::arg("x"), nb::arg("axis") = 0,
          nb::sig("def shuffle(self, x: typing.Any, axis: int = 0) -> None"),
          "Brings the parts of an array along an axis, or of a list, into random order, in place.");
}

}  // namespace treadle::bindings
