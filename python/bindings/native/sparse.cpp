// SPDX-License-Identifier: MIT
// Sparse matrices, and solvers that take them.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <cstdint>

#include "caller.hpp"
#include "errors.hpp"
#include "native/array.hpp"
#include "rooms.hpp"
#include "treadle/sparse/csr_matrix.hpp"

namespace treadle::bindings {
namespace {

using sparse::CsrMatrix;

}  // namespace

void bind_sparse(nb::module_& m) {
  nb::class_<CsrMatrix>(m, "CsrMatrix", "A sparse matrix in compressed rows.")
      .def(
          "__init__",
          [](CsrMatrix* self, const Array& data, const Array& indices, const Array& offsets,
             std::int64_t rows, std::int64_t columns) {
            note_launch_site();
            new (self) CsrMatrix(data, indices, offsets, {rows, columns});
          },
          nb::arg("data"), nb::arg("indices"), nb::arg("offsets"), nb::arg("rows"),
          nb::arg("columns"), "Checks indices and offsets, and waits for that.")
      .def_static(
          "from_entries",
          [](const Array& data, const Array& rows, const Array& columns, std::int64_t row_count,
             std::int64_t column_count) {
            note_launch_site();
            return CsrMatrix::from_entries(data, rows, columns, {row_count, column_count});
          },
          nb::arg("data"), nb::arg("rows"), nb::arg("columns"), nb::arg("row_count"),
          nb::arg("column_count"), "Of entries in any order; those of one place are added.")
      .def_static(
          "from_dense",
          [](const Array& x) {
            note_launch_site();
            return CsrMatrix::from_dense(x);
          },
          nb::arg("x"), "The elements that are not 0.")
      .def_prop_ro("data", &CsrMatrix::data, "Of each entry.")
      .def_prop_ro("indices", &CsrMatrix::indices, "The column of each entry.")
      .def_prop_ro("offsets", &CsrMatrix::offsets, "Where the entries of each row begin, int64.")
      .def_prop_ro(
          "row_count", [](const CsrMatrix& self) { return self.size().rows; }, "How many rows.")
      .def_prop_ro(
          "column_count", [](const CsrMatrix& self) { return self.size().columns; },
          "How many columns.")
      .def_prop_ro("entries", &CsrMatrix::entries, "How many are stored.")
      .def(
          "multiply",
          [](const CsrMatrix& self, const Array& x) {
            note_launch_site();
            return self.multiply(x);
          },
          nb::arg("x"), "The product with a vector, or with each column of a matrix.")
      .def("rows", &CsrMatrix::rows, "The row of each entry, int64.")
      .def("transposed", &CsrMatrix::transposed, "The transposed matrix.")
      .def("dense", &CsrMatrix::dense, "All elements.")
      .def("diagonal", &CsrMatrix::diagonal, "The elements at (k, k).")
      .def("sum", &CsrMatrix::sum, nb::arg("axis") = nb::none(), "Sums of rows or columns.")
      .def("with_data", &CsrMatrix::with_data, nb::arg("data"), "Other elements, the same places.")
      .def("plus", &CsrMatrix::plus, nb::arg("other"), "The sum of two matrices.")
      .def("rows_between", &CsrMatrix::rows_between, nb::arg("first"), nb::arg("last"),
           "Rows from `first` to before `last`.");
}

}  // namespace treadle::bindings
