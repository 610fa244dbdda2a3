// SPDX-License-Identifier: MIT
#include "treadle/sparse/linear_operator.hpp"

#include <mutex>
#include <string>

#include "sparse/entries.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/base/error.hpp"
#include "treadle/base/promotion.hpp"
#include "treadle/linalg/product.hpp"
#include "treadle/sparse/csr_matrix.hpp"

namespace treadle::sparse {
namespace {

/// None where either is unknown.
std::optional<Scalar> common_dtype(std::optional<Scalar> one, std::optional<Scalar> other) {
  if (!one || !other) return std::nullopt;
  return promote(OperandType(*one), OperandType(*other));
}

/// The transposed matrix, made when it is first needed.
class Transposed {
 public:
  explicit Transposed(std::shared_ptr<const SparseMatrix> matrix) : matrix_(std::move(matrix)) {}
  const CsrMatrix& get() {
    std::call_once(once_, [&] { made_ = matrix_->to_csr().transposed(); });
    return *made_;
  }

 private:
  std::shared_ptr<const SparseMatrix> matrix_;
  std::once_flag once_;
  std::optional<CsrMatrix> made_;
};

}  // namespace

LinearOperator::LinearOperator(Parts parts)
    : parts_(std::make_shared<const Parts>(std::move(parts))) {}

LinearOperator LinearOperator::of(std::shared_ptr<const SparseMatrix> matrix) {
  const auto transposed = std::make_shared<Transposed>(matrix);
  const bool is_number = matrix->dtype().kind() != ScalarKind::structure;  // bfloat16 is none
  return LinearOperator(
      Parts{.apply = [matrix](const Array& x) { return matrix->multiply(x); },
            .apply_adjoint =
                [transposed](const Array& x) {
                  return conjugate(transposed->get().multiply(conjugate(x)));
                },
            .size = matrix->size(),
            .dtype = is_number ? std::optional(matrix->dtype().scalar()) : std::nullopt,
            .cast = [matrix](Scalar dtype) -> LinearOperator {
              const CsrMatrix csr = matrix->to_csr();
              return csr.with_data(array::in_dtype(csr.data(), dtype));
            },
            .matrix = matrix});
}

LinearOperator::LinearOperator(Function apply, const MatrixSize& size, std::optional<Scalar> dtype,
                               Function adjoint)
    : LinearOperator(Parts{.apply = std::move(apply),
                           .apply_adjoint = std::move(adjoint),
                           .size = size,
                           .dtype = dtype}) {
  if (!parts_->apply) throw InvalidArgument("a linear operator without a function", "pass one");
  if (size.rows < 0 || size.columns < 0)
    throw InvalidArgument("a linear operator of " + text_of(size), "pass sizes of 0 or more");
}

LinearOperator LinearOperator::dense(const Array& matrix) {
  if (matrix.rank() != 2)
    throw ShapeError("a matrix with " + std::to_string(matrix.rank()) + " axes",
                     "pass an array with two");
  return LinearOperator(
      Parts{.apply = [matrix](const Array& x) { return linalg::matmul(matrix, x); },
            .apply_adjoint =
                [matrix](const Array& x) {
                  return linalg::matmul(conjugate(array::transpose(matrix)), x);
                },
            .size = MatrixSize{matrix.shape()[0], matrix.shape()[1]},
            .dtype = matrix.dtype().scalar(),
            .cast = [matrix](Scalar dtype) -> LinearOperator {
              return dense(array::in_dtype(matrix, dtype));
            }});
}

LinearOperator LinearOperator::diagonal(const Array& factors) {
  if (factors.rank() != 1)
    throw ShapeError("a diagonal with " + std::to_string(factors.rank()) + " axes",
                     "pass an array with one");
  const auto by_row = [](const Array& factor) {
    return [factor](const Array& x) {
      return x.rank() == 1 ? factor * x : factor.at({Index::all(), Index::new_axis()}) * x;
    };
  };
  return LinearOperator(
      Parts{.apply = by_row(factors),
            .apply_adjoint = by_row(conjugate(factors)),
            .size = MatrixSize{factors.size(), factors.size()},
            .dtype = factors.dtype().scalar(),
            .cast = [factors](Scalar dtype) { return diagonal(array::in_dtype(factors, dtype)); },
            .factors = factors});
}

LinearOperator LinearOperator::identity(std::int64_t size, std::optional<Scalar> dtype) {
  const auto same = [](const Array& x) { return x; };
  return {same, {size, size}, dtype, same};
}

std::optional<MatrixSize> LinearOperator::size() const noexcept {
  return parts_ ? parts_->size : std::nullopt;
}

std::optional<Scalar> LinearOperator::dtype() const noexcept {
  return parts_ ? parts_->dtype : std::nullopt;
}

std::shared_ptr<const SparseMatrix> LinearOperator::matrix() const noexcept {
  return parts_ ? parts_->matrix : nullptr;
}

std::optional<Array> LinearOperator::row_factors() const {
  return parts_ ? parts_->factors : std::nullopt;
}

bool LinearOperator::has_adjoint() const noexcept { return parts_ && parts_->apply_adjoint; }

Array LinearOperator::apply(const Array& x) const {
  if (!parts_) throw InvalidState("a product with no linear operator", "make one of a matrix");
  if (x.rank() < 1 || x.rank() > 2 || (parts_->size && x.shape()[0] != parts_->size->columns))
    throw ShapeError(
        "an operator " +
            (parts_->size ? "of " + text_of(*parts_->size) : std::string("of any size")) +
            " by an array of shape " + shape_text(x.shape()),
        "pass a vector, or a matrix with as many rows as the operator has columns");
  Array made = parts_->apply(x);
  const std::int64_t rows = parts_->size ? parts_->size->rows : x.shape()[0];
  const bool fits = made.rank() == x.rank() && made.shape()[0] == rows &&
                    (x.rank() == 1 || made.shape()[1] == x.shape()[1]);
  if (!fits)
    throw ShapeError("a linear operator made shape " + shape_text(made.shape()) +
                         " of an array of shape " + shape_text(x.shape()),
                     "let the function return " + std::to_string(rows) + " rows");
  return made;
}

LinearOperator LinearOperator::adjoint() const {
  if (!has_adjoint())
    throw NotSupported("the adjoint of a linear operator that is one function",
                       "pass the function of its conjugated and transposed matrix, too");
  return LinearOperator(Parts{
      .apply = parts_->apply_adjoint,
      .apply_adjoint = parts_->apply,
      .size = parts_->size ? std::optional(MatrixSize{parts_->size->columns, parts_->size->rows})
                           : std::nullopt,
      .dtype = parts_->dtype});
}

LinearOperator LinearOperator::in_dtype(Scalar dtype) const {
  if (!parts_ || parts_->dtype == dtype) return *this;
  if (parts_->cast) return parts_->cast(dtype);
  Parts made{.size = parts_->size, .dtype = dtype};
  made.apply = [inner = parts_->apply, dtype](const Array& x) {
    return array::in_dtype(inner(x), dtype);
  };
  if (parts_->apply_adjoint)
    made.apply_adjoint = [inner = parts_->apply_adjoint, dtype](const Array& x) {
      return array::in_dtype(inner(x), dtype);
    };
  return LinearOperator(std::move(made));
}

LinearOperator LinearOperator::plus(const LinearOperator& other) const {
  if (!parts_ || !other.parts_) throw InvalidState("a sum with no linear operator", "make one");
  if (size() && other.size() && *size() != *other.size())
    throw ShapeError(
        "operators of " + text_of(*size()) + " and " + text_of(*other.size()) + " added",
        "pass operators of one size");
  const auto sum = [](const Function& one, const Function& two) -> Function {
    if (!one || !two) return nullptr;
    return [one, two](const Array& x) { return one(x) + two(x); };
  };
  return LinearOperator(
      Parts{.apply = sum(parts_->apply, other.parts_->apply),
            .apply_adjoint = sum(parts_->apply_adjoint, other.parts_->apply_adjoint),
            .size = size() ? size() : other.size(),
            .dtype = common_dtype(dtype(), other.dtype())});
}

LinearOperator LinearOperator::times(const LinearOperator& other) const {
  if (!parts_ || !other.parts_) throw InvalidState("a product with no linear operator", "make one");
  if (size() && other.size() && size()->columns != other.size()->rows)
    throw ShapeError(
        "an operator of " + text_of(*size()) + " after one of " + text_of(*other.size()),
        "pass one with as many rows as the first has columns");
  const auto composed = [](const Function& one, const Function& two) -> Function {
    if (!one || !two) return nullptr;
    return [one, two](const Array& x) { return one(two(x)); };
  };
  std::optional<MatrixSize> both;
  if (size() && other.size()) both = MatrixSize{size()->rows, other.size()->columns};
  return LinearOperator(
      Parts{.apply = composed(parts_->apply, other.parts_->apply),
            .apply_adjoint = composed(other.parts_->apply_adjoint, parts_->apply_adjoint),
            .size = both,
            .dtype = common_dtype(dtype(), other.dtype())});
}

LinearOperator LinearOperator::scaled(std::complex<double> factor) const {
  if (!parts_) throw InvalidState("a multiple of no linear operator", "make one");
  const auto scale = [](const Function& one, std::complex<double> by) -> Function {
    if (!one) return nullptr;
    if (by.imag() == 0) return [one, by](const Array& x) { return by.real() * one(x); };
    return [one, by](const Array& x) { return by * one(x); };
  };
  Parts made{.size = parts_->size, .dtype = parts_->dtype};
  made.apply = scale(parts_->apply, factor);
  made.apply_adjoint = scale(parts_->apply_adjoint, std::conj(factor));
  if (factor.imag() != 0) made.dtype = common_dtype(made.dtype, Scalar::complex64);
  return LinearOperator(std::move(made));
}

LinearOperator LinearOperator::transposed() const {
  const LinearOperator made = adjoint();
  const auto conjugated = [](const Function& one) -> Function {
    return [one](const Array& x) { return conjugate(one(conjugate(x))); };
  };
  Parts parts = *made.parts_;
  parts.apply = conjugated(parts.apply);
  parts.apply_adjoint = conjugated(parts.apply_adjoint);
  return LinearOperator(std::move(parts));
}

}  // namespace treadle::sparse
