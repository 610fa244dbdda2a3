// SPDX-License-Identifier: MIT
// Products of matrices.
#include "native/linalg.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>
#include <vector>

#include "errors.hpp"
#include "image.hpp"
#include "native/array.hpp"
#include "treadle/base/error.hpp"
#include "treadle/linalg/product.hpp"

namespace treadle::bindings {
namespace {

/// As recorded(), for a function that may use a library of a Python package.
template <class Result, class... Arguments>
auto with_libraries(Result (*function)(Arguments...)) {
  return [function](std::decay_t<Arguments>... arguments) -> Result {
    add_python_folders();
    note_launch_site();
    return function(std::move(arguments)...);
  };
}

Array tensordot(const Array& x, const Array& y, const std::vector<int>& axes,
                const std::vector<int>& others) {
  return linalg::tensordot(x, y, axes, others);
}
Array multi_dot(const std::vector<Array>& matrices) { return linalg::multi_dot(matrices); }
Array einsum(const std::string& subscripts, const std::vector<Array>& operands) {
  return linalg::einsum(subscripts, operands);
}

/// A number gets its own dtype, as in NumPy's products of vectors.
array::Operand factor(const array::Operand& value) {
  if (value.array() != nullptr || !value.type().is_weak()) return value;
  return typed_alone(value.number());
}

using OperandProduct = Array (*)(const array::Operand&, const array::Operand&);

Array of_operands(const char* name, OperandProduct product, nb::handle x, nb::handle y) {
  add_python_folders();
  note_launch_site();
  const ArrayOperand first(x.ptr(), y.ptr()), second(y.ptr(), x.ptr());
  for (const auto& [operand, object] : {std::pair(&first, x), std::pair(&second, y)})
    if (!*operand)
      raise_python(PyExc_TypeError, std::string(name) + "() of a " +
                                        Py_TYPE(object.ptr())->tp_name +
                                        ": pass arrays, or numbers");
  return product(factor(first.get()), factor(second.get()));
}

}  // namespace

nb::object dotted(nb::handle x, nb::handle y, nb::handle out) {
  const Array product = of_operands("dot", &linalg::dot, x, y), target = out_array(out);
  if (target.has_value() && target.dtype() != product.dtype())
    throw InvalidArgument("dot() gives " + product.dtype().name() + ": out= is no array of that",
                          "cast the product, or leave out= away");
  return result_in(out, product);
}

Array multiplied_matrices(const Array& x, const Array& y) {
  return with_libraries(&linalg::matmul)(x, y);
}

void bind_linalg(nb::module_& m) {
  const auto product = [&](const char* name, Array (*function)(const Array&, const Array&),
                           const char* what) {
    m.def(name, with_libraries(function), nb::arg("x"), nb::arg("y"), what);
  };
  product("matmul", &linalg::matmul, "Matrices in the last two axes multiplied.");
  m.def(
      "dot", &dotted, nb::arg("x"), nb::arg("y"), nb::arg("out") = nb::none(),
      nb::sig("def dot(x: typing.Any, y: typing.Any, out: treadle._core.array.Array | None = None) "
              "-> treadle._core.array.Array"),
      "The sum over the last axis of x and the last but one of y.");
  m.def(
      "inner",
      [](nb::handle x, nb::handle y) { return of_operands("inner", &linalg::inner, x, y); },
      nb::arg("x"), nb::arg("y"),
      nb::sig("def inner(x: typing.Any, y: typing.Any) -> treadle._core.array.Array"),
      "The sum over the last axis of both.");
  product("matvec", &linalg::matvec, "Matrices times vectors.");
  product("vecmat", &linalg::vecmat, "Vectors, conjugated, times matrices.");
  m.def("tensordot", with_libraries(&tensordot), nb::arg("x"), nb::arg("y"), nb::arg("axes"),
        nb::arg("others"), "The sum over pairs of axes.");
  m.def("tensordot_of_neighbours",
        with_libraries(static_cast<Array (*)(const Array&, const Array&, int)>(&linalg::tensordot)),
        nb::arg("x"), nb::arg("y"), nb::arg("count"),
        "The sum over the last axes of x and the first of y.");
  m.def("matrix_power", with_libraries(&linalg::matrix_power), nb::arg("x"), nb::arg("n"),
        "Square matrices multiplied with themselves.");
  m.def("multi_dot", with_libraries(&multi_dot), nb::arg("matrices"),
        "The product of several matrices, in the cheapest order.");
  m.def("einsum", with_libraries(&einsum), nb::arg("subscripts"), nb::arg("operands"),
        "Einstein's sum.");
}

}  // namespace treadle::bindings
