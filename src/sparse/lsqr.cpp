// SPDX-License-Identifier: MIT
#include "treadle/sparse/lsqr.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "sparse/iteration.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/evaluate.hpp"
#include "treadle/base/error.hpp"

namespace treadle::sparse {
namespace {

/// The bidiagonalisation and its rotations. Names are those of Paige and Saunders: numbers without
/// axes, on the device.
class Lsqr {
 public:
  Lsqr(const LinearOperator& a, const Array& b, const LsqrOptions& options);

  void step();
  /// The host looks, and waits. Whether the iteration goes on.
  bool look();
  LsqrSolution solution() const;

 private:
  static constexpr double running = -1;
  Array number(double value) const { return number_like(beta_, value); }
  Array kept(const Array& fresh, const Array& old) const { return where(live_, fresh, old); }
  /// Turns (rho, damping) to a number; the residual's part that x cannot change.
  Array damped_rho();
  void update_norms(const Array& rho, const Array& theta, const Array& phi, const Array& tau);
  void note();

  LinearOperator a_, adjoint_;
  const LsqrOptions& options_;
  Scalar dtype_;
  double eps_, wanted_condition_;
  Array x_, u_, v_, w_, variances_;
  Array b_norm_, alpha_, beta_, rho_bar_, phi_bar_;
  Array matrix_norm_, dd_, res2_, xx_, z_, cs2_, sn2_;
  Array live_, count_, end_;
  std::vector<Array> shown_;  ///< residual, damped residual, norm of A, condition, gradient, x
  std::vector<double> seen_;
};

Lsqr::Lsqr(const LinearOperator& a, const Array& b, const LsqrOptions& options)
    : a_(a), adjoint_(a.adjoint()), options_(options), dtype_(working_dtype(a, b)) {
  eps_ = precision_of(dtype_);
  wanted_condition_ = options.most_condition > 0 ? 1 / options.most_condition : 0;
  const Array right = array::in_dtype(b, dtype_);
  b_norm_ = norm_of(right);
  require_finite(reals_of(b_norm_).front());
  u_ = right;
  if (options.start) {
    x_ = array::in_dtype(*options.start, dtype_);
    u_ = right - array::in_dtype(a_.apply(x_), dtype_);
  }
  beta_ = norm_of(u_);
  u_ = where(beta_ > 0, u_ / beta_, u_);
  v_ = array::in_dtype(adjoint_.apply(u_), dtype_);
  if (!x_.has_value()) x_ = array::zeros_like(v_);
  alpha_ = norm_of(v_);
  v_ = where(alpha_ > 0, v_ / alpha_, v_);
  w_ = v_;
  rho_bar_ = alpha_;
  phi_bar_ = beta_;
  matrix_norm_ = dd_ = res2_ = xx_ = z_ = sn2_ = number(0);
  cs2_ = number(-1);
  if (options.has_variances) variances_ = array::zeros_like(x_, DType(dtype_).real_type().scalar());
  live_ = alpha_ * beta_ > 0;
  count_ = number(0);
  end_ = where(live_, number(running), number(static_cast<double>(LsqrEnd::zero)));
  shown_ = {beta_, beta_, number(0), number(0), alpha_ * beta_, norm_of(x_)};
}

Array Lsqr::damped_rho() {
  if (options_.damping == 0) return rho_bar_;
  const Array rho = hypot(rho_bar_, options_.damping);
  const Array psi = options_.damping / rho * phi_bar_;
  phi_bar_ = rho_bar_ / rho * phi_bar_;
  res2_ = res2_ + psi * psi;
  return rho;
}

void Lsqr::step() {
  u_ = array::in_dtype(a_.apply(v_), dtype_) - alpha_ * u_;
  beta_ = norm_of(u_);
  u_ = where(beta_ > 0, u_ / beta_, u_);
  matrix_norm_ = sqrt(matrix_norm_ * matrix_norm_ + alpha_ * alpha_ + beta_ * beta_ +
                      options_.damping * options_.damping);
  v_ = array::in_dtype(adjoint_.apply(u_), dtype_) - beta_ * v_;
  alpha_ = norm_of(v_);
  v_ = where(alpha_ > 0, v_ / alpha_, v_);

  const Array rho1 = damped_rho(), rho = hypot(rho1, beta_);
  const Array cs = rho1 / rho, sn = beta_ / rho;
  const Array theta = sn * alpha_, phi = cs * phi_bar_;
  rho_bar_ = -(cs * alpha_);
  phi_bar_ = sn * phi_bar_;
  const Array direction = w_ / rho;
  x_ = kept(x_ + phi * direction, x_);
  dd_ = dd_ + inner(direction, direction);
  if (variances_.has_value())
    variances_ = kept(variances_ + square(absolute(direction)), variances_);
  w_ = v_ - theta / rho * w_;
  update_norms(rho, theta, phi, sn * phi);
  note();
  std::vector<Array> made{x_,  u_,    v_,  w_, alpha_, beta_, rho_bar_, phi_bar_, matrix_norm_,
                          dd_, res2_, xx_, z_, cs2_,   sn2_,  live_,    count_,   end_};
  if (variances_.has_value()) made.push_back(variances_);
  for (const Array& one : shown_) made.push_back(one);
  array::evaluate(made);
}

void Lsqr::update_norms(const Array& rho, const Array& theta, const Array& phi, const Array& tau) {
  const Array delta = sn2_ * rho, gamma_bar = -(cs2_ * rho);
  const Array right = phi - delta * z_, z_bar = right / gamma_bar;
  const Array x_norm = sqrt(xx_ + z_bar * z_bar), gamma = hypot(gamma_bar, theta);
  cs2_ = gamma_bar / gamma;
  sn2_ = theta / gamma;
  z_ = right / gamma;
  xx_ = xx_ + z_ * z_;
  const Array squared = phi_bar_ * phi_bar_ + res2_, damped = sqrt(squared);
  const double damping = options_.damping;
  const Array plain = damping == 0 ? damped : sqrt(maximum(squared - (damping * damping) * xx_, 0));
  const Array fresh[] = {
      plain, damped, matrix_norm_, matrix_norm_ * sqrt(dd_), alpha_ * absolute(tau), x_norm};
  for (std::size_t k = 0; k < shown_.size(); ++k) shown_[k] = kept(fresh[k], shown_[k]);
}

void Lsqr::note() {
  count_ = count_ + where(live_, number(1), number(0));
  const Array &residual = shown_[1], &norm = shown_[2], &condition = shown_[3],
              &gradient = shown_[4], &x_norm = shown_[5];
  const double tiny = std::numeric_limits<float>::min();
  const Array scale = norm * x_norm / b_norm_;
  const Array solved = residual / b_norm_, least = gradient / (norm * residual + tiny);
  const Array singular = 1 / (condition + tiny);
  const double half = eps_ / 2;  // 1 + half is 1
  const std::pair<Array, LsqrEnd> tests[] = {
      {singular <= half, LsqrEnd::singular},
      {least <= half, LsqrEnd::least_exactly},
      {solved / (1 + scale) <= half, LsqrEnd::solved_exactly},
      {singular <= wanted_condition_, LsqrEnd::condition},
      {least <= options_.matrix_tolerance, LsqrEnd::least_squares},
      {solved <= options_.right_tolerance + options_.matrix_tolerance * scale, LsqrEnd::solved},
      {logical_not(isfinite(residual)), LsqrEnd::not_a_number},
  };
  Array end = end_;
  for (const auto& [holds, which] : tests)
    end = where(holds, number(static_cast<double>(which)), end);
  end_ = kept(end, end_);
  live_ = equal(end_, running);
}

bool Lsqr::look() {
  std::vector<Array> numbers = shown_;
  numbers.push_back(count_);
  numbers.push_back(end_);
  seen_ = reals_of(numbers);
  return seen_.back() == running;
}

LsqrSolution Lsqr::solution() const {
  const double end = seen_.back();
  return {.x = x_,
          .end = end == running ? LsqrEnd::iterations : static_cast<LsqrEnd>(static_cast<int>(end)),
          .iterations = static_cast<std::int64_t>(seen_[6]),
          .residual = seen_[0],
          .damped_residual = seen_[1],
          .matrix_norm = seen_[2],
          .condition = seen_[3],
          .gradient_norm = seen_[4],
          .norm = seen_[5],
          .variances = variances_};
}

void require(const LinearOperator& a, const Array& b, const LsqrOptions& options) {
  if (!a) throw InvalidArgument("lsqr of no matrix", "pass one, or a function with an adjoint");
  const std::int64_t rows = a.size() ? a.size()->rows : (b.rank() == 1 ? b.size() : -1);
  if (b.rank() != 1 || b.size() != rows)
    throw ShapeError("b of shape " + shape_text(b.shape()) + " of a matrix with " +
                         std::to_string(rows) + " rows",
                     "pass a vector: one axis, an element for each row");
  if (!(options.matrix_tolerance >= 0) || !(options.right_tolerance >= 0) ||
      !(options.most_condition >= 0) || !(options.damping >= 0))
    throw InvalidArgument("lsqr with a tolerance, condition or damping below 0",
                          "pass numbers of 0 or more");
  require_iterations(options.check_every, options.most_iterations);
  if (options.start && a.size() &&
      (options.start->rank() != 1 || options.start->size() != a.size()->columns))
    throw ShapeError("a start of shape " + shape_text(options.start->shape()) + " for " +
                         std::to_string(a.size()->columns) + " unknowns",
                     "pass a vector with an element for each column");
}

}  // namespace

LsqrSolution lsqr(const LinearOperator& a, const Array& b, const LsqrOptions& options) {
  require(a, b, options);
  Lsqr iteration(a, b, options);
  const std::int64_t columns = a.size() ? a.size()->columns : b.size();
  const std::int64_t most = options.most_iterations > 0 ? options.most_iterations : 2 * columns;
  bool goes_on = iteration.look();
  for (std::int64_t done = 0; done < most && goes_on;) {
    iteration.step();
    ++done;
    if (done % options.check_every == 0 || done == most) goes_on = iteration.look();
  }
  return iteration.solution();
}

}  // namespace treadle::sparse
