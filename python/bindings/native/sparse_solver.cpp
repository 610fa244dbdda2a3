// SPDX-License-Identifier: MIT
// Linear operators, and solvers that take them.
#include <nanobind/nanobind.h>
#include <nanobind/stl/complex.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "caller.hpp"
#include "errors.hpp"
#include "image.hpp"
#include "native/array.hpp"
#include "rooms.hpp"
#include "treadle/sparse/conjugate_gradients.hpp"
#include "treadle/sparse/csr_matrix.hpp"
#include "treadle/sparse/eigsh.hpp"
#include "treadle/sparse/krylov.hpp"
#include "treadle/sparse/linear_operator.hpp"
#include "treadle/sparse/lsqr.hpp"
#include "treadle/sparse/preconditioner.hpp"
#include "treadle/sparse/solver.hpp"
#include "treadle/sparse/sparse_matrix.hpp"

namespace treadle::bindings {
namespace {

using sparse::LinearOperator;
using sparse::SolverEnd;
using sparse::SolverOptions;
using sparse::SparseMatrix;

/// As recorded(), for a function that may use a library of a Python package.
template <class Result, class... Arguments>
auto solved(Result (*function)(Arguments...)) {
  return [function](std::decay_t<Arguments>... arguments) -> Result {
    add_python_folders();
    note_launch_site();
    return function(std::move(arguments)...);
  };
}

std::optional<Scalar> scalar_of(nb::handle dtype) {
  if (dtype.is_none()) return std::nullopt;
  return dtype_from(dtype).scalar();
}

nb::object dtype_object(std::optional<Scalar> dtype) {
  return dtype ? numpy_dtype_of(*dtype) : nb::none();
}

void bind_operator(nb::module_& m) {
  nb::class_<LinearOperator>(m, "LinearOperator", "What arrays are multiplied by.")
      .def(
          "__init__",
          [](LinearOperator* self, LinearOperator::Function apply, std::int64_t rows,
             std::int64_t columns, nb::handle dtype,
             std::optional<LinearOperator::Function> adjoint) {
            new (self) LinearOperator(std::move(apply), {rows, columns}, scalar_of(dtype),
                                      adjoint ? std::move(*adjoint) : nullptr);
          },
          nb::arg("apply"), nb::arg("rows"), nb::arg("columns"), nb::arg("dtype") = nb::none(),
          nb::arg("adjoint") = nb::none(), "A function of a size.")
      .def_static(
          "of_matrix",
          [](nb::handle matrix) {
            const auto* const made = nb::cast<const SparseMatrix*>(matrix);
            // The operator keeps the Python object, which keeps the matrix.
            return LinearOperator::of(std::shared_ptr<const SparseMatrix>(
                made, [kept = nb::borrow(matrix)](const SparseMatrix*) mutable {
                  const nb::gil_scoped_acquire held;
                  kept.reset();
                }));
          },
          nb::arg("matrix"), nb::sig("def of_matrix(matrix: SparseMatrix) -> LinearOperator"),
          "The product with a matrix of any format.")
      .def_static(
          "of_function",
          [](LinearOperator::Function apply) { return LinearOperator(std::move(apply)); },
          nb::arg("apply"), "A function of any length.")
      .def_static(
          "identity",
          [](std::int64_t size, nb::handle dtype) {
            return LinearOperator::identity(size, scalar_of(dtype));
          },
          nb::arg("size"), nb::arg("dtype") = nb::none(), "Leaves everything as it is.")
      .def_static("dense", &LinearOperator::dense, nb::arg("matrix"), "An array with two axes.")
      .def_prop_ro(
          "shape",
          [](const LinearOperator& self) -> std::optional<std::tuple<std::int64_t, std::int64_t>> {
            if (!self.size()) return std::nullopt;
            return std::tuple(self.size()->rows, self.size()->columns);
          },
          "(rows, columns), or None for a function of any length.")
      .def_prop_ro(
          "dtype", [](const LinearOperator& self) { return dtype_object(self.dtype()); },
          "Of the matrix, or None.")
      .def_prop_ro("has_adjoint", &LinearOperator::has_adjoint, "Whether adjoint() is there.")
      .def(
          "apply",
          [](const LinearOperator& self, const Array& x) {
            add_python_folders();
            note_launch_site();
            return self.apply(x);
          },
          nb::arg("x"), "The product.")
      .def("adjoint", &LinearOperator::adjoint, "The conjugated and transposed operator.")
      .def("transposed", &LinearOperator::transposed, "The adjoint's conjugate.")
      .def("plus", &LinearOperator::plus, nb::arg("other"), "The sum of both products.")
      .def("times", &LinearOperator::times, nb::arg("other"), "This one after the other.")
      .def("scaled", &LinearOperator::scaled, nb::arg("factor"), "The product times a number.");
  m.def("jacobi", solved(&sparse::jacobi), nb::arg("matrix"), "Divides by the diagonal.");
  m.def("block_jacobi", solved(&sparse::block_jacobi), nb::arg("matrix"), nb::arg("block"),
        "The inverse of blocks on the diagonal.");
  m.def("chebyshev", solved(&sparse::chebyshev), nb::arg("matrix"), nb::arg("degree") = 4,
        nb::arg("ratio") = 1.0 / 30, "A polynomial of the matrix.");
}

void bind_solution(nb::module_& m) {
  nb::enum_<SolverEnd>(m, "SolverEnd", "Why a solver ended.")
      .value("converged", SolverEnd::converged)
      .value("iterations", SolverEnd::iterations)
      .value("not_definite", SolverEnd::not_definite)
      .value("not_a_number", SolverEnd::not_a_number)
      .value("breakdown", SolverEnd::breakdown)
      .value("stagnation", SolverEnd::stagnation)
      .value("least_squares", SolverEnd::least_squares);
  m.def("text_of", &sparse::text_of, nb::arg("end"), "A sentence for people.");
  nb::class_<SolverOptions>(m, "SolverOptions", "How a solver goes.")
      .def(nb::init<>())
      .def_rw("relative_tolerance", &SolverOptions::relative_tolerance, "Of the norm of b.")
      .def_rw("absolute_tolerance", &SolverOptions::absolute_tolerance, "Of the residual's norm.")
      .def_rw("most_iterations", &SolverOptions::most_iterations, "0: the solver's own.")
      .def_rw("start", &SolverOptions::start, nb::arg("start").none(), "Else zeros.")
      .def_rw("preconditioner", &SolverOptions::preconditioner, "About the inverse matrix.")
      .def_rw("callback", &SolverOptions::callback, nb::arg("callback").none(),
              "Of the solution after each iteration.")
      .def_rw("check_every", &SolverOptions::check_every, "Iterations between two looks.")
      .def_prop_rw(
          "inner_dtype", [](const SolverOptions& self) { return dtype_object(self.inner_dtype); },
          [](SolverOptions& self, nb::handle dtype) { self.inner_dtype = scalar_of(dtype); },
          nb::arg("dtype").none(), "In which conjugate gradients iterate.")
      .def_rw("restart", &SolverOptions::restart, "Vectors that gmres() keeps.")
      .def_rw("on_norm", &SolverOptions::on_norm, nb::arg("on_norm").none(),
              "Of the relative residual in gmres().")
      .def_rw("shift", &SolverOptions::shift, "Of the diagonal, in minres().");
  nb::class_<sparse::ColumnEnd>(m, "ColumnEnd", "What a solver found of one right-hand side.")
      .def_ro("iterations", &sparse::ColumnEnd::iterations, "Until x was good enough.")
      .def_ro("residual", &sparse::ColumnEnd::residual, "Norm of b - A x.")
      .def_ro("end", &sparse::ColumnEnd::end, "Why there.");
  nb::class_<sparse::Solution>(m, "Solution", "What a solver found.")
      .def_ro("x", &sparse::Solution::x, "The solution.")
      .def_ro("iterations", &sparse::Solution::iterations, "Done.")
      .def_ro("residual", &sparse::Solution::residual, "Norm of b - A x.")
      .def_ro("end", &sparse::Solution::end, "Why there.")
      .def_ro("columns", &sparse::Solution::columns, "Of each right-hand side.");
  m.def("conjugate_gradients", solved(&sparse::conjugate_gradients), nb::arg("a"), nb::arg("b"),
        nb::arg("options"), "For positive definite matrices.");
  m.def("bicgstab", solved(&sparse::bicgstab), nb::arg("a"), nb::arg("b"), nb::arg("options"),
        "For square matrices.");
  m.def("gmres", solved(&sparse::gmres), nb::arg("a"), nb::arg("b"), nb::arg("options"),
        "For square matrices.");
  m.def("shifted_inverse", solved(&sparse::shifted_inverse), nb::arg("a"), nb::arg("shift"),
        nb::arg("relative_tolerance") = 1e-12, "The inverse of a - shift, by minres().");
  m.def("minres", solved(&sparse::minres), nb::arg("a"), nb::arg("b"), nb::arg("options"),
        "For symmetric matrices.");
}

void bind_lsqr(nb::module_& m) {
  using Options = sparse::LsqrOptions;
  using Found = sparse::LsqrSolution;
  nb::class_<Options>(m, "LsqrOptions", "How lsqr() goes.")
      .def(nb::init<>())
      .def_rw("damping", &Options::damping, "Of x.")
      .def_rw("matrix_tolerance", &Options::matrix_tolerance, "The relative error of A.")
      .def_rw("right_tolerance", &Options::right_tolerance, "The relative error of b.")
      .def_rw("most_condition", &Options::most_condition, "Of A, else it ends.")
      .def_rw("most_iterations", &Options::most_iterations, "0: twice the columns.")
      .def_rw("start", &Options::start, nb::arg("start").none(), "Else zeros.")
      .def_rw("has_variances", &Options::has_variances, "Of the elements of x.")
      .def_rw("check_every", &Options::check_every, "Iterations between two looks.");
  nb::class_<Found>(m, "LsqrSolution", "What lsqr() found.")
      .def_ro("x", &Found::x, "The solution.")
      .def_prop_ro(
          "end", [](const Found& self) { return static_cast<int>(self.end); },
          "Why it ended, by the numbers of Paige and Saunders; 8: NaN came up.")
      .def_ro("iterations", &Found::iterations, "Done.")
      .def_ro("residual", &Found::residual, "Norm of b - A x.")
      .def_ro("damped_residual", &Found::damped_residual, "With the damping times x.")
      .def_ro("matrix_norm", &Found::matrix_norm, "Frobenius norm of A, estimated.")
      .def_ro("condition", &Found::condition, "Of A, estimated.")
      .def_ro("gradient_norm", &Found::gradient_norm, "Of the adjoint of A by the residual.")
      .def_ro("norm", &Found::norm, "Of x.")
      .def_prop_ro(
          "variances",
          [](const Found& self) {
            return self.variances.has_value() ? std::optional<Array>(self.variances) : std::nullopt;
          },
          "Of the elements of x, or None.");
  m.def("lsqr", solved(&sparse::lsqr), nb::arg("a"), nb::arg("b"), nb::arg("options"),
        "For matrices of any size.");
}

void bind_eigsh(nb::module_& m) {
  using Options = sparse::EigshOptions;
  using Found = sparse::EigshSolution;
  nb::enum_<sparse::EigenChoice>(m, "EigenChoice", "Which eigenvalues are wanted.")
      .value("largest_magnitude", sparse::EigenChoice::largest_magnitude)
      .value("smallest_magnitude", sparse::EigenChoice::smallest_magnitude)
      .value("largest", sparse::EigenChoice::largest)
      .value("smallest", sparse::EigenChoice::smallest)
      .value("both_ends", sparse::EigenChoice::both_ends);
  nb::class_<Options>(m, "EigshOptions", "How eigsh() goes.")
      .def(nb::init<>())
      .def_rw("choice", &Options::choice, "Which values.")
      .def_rw("tolerance", &Options::tolerance, "Of a residual; 0: the dtype's precision.")
      .def_rw("most_restarts", &Options::most_restarts, "0: ten times the size.")
      .def_rw("basis", &Options::basis, "Vectors that are kept.")
      .def_rw("start", &Options::start, nb::arg("start").none(), "A vector.")
      .def_rw("shift", &Options::shift, nb::arg("shift").none(), "Of an inverse.");
  nb::class_<Found>(m, "EigshSolution", "What eigsh() found.")
      .def_ro("values", &Found::values, "They rise.")
      .def_ro("vectors", &Found::vectors, "In columns.")
      .def_ro("products", &Found::products, "With A.")
      .def_ro("restarts", &Found::restarts, "Done.")
      .def_ro("has_all", &Found::has_all, "As many as were wanted.");
  m.def(
      "eigsh",
      [](const LinearOperator& a, std::int64_t size, std::int64_t count, nb::handle dtype,
         const Options& options) {
        add_python_folders();
        note_launch_site();
        return sparse::eigsh(a, size, count, dtype_from(dtype).scalar(), options);
      },
      nb::arg("a"), nb::arg("size"), nb::arg("count"), nb::arg("dtype"), nb::arg("options"),
      "Of symmetric matrices.");
}

}  // namespace

void bind_sparse_solvers(nb::module_& m) {
  bind_operator(m);
  bind_solution(m);
  bind_lsqr(m);
  bind_eigsh(m);
}

}  // namespace treadle::bindings
