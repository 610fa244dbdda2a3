// SPDX-License-Identifier: MIT
// Functions that are several operations, for treadle.numpy: NumPy's defaults and spellings are
// Python's.
#include "treadle/array/composed.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "errors.hpp"
#include "native/array.hpp"
#include "treadle/array/elementwise.hpp"
#include "treadle/base/error.hpp"

namespace treadle::bindings {
namespace {

/// Arrays and numbers of a list, kept for the length of a call.
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
  std::deque<nb::object> objects_;  // operands are views of arrays, which may be nobody else's
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

void bind_array_composed(nb::module_& m) {
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
  m.def("nanargmax", recorded(&array::nanargmax), nb::arg("x"), nb::arg("axis").none(),
        nb::arg("keeps_axes"), "Places of the greatest number that is not NaN.");
  m.def("nanargmin", recorded(&array::nanargmin), nb::arg("x"), nb::arg("axis").none(),
        nb::arg("keeps_axes"), "Places of the least number that is not NaN.");
  m.def("matrix_norm",
        recorded(+[](const Array& x, std::optional<double> order, int rows, int columns,
                     bool keeps_axes) {
          return array::matrix_norm(x, matrix_norm_of(order), {rows, columns}, keeps_axes);
        }),
        nb::arg("x"), nb::arg("order").none(), nb::arg("rows"), nb::arg("columns"),
        nb::arg("keeps_axes"), "Norms of the matrices in two axes; None: Frobenius'.");
  m.def("nan_to_num", recorded(&array::nan_to_num), nb::arg("x"), nb::arg("nan"),
        nb::arg("posinf").none(), nb::arg("neginf").none(),
        "A copy with numbers in place of NaN and the infinities.");
  m.def("sinc", recorded(&array::sinc), nb::arg("x"), "sin(pi x) / (pi x), and 1 at 0.");
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
  m.def("outer", recorded(&array::outer), nb::arg("x"), nb::arg("y"),
        "The products of each element of x with each of y.");
  m.def("diff", recorded(&array::diff), nb::arg("x"), nb::arg("times"), nb::arg("axis"),
        "Differences of neighbours along an axis.");
  m.def("vecdot", recorded(&array::vecdot), nb::arg("x"), nb::arg("y"), nb::arg("axis"),
        "The sum of the products along an axis, x conjugated.");
  m.def("trapezoid", recorded(+[](const Array& y, double distance, int axis) {
          return array::trapezoid(y, distance, axis);
        }),
        nb::arg("y"), nb::arg("distance"), nb::arg("axis"),
        "The integral along an axis, of places so far apart.");
  m.def("trapezoid_at", recorded(&array::trapezoid_at), nb::arg("y"), nb::arg("x"), nb::arg("axis"),
        "The integral along an axis, of the places x.");
}

}  // namespace treadle::bindings
