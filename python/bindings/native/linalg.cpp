// SPDX-License-Identifier: MIT
// Products of matrices.
#include "native/linalg.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>
#include <vector>

#include "image.hpp"
#include "native/array.hpp"
#include "treadle/linalg/product.hpp"

namespace treadle::bindings {
namespace {

/// As recorded(), of a function that may use a library in Python's packages.
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

}  // namespace

Array multiplied_matrices(const Array& x, const Array& y) {
  return with_libraries(&linalg::matmul)(x, y);
}

void bind_linalg(nb::module_& m) {
  const auto product = [&](const char* name, Array (*function)(const Array&, const Array&),
                           const char* what) {
    m.def(name, with_libraries(function), nb::arg("x"), nb::arg("y"), what);
  };
  product("matmul", &linalg::matmul, "Matrices in the last two axes multiplied.");
  product("dot", &linalg::dot, "The sum over the last axis of x and the last but one of y.");
  product("inner", &linalg::inner, "The sum over the last axis of both.");
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
