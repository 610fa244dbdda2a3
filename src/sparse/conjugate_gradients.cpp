// SPDX-License-Identifier: MIT
#include "treadle/sparse/conjugate_gradients.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "sparse/device_steps.hpp"
#include "sparse/iteration.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/base/error.hpp"

namespace treadle::sparse {
namespace {

/// Where the residual of an iteration in a smaller dtype has become so much smaller, that of the
/// system replaces it: float32 has about as many digits to give.
constexpr double replacement = 1e-1;

/// The float32 or float64 in which a system is iterated, complex where the system is.
Scalar inner_dtype_of(Scalar dtype, std::optional<Scalar> wanted) {
  if (!wanted) return dtype;
  if (*wanted != Scalar::float32 && *wanted != Scalar::float64)
    throw DTypeError("conjugate gradients that iterate in " + DType(*wanted).name(),
                     "pass float32 or float64");
  const bool is_complex = DType(dtype).kind() == ScalarKind::complex;
  if (*wanted == Scalar::float64) return is_complex ? Scalar::complex128 : Scalar::float64;
  return is_complex ? Scalar::complex64 : Scalar::float32;
}

/// One call. r, z, p, rz and the progress are in the inner dtype. If that is another one than the
/// system's, x is `base_` and `x_` added.
class ConjugateGradients {
 public:
  ConjugateGradients(const LinearOperator& a, const Array& b, const SolverOptions& options)
      : options_(options),
        dtype_(working_dtype(a, b)),
        inner_dtype_(inner_dtype_of(dtype_, options.inner_dtype)),
        a_(a),
        inner_a_(is_mixed() ? a.in_dtype(inner_dtype_) : a),
        b_(array::in_dtype(b, dtype_)),
        kernels_(DeviceSteps::of(inner_a_, options.preconditioner, b_, inner_dtype_)) {}

  Solution run();

 private:
  bool is_mixed() const { return inner_dtype_ != dtype_; }
  Array in_real(const Array& x) const {
    return array::in_dtype(x, DType(inner_dtype_).real_type());
  }
  Array preconditioned(const Array& r) const {
    if (!options_.preconditioner) return r;
    return array::in_dtype(options_.preconditioner.apply(r), inner_dtype_);
  }
  Array solution() const { return is_mixed() ? base_ + array::in_dtype(x_, dtype_) : x_; }
  Array residual_of(const Array& x) const { return b_ - array::in_dtype(a_.apply(x), dtype_); }
  void begin();
  /// The iteration goes on, or begins, with r, p and rz; `residual` is the norm.
  void continue_with(const Array& residual);
  /// What the host knows at the beginning. Kernels need not wait for it, unless somebody watches
  /// each step or replaces residuals.
  void look_first();
  /// Does steps until somebody has to look, at most so many. Returns how many.
  std::int64_t advance(std::int64_t most);
  void step();
  /// Takes this residual for that of the iteration, whose directions stay what they are.
  void replace_residual(const Array& residual);
  /// The host looks at the columns that go on.
  void look();
  bool goes_on() const;
  /// The largest residual of those.
  double largest_residual() const;
  /// Computes b - A x of columns that say they have converged. Whether one of them goes on.
  bool is_continued();

  /// What the host knows of a right-hand side.
  struct Column {
    double wanted = 0;               ///< the norm that is small enough
    std::optional<double> verified;  ///< the norm of the last b - A x; none: nobody has looked
    std::int64_t before = 0;         ///< steps before the iteration was continued
    bool is_final = false;
    ColumnEnd end = {0, 0, Progress::running};
  };
  const SolverOptions& options_;
  Scalar dtype_, inner_dtype_;
  LinearOperator a_, inner_a_;
  Array b_, x_, base_, r_, z_, p_, rz_, norm_, wanted_;
  std::optional<DeviceSteps> kernels_;  // which change x, r and p in place, and have the progress
  std::optional<Progress> progress_;
  std::vector<Column> columns_;
};

void ConjugateGradients::begin() {
  const Array norm = norm_of(b_);
  wanted_ = in_real(maximum(norm * options_.relative_tolerance, options_.absolute_tolerance));
  Array x = array::zeros_like(b_), r = b_;
  if (options_.start) {
    x = where(equal(norm, 0), 0, array::in_dtype(*options_.start, dtype_));  // A may be singular
    r = residual_of(x);
  }
  const Array residual = norm_of(r);
  r_ = array::in_dtype(r, inner_dtype_);
  z_ = p_ = preconditioned(r_);
  rz_ = inner(r_, z_);
  norm_ = in_real(norm);
  const Array first = in_real(residual);
  array::evaluate({x, r, norm_, wanted_, first, rz_});
  base_ = is_mixed() ? x : Array();
  x_ = is_mixed() ? array::zeros_like(x, inner_dtype_) : x;
  if (kernels_) {
    columns_.resize(1);
    continue_with(first);
    return look_first();
  }
  const std::vector<double> numbers = reals_of({norm_, wanted_, first});
  const std::size_t count = numbers.size() / 3;
  for (std::size_t k = 0; k < count; ++k) {
    require_finite(numbers[k]);
    columns_.push_back({.wanted = numbers[count + k], .verified = numbers[2 * count + k]});
  }
  continue_with(first);
  look();
}

void ConjugateGradients::look_first() {
  if (options_.callback || is_mixed()) look();
}

void ConjugateGradients::continue_with(const Array& residual) {
  if (!kernels_) return void(progress_.emplace(residual, wanted_));
  // Of its own memory each: b may be r, and r the direction. x is nobody else's.
  r_ = array::dense_copy(r_);
  p_ = array::dense_copy(p_);
  kernels_->begin({.solution = x_, .residual = r_, .direction = p_},
                  {.rz = rz_,
                   .residual = residual,
                   .right_side = norm_,
                   .wanted = wanted_,
                   .steps = columns_[0].end.iterations - columns_[0].before});
}

void ConjugateGradients::step() {
  const Array q = array::in_dtype(inner_a_.apply(p_), inner_dtype_), curvature = inner(p_, q);
  const Array is_definite = curvature > 0;
  const Array goes = logical_and(progress_->is_live(), is_definite), alpha = rz_ / curvature;
  x_ = where(goes, x_ + alpha * p_, x_);
  r_ = where(goes, r_ - alpha * q, r_);
  z_ = preconditioned(r_);
  const Array rz = inner(r_, z_);
  const Array rr = options_.preconditioner ? inner(r_, r_) : rz;
  p_ = where(goes, z_ + rz / rz_ * p_, p_);
  rz_ = rz;
  const Array residual = sqrt(rr), is_small = residual <= wanted_;
  const Array is_finite = logical_and(isfinite(curvature), isfinite(residual));
  const Array is_positive =
      options_.preconditioner ? logical_and(is_definite, rz > 0) : is_definite;
  const auto code = [&](SolverEnd end) { return end_like(residual, end); };
  progress_->note(logical_not(logical_and(logical_and(is_finite, is_positive), residual > wanted_)),
                  where(is_finite,
                        where(logical_and(is_small, is_definite), code(SolverEnd::converged),
                              code(SolverEnd::not_definite)),
                        code(SolverEnd::not_a_number)),
                  residual);
  progress_->evaluate_with({x_, r_, p_, rz_});
}

std::int64_t ConjugateGradients::advance(std::int64_t most) {
  if (!kernels_) {
    step();
    return 1;
  }
  std::int64_t steps = options_.callback ? 1 : options_.check_every;
  if (!options_.callback && !is_mixed()) steps = std::max(steps, kernels_->steps_at_once());
  kernels_->run(std::min(steps, most));
  return std::min(steps, most);
}

void ConjugateGradients::replace_residual(const Array& residual) {
  if (kernels_) z_ = preconditioned(r_);
  r_ = array::in_dtype(residual, inner_dtype_);
  const Array z = preconditioned(r_);
  p_ = p_ + (z - z_);
  z_ = z;
  rz_ = inner(r_, z_);
  if (is_mixed()) {
    base_ = solution();
    x_ = array::zeros_like(x_);
    array::evaluate({base_});
  }
  array::evaluate({x_, r_, p_, rz_});
}

void ConjugateGradients::look() {
  std::vector<ColumnEnd> now;
  if (kernels_) {
    const DeviceSteps::Seen seen = kernels_->look();
    require_finite(seen.right_side);
    columns_[0].wanted = seen.wanted;
    if (!columns_[0].verified) columns_[0].verified = seen.first_residual;
    now = {seen.end};
  } else {
    now = progress_->look();
  }
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    if (columns_[k].is_final) continue;
    columns_[k].end = now[k];
    columns_[k].end.iterations += columns_[k].before;
  }
}

bool ConjugateGradients::goes_on() const {
  return std::ranges::any_of(columns_, [](const Column& one) {
    return !one.is_final && one.end.end == Progress::running;
  });
}

double ConjugateGradients::largest_residual() const {
  double largest = 0;
  for (const Column& one : columns_)
    if (!one.is_final) largest = std::max(largest, one.end.residual);
  return largest;
}

bool ConjugateGradients::is_continued() {
  const Array residual = residual_of(solution()), norm = in_real(norm_of(residual));
  const std::vector<double> norms = reals_of(norm);
  std::vector<double> left(columns_.size(), 0);  // 0: the column has ended
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    Column& one = columns_[k];
    if (one.is_final) continue;
    one.end.residual = norms[k];
    one.is_final = one.end.end != SolverEnd::converged || norms[k] <= tolerated * one.wanted;
    if (one.is_final) continue;
    if (!(norms[k] <= *one.verified / 2)) {
      one.end.end = SolverEnd::stagnation;
      one.is_final = true;
      continue;
    }
    one.verified = norms[k];
    one.before = one.end.iterations;
    one.end.end = Progress::running;
    left[k] = 1;
  }
  if (std::ranges::count(left, 1.0) == 0) return false;
  const array::Shape shape(norm.shape().begin(), norm.shape().end());
  const Array counts = Array::from(left.data(), shape, Scalar::float64, {.stream = norm.stream()});
  replace_residual(residual);
  if (!is_mixed()) p_ = z_;  // rounding has spoilt the directions
  continue_with(norm * array::in_dtype(counts, norm.dtype()));
  return true;
}

Solution ConjugateGradients::run() {
  begin();
  const std::int64_t most =
      options_.most_iterations > 0 ? options_.most_iterations : 10 * b_.shape()[0];
  double replaced = largest_residual();
  std::int64_t done = 0;
  do {
    for (; done < most && goes_on();) {
      done += advance(most - done);
      if (options_.callback)
        options_.callback(kernels_ ? array::dense_copy(solution()) : solution());
      const bool is_due = kernels_ && !options_.callback;
      if (!is_due && done % options_.check_every != 0 && done != most) continue;
      look();
      if (is_due) done = columns_[0].end.iterations;  // kernels do no steps behind the end
      if (!is_mixed() || !goes_on() || largest_residual() > replacement * replaced) continue;
      replaced = largest_residual();
      const Array residual = residual_of(solution());
      replace_residual(residual);
      if (kernels_) continue_with(in_real(norm_of(residual)));
    }
    if (!is_continued()) break;
    kernels_ ? look_first() : look();
  } while (done < most);
  std::vector<ColumnEnd> ends;
  for (const Column& one : columns_) ends.push_back(one.end);
  return solution_of(solution(), std::move(ends));
}

}  // namespace

Solution conjugate_gradients(const LinearOperator& a, const Array& b,
                             const SolverOptions& options) {
  require_system("conjugate gradients", a, b, options);
  return ConjugateGradients(a, b, options).run();
}

}  // namespace treadle::sparse
