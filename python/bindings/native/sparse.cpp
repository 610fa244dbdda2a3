// SPDX-License-Identifier: MIT
// Sparse matrices, and solvers that take them.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>

#include "caller.hpp"
#include "errors.hpp"
#include "native/array.hpp"
#include "rooms.hpp"
#include "treadle/base/error.hpp"
#include "treadle/sparse/bsr_matrix.hpp"
#include "treadle/sparse/coo_matrix.hpp"
#include "treadle/sparse/csr_matrix.hpp"
#include "treadle/sparse/dia_matrix.hpp"
#include "treadle/sparse/ell_matrix.hpp"
#include "treadle/sparse/format_choice.hpp"
#include "treadle/sparse/matrix_functions.hpp"

namespace treadle::bindings {
namespace {

using sparse::BsrMatrix;
using sparse::CooMatrix;
using sparse::CsrMatrix;
using sparse::DiaMatrix;
using sparse::EllMatrix;
using sparse::HybMatrix;
using sparse::SellMatrix;
using sparse::SparseMatrix;
using sparse::StencilMatrix;

void bind_interface(nb::module_& m) {
  nb::class_<SparseMatrix>(m, "SparseMatrix", "A sparse matrix in any format.")
      .def_prop_ro("format", &SparseMatrix::format, "The format's name.")
      .def_prop_ro(
          "dtype", [](const SparseMatrix& self) { return numpy_dtype_of(self.dtype()); },
          nb::for_getter(nb::sig("def dtype(self) -> numpy.dtype")), "Of the elements.")
      .def_prop_ro("entries", &SparseMatrix::entries, "How many are stored.")
      .def_prop_ro("size_bytes", &SparseMatrix::size_bytes, "About what a product reads of it.")
      .def_prop_ro(
          "row_count", [](const SparseMatrix& self) { return self.size().rows; }, "How many rows.")
      .def_prop_ro(
          "column_count", [](const SparseMatrix& self) { return self.size().columns; },
          "How many columns.")
      .def(
          "multiply",
          [](const SparseMatrix& self, const Array& x) {
            note_launch_site();
            return self.multiply(x);
          },
          nb::arg("x"), "The product with a vector, or with each column of a matrix.")
      .def(
          "to_csr",
          [](const SparseMatrix& self) {
            note_launch_site();
            return self.to_csr();
          },
          "In compressed rows.");
}

void bind_csr(nb::module_& m) {
  nb::class_<CsrMatrix, SparseMatrix>(m, "CsrMatrix", "A sparse matrix in compressed rows.")
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
      .def("copied", &CsrMatrix::copied, "In arrays of its own.")
      .def(
          "is_shared",
          [](const CsrMatrix& self) {
            return self.data().is_shared() || self.indices().is_shared() ||
                   self.offsets().is_shared();
          },
          "Whether others may reach its arrays.")
      .def("rows", &CsrMatrix::rows, "The row of each entry, int64.")
      .def("transposed", &CsrMatrix::transposed, "The transposed matrix.")
      .def("dense", &CsrMatrix::dense, "All elements.")
      .def("diagonal", &CsrMatrix::diagonal, nb::arg("offset") = 0, "The elements at (k, k).")
      .def("sum", &CsrMatrix::sum, nb::arg("axis") = nb::none(), "Sums of rows or columns.")
      .def("largest", &CsrMatrix::largest, nb::arg("axis") = nb::none(), "Zeros included.")
      .def("least", &CsrMatrix::least, nb::arg("axis") = nb::none(), "Zeros included.")
      .def(
          "reshaped",
          [](const CsrMatrix& self, std::int64_t rows, std::int64_t columns) {
            return self.reshaped({rows, columns});
          },
          nb::arg("rows"), nb::arg("columns"), "In rows of another length.")
      .def(
          "by_length", [](const CsrMatrix& a) { return a.by_length(); },
          "Gives each row work-items for its length, on GPUs.")
      .def("with_data", &CsrMatrix::with_data, nb::arg("data"), "Other elements, the same places.")
      .def("plus", &CsrMatrix::plus, nb::arg("other"), "The sum of two matrices.")
      .def(
          "multiply_matrix",
          [](const CsrMatrix& self, const CsrMatrix& other) {
            note_launch_site();
            return self.multiply(other);
          },
          nb::arg("other"), "The product with another sparse matrix.")
      .def("times", nb::overload_cast<const CsrMatrix&>(&CsrMatrix::times, nb::const_),
           nb::arg("other"), "The product element by element.")
      .def("times_dense", nb::overload_cast<const Array&>(&CsrMatrix::times, nb::const_),
           nb::arg("other"), "The same with an array that broadcasts.")
      .def("has_sorted_indices", &CsrMatrix::has_sorted_indices, "Whether columns go up. Waits.")
      .def("is_canonical", &CsrMatrix::is_canonical, "The same, each place once. Waits.")
      .def("canonical", &CsrMatrix::canonical, "Columns in order, each place once.")
      .def("sorted", &CsrMatrix::sorted, "Columns in order.")
      .def("without_zeros", &CsrMatrix::without_zeros, "Without entries that are 0.")
      .def("rows_between", &CsrMatrix::rows_between, nb::arg("first"), nb::arg("last"),
           "Rows from `first` to before `last`.")
      .def("with_diagonal", &CsrMatrix::with_diagonal, nb::arg("values"), nb::arg("offset") = 0,
           "With these elements at (k, k + offset).")
      .def("rows_at", &CsrMatrix::rows_at, nb::arg("rows"), "The rows of these numbers.");
}

void bind_coo_and_blocks(nb::module_& m) {
  nb::class_<CooMatrix, SparseMatrix>(m, "CooMatrix", "A sparse matrix as a list of entries.")
      .def(
          "__init__",
          [](CooMatrix* self, const Array& data, const Array& rows, const Array& columns,
             std::int64_t row_count, std::int64_t column_count) {
            note_launch_site();
            new (self) CooMatrix(data, rows, columns, {row_count, column_count});
          },
          nb::arg("data"), nb::arg("rows"), nb::arg("columns"), nb::arg("row_count"),
          nb::arg("column_count"), "Checks indices, and waits for that.")
      .def_static("of", &CooMatrix::of, nb::arg("a"), "The entries of another format.")
      .def_prop_ro("data", &CooMatrix::data, "Of each entry.")
      .def_prop_ro("rows", &CooMatrix::rows, "The row of each entry.")
      .def_prop_ro("columns", &CooMatrix::columns, "The column of each entry.")
      .def(
          "is_shared",
          [](const CooMatrix& self) {
            return self.data().is_shared() || self.rows().is_shared() || self.columns().is_shared();
          },
          "Whether others may reach its arrays.")
      .def("canonical", &CooMatrix::canonical, "In order, each place once.");
  nb::class_<BsrMatrix, SparseMatrix>(m, "BsrMatrix", "Compressed rows of dense blocks.")
      .def(
          "__init__",
          [](BsrMatrix* self, const Array& data, const Array& indices, const Array& offsets,
             std::int64_t rows, std::int64_t columns) {
            note_launch_site();
            new (self) BsrMatrix(data, indices, offsets, {rows, columns});
          },
          nb::arg("data"), nb::arg("indices"), nb::arg("offsets"), nb::arg("rows"),
          nb::arg("columns"), "Checks indices and offsets, and waits for that.")
      .def_static(
          "of",
          [](const SparseMatrix& a, std::int64_t rows, std::int64_t columns) {
            return BsrMatrix::of(a, {rows, columns});
          },
          nb::arg("a"), nb::arg("block_rows"), nb::arg("block_columns"),
          "The blocks that have entries.")
      .def_prop_ro("data", &BsrMatrix::data, "Block by block.")
      .def_prop_ro("indices", &BsrMatrix::indices, "The column of each block.")
      .def_prop_ro("offsets", &BsrMatrix::offsets, "Where each row of blocks begins, int64.");
}

void bind_filled(nb::module_& m) {
  nb::class_<EllMatrix, SparseMatrix>(m, "EllMatrix", "Rows filled up to the longest.")
      .def(
          "__init__",
          [](EllMatrix* self, const Array& data, const Array& columns, std::int64_t row_count,
             std::int64_t column_count) {
            note_launch_site();
            new (self) EllMatrix(data, columns, {row_count, column_count});
          },
          nb::arg("data"), nb::arg("columns"), nb::arg("row_count"), nb::arg("column_count"),
          "Checks columns, and waits for that.")
      .def_static("of", &EllMatrix::of, nb::arg("a"), nb::arg("depth") = nb::none(),
                  "Of another format.")
      .def_prop_ro("data", &EllMatrix::data, "Of each row.")
      .def_prop_ro("columns", &EllMatrix::columns, "Of each row; -1: none.");
  nb::class_<SellMatrix, SparseMatrix>(m, "SellMatrix", "Slices of rows filled up.")
      .def_static("of", &SellMatrix::of, nb::arg("a"), nb::arg("slice_rows") = 32,
                  "Of another format.")
      .def_prop_ro("data", &SellMatrix::data, "Slice by slice.")
      .def_prop_ro("columns", &SellMatrix::columns, "The same; -1: none.")
      .def_prop_ro("starts", &SellMatrix::starts, "Where slices begin, int64.")
      .def_prop_ro("slice_rows", &SellMatrix::slice_rows, "Rows of a slice.");
  nb::class_<HybMatrix, SparseMatrix>(m, "HybMatrix", "Rows of usual length, and the rest.")
      .def_static("of", &HybMatrix::of, nb::arg("a"), nb::arg("depth") = nb::none(),
                  "Of another format.")
      .def_prop_ro("usual", &HybMatrix::usual, "The first entries of each row.")
      .def_prop_ro("rest", &HybMatrix::rest, "Other entries, by rest_rows.")
      .def_prop_ro("rest_rows", &HybMatrix::rest_rows, "Rows that are longer.");
}

void bind_diagonals(nb::module_& m) {
  nb::class_<DiaMatrix, SparseMatrix>(m, "DiaMatrix", "A sparse matrix as diagonals.")
      .def(
          "__init__",
          [](DiaMatrix* self, const Array& data, const Array& offsets, std::int64_t rows,
             std::int64_t columns) {
            note_launch_site();
            new (self) DiaMatrix(data, offsets, {rows, columns});
          },
          nb::arg("data"), nb::arg("offsets"), nb::arg("rows"), nb::arg("columns"),
          "Checks offsets, and waits for that.")
      .def_static("of", &DiaMatrix::of, nb::arg("a"), "Of another format.")
      .def_prop_ro("data", &DiaMatrix::data, "By diagonals and columns.")
      .def_prop_ro("offsets", &DiaMatrix::offsets, "Of each diagonal, int64.");
  nb::class_<StencilMatrix, SparseMatrix>(m, "StencilMatrix", "Diagonals of one number each.")
      .def_static("of", &StencilMatrix::of, nb::arg("a"), "Of another format.")
      .def_static("fits", &StencilMatrix::fits, nb::arg("a"), "Whether of() would take it. Waits.")
      .def_prop_ro("offsets", &StencilMatrix::offsets, "Of each diagonal.")
      .def_prop_ro("data", &StencilMatrix::elements, "The number on each diagonal.")
      .def_prop_ro(
          "has_bits", [](const StencilMatrix& self) { return self.bits().has_value(); },
          "Whether each row reads which of its diagonals are there.");
}

/// SciPy's ord: None, a text or a number.
array::MatrixNorm norm_of(nb::handle order) {
  using array::MatrixNorm;
  std::string text;
  double number = 0;
  if (order.is_none()) return MatrixNorm::frobenius;
  if (nb::try_cast(order, text)) {
    if (text == "fro" || text == "f") return MatrixNorm::frobenius;
  } else if (nb::try_cast(order, number)) {
    if (number == 1) return MatrixNorm::one;
    if (number == -1) return MatrixNorm::minus_one;
    if (std::isinf(number)) return number > 0 ? MatrixNorm::infinity : MatrixNorm::minus_infinity;
    if (std::abs(number) == 2)
      throw NotSupported("norm(ord=2) of a sparse matrix", "eigsh() of A.T @ A has its square");
  }
  throw InvalidArgument("norm(ord=" + std::string(nb::repr(order).c_str()) + ")",
                        "pass None, 'fro', 1, -1, inf or -inf");
}

/// The matrix, its format, the reason of the choice, and whether the choice was known before.
std::tuple<std::shared_ptr<SparseMatrix>, std::string, std::string, bool> choose_format(
    const SparseMatrix& a, bool is_timed, bool is_kept) {
  const sparse::FormatChoice choice = sparse::choose_format(
      a, {.is_timed = is_timed, .store = is_kept ? tune::Store::of_user() : nullptr});
  return {std::const_pointer_cast<SparseMatrix>(choice.matrix), choice.chosen, choice.explain(),
          choice.is_known};
}

}  // namespace

void bind_sparse(nb::module_& m) {
  bind_interface(m);
  bind_csr(m);
  bind_coo_and_blocks(m);
  bind_filled(m);
  bind_diagonals(m);
  m.def(
      "bandwidths",
      [](const CsrMatrix& a) {
        const sparse::Bandwidths found = sparse::bandwidths(a);
        return std::tuple(found.below, found.above);
      },
      nb::arg("a"), "How many diagonals below and above the main one have entries. Waits.");
  m.def(
      "matrix_norm",
      [](const CsrMatrix& a, nb::handle order) { return sparse::matrix_norm(a, norm_of(order)); },
      nb::arg("a"), nb::arg("order").none(), "A norm of sums of magnitudes, or Frobenius'.");
  m.def("matrix_power", &sparse::matrix_power, nb::arg("a"), nb::arg("power"), "By squares.");
  m.def("writes", &Array::writes, nb::arg("x"), "How often its memory was written to.");
  m.def("choose_format", &choose_format, nb::arg("a"), nb::arg("is_timed") = true,
        nb::arg("is_kept") = true,
        "The matrix in the format with the fastest products, the format, why, and whether it was "
        "known.");
}

}  // namespace treadle::bindings
