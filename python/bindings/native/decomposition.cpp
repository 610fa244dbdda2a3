// SPDX-License-Identifier: MIT
// Solves systems of equations; factors and eigenvalues of matrices.
#include "treadle/linalg/decomposition.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "image.hpp"
#include "native/array.hpp"
#include "native/linalg.hpp"
#include "treadle/base/error.hpp"
#include "treadle/linalg/singular_values.hpp"

namespace treadle::bindings {
namespace {

namespace nb = nanobind;

/// Wraps a function that waits for LAPACK, and releases the GIL meanwhile.
template <class Function>
auto waiting(Function function) {
  return [function](const auto&... arguments) {
    add_python_folders();
    note_launch_site();
    nb::gil_scoped_release released;
    return function(arguments...);
  };
}

nb::object or_none(const Array& x) { return x.has_value() ? nb::cast(x) : nb::none(); }

linalg::QrMode qr_mode_of(const std::string& mode) {
  if (mode == "complete") return linalg::QrMode::complete;
  return mode == "r" ? linalg::QrMode::r : linalg::QrMode::reduced;
}

/// NumPy's ord: None, a text or a number.
linalg::Norm norm_of(nb::handle order) {
  using array::MatrixNorm;
  using linalg::SpectralNorm;
  if (order.is_none()) return MatrixNorm::frobenius;
  std::string text;
  if (nb::try_cast(order, text)) {
    if (text == "fro") return MatrixNorm::frobenius;
    if (text == "nuc") return SpectralNorm::nuclear;
  }
  double number = 0;
  if (nb::try_cast(order, number)) {
    const bool is_positive = number > 0;
    if (std::isinf(number)) return is_positive ? MatrixNorm::infinity : MatrixNorm::minus_infinity;
    if (std::abs(number) == 1) return is_positive ? MatrixNorm::one : MatrixNorm::minus_one;
    if (std::abs(number) == 2) return is_positive ? SpectralNorm::largest : SpectralNorm::smallest;
  }
  throw InvalidArgument("a norm of matrices with ord=" + std::string(nb::repr(order).c_str()),
                        "it is 'fro', 'nuc', 1, -1, 2, -2, inf or -inf");
}

/// A limit of singular values: None, a number, an array, or an object that becomes an array, which
/// this keeps.
class Limit {
 public:
  Limit(nb::handle value, const Array& beside) {
    if (value.is_none()) return;
    number_.emplace(value.ptr(), beside);
    if (!*number_) made_ = array_from(value, nb::none(), placement_beside(beside));
  }
  std::optional<array::Operand> get() const {
    if (made_.has_value()) return array::Operand(made_.has_value());
    return number_ ? std::optional(number_->get()) : std::nullopt;
  }

 private:
  std::optional<ArrayOperand> number_;
  Array made_;
};

void bind_singular_values(nb::module_& m) {
  m.def(
      "svdvals", [](const Array& a) { return waiting(&linalg::svdvals)(a); }, nb::arg("a"),
      "Singular values, falling.");
  m.def(
      "pinv",
      [](const Array& a, nb::handle relative) {
        const Limit limit(relative, a);
        return waiting(&linalg::pinv)(a, limit.get());
      },
      nb::arg("a"), nb::arg("relative").none(), "The pseudo-inverse.");
  m.def(
      "matrix_rank",
      [](const Array& a, nb::handle relative, nb::handle absolute) {
        const Limit factor(relative, a), limit(absolute, a);
        return waiting(&linalg::matrix_rank)(a, linalg::RankLimit{factor.get(), limit.get()});
      },
      nb::arg("a"), nb::arg("relative").none(), nb::arg("absolute").none(),
      "How many singular values are above a limit.");
  m.def(
      "matrix_norm",
      [](const Array& x, nb::handle order, int rows, int columns, bool keeps_axes) {
        return waiting(&linalg::matrix_norm)(x, norm_of(order), std::pair(rows, columns),
                                             keeps_axes);
      },
      nb::arg("x"), nb::arg("order").none(), nb::arg("rows"), nb::arg("columns"),
      nb::arg("keeps_axes"), "Norms of the matrices in two axes; None: Frobenius'.");
  m.def(
      "cond",
      [](const Array& x, nb::handle order) {
        return waiting(&linalg::cond)(
            x, order.is_none() ? linalg::Norm(linalg::SpectralNorm::largest) : norm_of(order));
      },
      nb::arg("x"), nb::arg("order").none(), "The condition number.");
}

}  // namespace

void bind_decompositions(nb::module_& m) {
  m.def(
      "solve", [](const Array& a, const Array& b) { return waiting(&linalg::solve)(a, b); },
      nb::arg("a"), nb::arg("b"), "The x for which a @ x is b.");
  m.def(
      "inv", [](const Array& a) { return waiting(&linalg::inv)(a); }, nb::arg("a"), "The inverse.");
  m.def(
      "tensorsolve",
      [](const Array& a, const Array& b, const std::vector<int>& axes) {
        return waiting(&linalg::tensorsolve)(a, b, axes);
      },
      nb::arg("a"), nb::arg("b"), nb::arg("axes"), "The x for which tensordot(a, x, x.ndim) is b.");
  m.def(
      "tensorinv", [](const Array& a, int count) { return waiting(&linalg::tensorinv)(a, count); },
      nb::arg("a"), nb::arg("count"), "The inverse of the first axes and the others.");
  m.def(
      "det", [](const Array& a) { return waiting(&linalg::det)(a); }, nb::arg("a"),
      "The determinant.");
  m.def(
      "slogdet",
      [](const Array& a) {
        const linalg::SignAndLog made = waiting(&linalg::slogdet)(a);
        return nb::make_tuple(made.sign, made.log_of_size);
      },
      nb::arg("a"), "Sign of the determinant, and logarithm of its size.");
  m.def(
      "cholesky",
      [](const Array& a, bool is_upper) { return waiting(&linalg::cholesky)(a, is_upper); },
      nb::arg("a"), nb::arg("upper"), "The triangular factor.");
  m.def(
      "qr",
      [](const Array& a, const std::string& mode) {
        const linalg::Qr made = waiting(&linalg::qr)(a, qr_mode_of(mode));
        return nb::make_tuple(or_none(made.q), made.r);
      },
      nb::arg("a"), nb::arg("mode"), "Orthonormal columns, or None, and a triangle.");
  m.def(
      "qr_reflections",
      [](const Array& a) {
        const linalg::Reflections made = waiting(&linalg::qr_reflections)(a);
        return nb::make_tuple(made.vectors, made.factors);
      },
      nb::arg("a"), "A triangle with vectors of reflections below it, and their factors.");
  m.def(
      "svd",
      [](const Array& a, bool has_full_matrices, bool has_vectors) {
        const linalg::Svd made = waiting(&linalg::svd)(a, has_full_matrices, has_vectors);
        return nb::make_tuple(or_none(made.u), made.s, or_none(made.vh));
      },
      nb::arg("a"), nb::arg("full_matrices"), nb::arg("vectors"),
      "Vectors, or None, and singular values.");
  m.def(
      "eigh",
      [](const Array& a, bool reads_upper, bool has_vectors) {
        const linalg::Eigen made = waiting(&linalg::eigh)(a, reads_upper, has_vectors);
        return nb::make_tuple(made.values, or_none(made.vectors));
      },
      nb::arg("a"), nb::arg("upper"), nb::arg("vectors"),
      "Eigenvalues, and vectors or None, of symmetric matrices.");
  m.def(
      "eig",
      [](const Array& a, bool has_vectors) {
        const linalg::Eigen made = waiting(&linalg::eig)(a, has_vectors);
        return nb::make_tuple(made.values, or_none(made.vectors));
      },
      nb::arg("a"), nb::arg("vectors"), "Eigenvalues, and vectors or None.");
  m.def(
      "lstsq",
      [](const Array& a, const Array& b, std::optional<double> rcond) {
        const linalg::LeastSquares made = waiting(&linalg::lstsq)(a, b, rcond);
        return nb::make_tuple(made.x, made.residuals, made.rank, made.s);
      },
      nb::arg("a"), nb::arg("b"), nb::arg("rcond").none(),
      "Solution, residuals, rank and singular values.");
  m.def(
      "expm", [](const Array& a) { return waiting(&linalg::expm)(a); }, nb::arg("a"),
      "The exponential of matrices.");
  bind_singular_values(m);
}

}  // namespace treadle::bindings
