// SPDX-License-Identifier: MIT
#pragma once

#include <complex>
#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "treadle/array/array.hpp"
#include "treadle/sparse/sparse_matrix.hpp"

namespace treadle::sparse {

/// What an array is multiplied by: a matrix of any format, a preconditioner, or a function. A small
/// value; copies share what they were made of. Any thread, if the function takes that.
class LinearOperator {
 public:
  /// The product with an array of one axis, or with each column of one with two.
  using Function = std::function<Array(const Array&)>;

  /// None.
  LinearOperator() = default;
  // Implicit: solvers take matrices and functions.
  /// A function that gives an array as long as its argument, of any length and dtype.
  template <class F>
    requires(std::is_invocable_r_v<Array, F&, const Array&> && !std::same_as<F, LinearOperator>)
  LinearOperator(F function) : LinearOperator(Parts{.apply = std::move(function)}) {}
  /// A matrix of any format. It is copied, which shares its arrays.
  template <std::derived_from<SparseMatrix> T>
  LinearOperator(const T& matrix) : LinearOperator(of(std::make_shared<const T>(matrix))) {}
  /// The same without a copy.
  static LinearOperator of(std::shared_ptr<const SparseMatrix> matrix);
  /// A function of a size and dtype, and that of the conjugated and transposed matrix, if there is
  /// one. Throws InvalidArgument for no function.
  LinearOperator(Function apply, const MatrixSize& size, std::optional<Scalar> dtype = {},
                 Function adjoint = {});
  /// An array with two axes. Throws ShapeError for another one.
  static LinearOperator dense(const Array& matrix);
  /// What multiplies each row by a number. Throws ShapeError unless there is one axis.
  static LinearOperator diagonal(const Array& factors);
  /// What leaves everything as it is.
  static LinearOperator identity(std::int64_t size, std::optional<Scalar> dtype = {});

  /// Whether there is an operator.
  explicit operator bool() const noexcept { return parts_ != nullptr; }
  /// None for a function of any length.
  std::optional<MatrixSize> size() const noexcept;
  /// Of the matrix; none: the result has the dtype that the function gives.
  std::optional<Scalar> dtype() const noexcept;
  /// The matrix, if it was made of one.
  std::shared_ptr<const SparseMatrix> matrix() const noexcept;
  /// What each row is multiplied by; none for another operator.
  std::optional<Array> row_factors() const;
  /// Whether adjoint() can be asked for.
  bool has_adjoint() const noexcept;

  /// The product. Throws ShapeError for an x of another length, and for a function that gives
  /// another length than it said; whatever the function throws.
  Array apply(const Array& x) const;
  /// The conjugated and transposed operator. Throws NotSupported where there is none.
  LinearOperator adjoint() const;
  /// Matrices are cast; of a function each result is.
  LinearOperator in_dtype(Scalar dtype) const;

  /// The sum of both products. Throws ShapeError for another size.
  LinearOperator plus(const LinearOperator& other) const;
  /// This one after the other. Throws ShapeError for sizes that do not fit.
  LinearOperator times(const LinearOperator& other) const;
  /// The product times a number, which is real if its imaginary part is 0.
  LinearOperator scaled(std::complex<double> factor) const;
  /// The adjoint's conjugate. Throws as adjoint().
  LinearOperator transposed() const;

 private:
  struct Parts {
    Function apply = {}, apply_adjoint = {};
    std::optional<MatrixSize> size = {};
    std::optional<Scalar> dtype = {};
    std::function<LinearOperator(Scalar)> cast = {};  ///< of a matrix
    std::shared_ptr<const SparseMatrix> matrix = {};
    std::optional<Array> factors = {};  ///< of a diagonal
  };
  explicit LinearOperator(Parts parts);

  std::shared_ptr<const Parts> parts_;
};

}  // namespace treadle::sparse

namespace treadle {

using sparse::LinearOperator;

}  // namespace treadle
