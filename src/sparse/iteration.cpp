// SPDX-License-Identifier: MIT
#include "sparse/iteration.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "treadle/array/creation.hpp"
#include "treadle/array/evaluate.hpp"
#include "treadle/array/joining.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/base/error.hpp"
#include "treadle/base/promotion.hpp"

namespace treadle::sparse {
namespace {

template <class T>
std::vector<std::complex<double>> read(const Array& x) {
  std::vector<T> values(static_cast<std::size_t>(x.size()));
  x.get(static_cast<void*>(values.data()));
  return {values.begin(), values.end()};
}

}  // namespace

std::string_view text_of(SolverEnd end) noexcept {
  switch (end) {
    case SolverEnd::converged:
      return "converged";
    case SolverEnd::iterations:
      return "all iterations that were allowed are done";
    case SolverEnd::not_definite:
      return "(p, A p) is not above 0 for a direction p: A or M is not positive definite";
    case SolverEnd::not_a_number:
      return "NaN or an infinity came up";
    case SolverEnd::breakdown:
      return "a number to be divided by vanished";
    case SolverEnd::stagnation:
      return "b - A x does not become smaller any more";
    case SolverEnd::least_squares:
      return "there is no solution: b - A x is as small as it can be";
  }
  return "";
}

std::vector<std::complex<double>> numbers_of(const Array& x) {
  switch (x.dtype().scalar()) {
    case Scalar::float32:
      return read<float>(x);
    case Scalar::float64:
      return read<double>(x);
    case Scalar::complex64:
      return read<std::complex<float>>(x);
    case Scalar::complex128:
      return read<std::complex<double>>(x);
    default:
      return numbers_of(array::cast(x, Scalar::float32));
  }
}

std::vector<double> reals_of(const Array& x) {
  std::vector<double> values;
  for (const std::complex<double>& value : numbers_of(x)) values.push_back(value.real());
  return values;
}

Array side_by_side(const std::vector<Array>& numbers) {
  const auto count = static_cast<std::int64_t>(numbers.size());
  const Array place =
      array::arange(0, count, 1, Scalar::int32, {.stream = numbers.front().stream()});
  Array made = numbers.back();
  for (std::int64_t k = 0; k + 1 < count; ++k) {
    const Array& number = numbers[static_cast<std::size_t>(k)];
    if (number.has_value()) made = where(equal(place, k), number, made);
  }
  return count > 1 ? made : array::ravel(made);
}

std::vector<double> reals_of(const std::vector<Array>& numbers) {
  constexpr std::size_t most_arguments = 8;
  const auto has_axes = [](const Array& x) { return x.rank() != 0; };
  if (numbers.size() <= most_arguments && std::ranges::none_of(numbers, has_axes))
    return reals_of(side_by_side(numbers));
  std::vector<Array> flat;
  for (const Array& number : numbers) flat.push_back(array::ravel(number));
  return reals_of(array::concatenate(flat));
}

Array inner(const Array& x, const Array& y) {
  if (x.rank() == 1) return array::real_part(array::vdot(x, y));
  const bool is_complex = x.dtype().kind() == ScalarKind::complex;
  return array::real_part(array::sum(is_complex ? conjugate(x) * y : x * y, {.axes = 0}));
}

Array norm_of(const Array& x) { return sqrt(inner(x, x)); }
double norm_on_host(const Array& x) { return reals_of(norm_of(x)).front(); }

Array number_like(const Array& x, double value) { return array::full_like(x, value); }
Array end_like(const Array& x, SolverEnd end) { return number_like(x, static_cast<double>(end)); }

double precision_of(const DType& dtype) {
  return dtype.real_type() == Scalar::float32 ? double{std::numeric_limits<float>::epsilon()}
                                              : std::numeric_limits<double>::epsilon();
}

Scalar working_dtype(const LinearOperator& a, const Array& b) {
  const ScalarKind kind = b.dtype().kind();
  if (kind == ScalarKind::structure || kind == ScalarKind::boolean)
    throw DTypeError("b of " + b.dtype().name(), "pass floating-point or complex numbers");
  Scalar dtype = promote(OperandType(b.dtype().scalar()), OperandType(Scalar::float32));
  if (a.dtype()) dtype = promote(OperandType(dtype), OperandType(*a.dtype()));
  return dtype;
}

void require_finite(double norm_of_b) {
  if (!std::isfinite(norm_of_b))
    throw InvalidArgument("b has elements that are not finite", "look for NaN and infinities");
}

void require_iterations(std::int64_t check_every, std::int64_t most) {
  if (check_every < 1 || most < 0)
    throw InvalidArgument("check_every = " + std::to_string(check_every) + " of " +
                              std::to_string(most) + " iterations",
                          "look every iteration, or every so many");
}

void require_system(const std::string& name, const LinearOperator& a, const Array& b,
                    const SolverOptions& options) {
  if (!a) throw InvalidArgument(name + " of no matrix", "pass one, or a function");
  const auto require_square = [&](const char* what, const LinearOperator& one) {
    const std::optional<MatrixSize> size = one.size();
    if (size && (size->rows != size->columns || size->rows != b.shape()[0]))
      throw ShapeError(std::string(what) + " is " + std::to_string(size->rows) + " x " +
                           std::to_string(size->columns) + ", b has " +
                           std::to_string(b.shape()[0]) + " rows",
                       name + " solves square systems: as many rows as columns");
  };
  if (b.rank() < 1 || b.rank() > 2)
    throw ShapeError("b of shape " + shape_text(b.shape()), "pass a vector: one axis");
  require_square("A", a);
  if (options.preconditioner) require_square("M", options.preconditioner);
  if (!(options.relative_tolerance >= 0) || !(options.absolute_tolerance >= 0))
    throw InvalidArgument("tolerances of " + std::to_string(options.relative_tolerance) + " and " +
                              std::to_string(options.absolute_tolerance),
                          "pass numbers of 0 or more");
  require_iterations(options.check_every, options.most_iterations);
  if (options.start && !std::ranges::equal(options.start->shape(), b.shape()))
    throw ShapeError("a start of shape " + shape_text(options.start->shape()) + " for b of shape " +
                         shape_text(b.shape()),
                     "pass one of the shape of b");
}

Progress::Progress(const Array& residual, const Array& wanted)
    : wanted_(wanted),
      live_(residual > wanted),
      count_(number_like(residual, 0)),
      end_(where(live_, end_like(residual, running),
                 where(isfinite(residual), end_like(residual, SolverEnd::converged),
                       end_like(residual, SolverEnd::not_a_number)))),
      residual_(residual) {}

void Progress::note(const Array& is_ended, const Array& end, const Array& residual) {
  count_ = count_ + where(live_, number_like(count_, 1), number_like(count_, 0));
  residual_ = where(live_, residual, residual_);
  const Array ends_here = logical_and(live_, is_ended);
  end_ = where(ends_here, end, end_);
  live_ = logical_and(live_, logical_not(is_ended));
}

void Progress::note_residual(const Array& residual) {
  const Array is_number = isfinite(residual);
  note(logical_not(logical_and(is_number, residual > wanted_)),
       where(is_number, end_like(residual, SolverEnd::converged),
             end_like(residual, SolverEnd::not_a_number)),
       residual);
}

void Progress::evaluate_with(std::vector<Array> step) const {
  step.insert(step.end(), {live_, count_, end_, residual_});
  array::evaluate(step);
}

std::vector<ColumnEnd> Progress::look() const {
  const std::vector<double> values = reals_of(std::vector{count_, residual_, end_});
  const std::size_t columns = values.size() / 3;
  std::vector<ColumnEnd> found;
  for (std::size_t k = 0; k < columns; ++k)
    found.push_back({static_cast<std::int64_t>(values[k]), values[columns + k],
                     static_cast<SolverEnd>(static_cast<int>(values[2 * columns + k]))});
  return found;
}

bool Progress::goes_on(const std::vector<ColumnEnd>& columns) {
  return std::ranges::any_of(columns, [](const ColumnEnd& one) { return one.end == running; });
}

Solution solution_of(Array x, std::vector<ColumnEnd> columns) {
  Solution found{.x = std::move(x), .iterations = 0, .residual = 0, .end = SolverEnd::converged};
  for (const ColumnEnd& one : columns) {
    found.iterations = std::max(found.iterations, one.iterations);
    if (!(one.residual <= found.residual)) found.residual = one.residual;
    if (found.end == SolverEnd::converged) found.end = one.end;
  }
  found.columns = std::move(columns);
  return found;
}

}  // namespace treadle::sparse
