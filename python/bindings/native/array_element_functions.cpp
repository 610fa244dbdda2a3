// SPDX-License-Identifier: MIT
// Elementwise functions of several operations, for treadle.numpy. Python adds NumPy's defaults and
// spellings.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <deque>
#include <vector>

#include "errors.hpp"
#include "native/array.hpp"
#include "treadle/array/activation.hpp"
#include "treadle/array/elementwise.hpp"

namespace treadle::bindings {
namespace {

/// The arrays and numbers of a list, kept during a call.
class OperandList {
 public:
  OperandList(const char* what, nb::handle objects, const Array& beside) {
    for (const nb::handle each : nb::iter(objects)) {
      const nb::object& object = objects_.emplace_back(nb::borrow(each));
      if (!kept_.emplace_back(object.ptr(), beside))
        raise_python(PyExc_TypeError, std::string(what) + " are arrays and numbers, not a " +
                                          Py_TYPE(object.ptr())->tp_name);
      list_.push_back(kept_.back().get());
    }
  }
  std::span<const array::Operand> get() const noexcept { return list_; }

 private:
  std::deque<nb::object> objects_;  // operands refer to arrays that these keep alive
  std::deque<ArrayOperand> kept_;
  std::vector<array::Operand> list_;
};

Array choose(const Array& index, nb::handle choices) {
  return array::choose(index, OperandList("choices", choices, index).get());
}
Array polyval(nb::handle coefficients, const Array& x) {
  return array::polyval(OperandList("coefficients", coefficients, x).get(), x);
}
Array select(const std::vector<Array>& conditions, nb::handle choices, nb::handle otherwise) {
  if (conditions.empty()) return array::select({}, {});
  nb::list one;
  one.append(otherwise);
  const OperandList list("choices", choices, conditions.front()),
      last("default", one, conditions.front());
  return array::select(conditions, list.get(), last.get().front());
}

}  // namespace

void bind_array_element_functions(nb::module_& m) {
  m.def("deg2rad", recorded(&array::deg2rad), nb::arg("x"), "Angles in radians.");
  m.def("rad2deg", recorded(&array::rad2deg), nb::arg("x"), "Angles in degrees.");
  m.def("float_power", recorded(+[](nb::handle x, nb::handle y) {
          const ArrayOperand base(x.ptr(), y.ptr()), exponent(y.ptr(), x.ptr());
          if (!base || !exponent)
            raise_python(PyExc_TypeError, "float_power() takes arrays and numbers");
          return array::float_power(base.get(), exponent.get());
        }),
        nb::arg("x"), nb::arg("y"),
        nb::sig("def float_power(x: typing.Any, y: typing.Any) -> Array"),
        "power() in float64 at least.");
  m.def("nan_to_num", recorded(&array::nan_to_num), nb::arg("x"), nb::arg("nan"),
        nb::arg("posinf").none(), nb::arg("neginf").none(),
        "A copy with numbers in place of NaN and the infinities.");
  m.def("spacing", recorded(&array::spacing), nb::arg("x"),
        "To the next number away from 0, with the sign of x.");
  m.def("sinc", recorded(&array::sinc), nb::arg("x"), "sin(pi x) / (pi x), and 1 at 0.");
  m.def("gelu", recorded(+[](const Array& x, const std::string& form) {
          if (form != "exact" && form != "tanh")
            throw InvalidArgument("form='" + form + "'", "it is \"exact\" or \"tanh\"");
          return array::gelu(x, form == "tanh" ? array::GeluForm::tanh : array::GeluForm::exact);
        }),
        nb::arg("x"), nb::arg("form"), "x * P(X <= x) of a normal X, or its form with tanh().");
  m.def("polyval", recorded(&polyval), nb::arg("coefficients"), nb::arg("x"),
        nb::sig("def polyval(coefficients: collections.abc.Iterable[typing.Any], x: Array) -> "
                "Array"),
        "A polynomial by Horner's rule, the highest power first.");
  m.def("select", recorded(&select), nb::arg("conditions"), nb::arg("choices"),
        nb::arg("otherwise"),
        nb::sig("def select(conditions: collections.abc.Sequence[Array], choices: "
                "collections.abc.Iterable[typing.Any], otherwise: typing.Any) -> Array"),
        "Of each element the choice whose condition is the first that holds.");
  m.def("choose", recorded(&choose), nb::arg("index"), nb::arg("choices"),
        nb::sig("def choose(index: Array, choices: collections.abc.Iterable[typing.Any]) -> Array"),
        "Of each element that of the choice whose number the index says.");
}

}  // namespace treadle::bindings
