// SPDX-License-Identifier: MIT
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "sparse/iteration.hpp"
#include "sparse/vector_system.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/evaluate.hpp"
#include "treadle/base/error.hpp"
#include "treadle/sparse/krylov.hpp"

namespace treadle::sparse {
namespace {

/// Lanczos' vectors, the last two directions, and the rotation that makes the tridiagonal matrix
/// triangular. Names are those of Paige and Saunders: numbers without axes, on the device.
class Minres {
 public:
  Minres(const VectorSystem& system, const SolverOptions& options, const Array& x,
         const Array& residual);

  void step();
  const Array& x() const noexcept { return x_; }
  const Progress& progress() const noexcept { return progress_; }

 private:
  Array number(double value) const { return number_like(beta_, value); }
  /// Whether the iteration ends, and why.
  void note(const Array& squared, const Array& root, const Array& gamma);

  const VectorSystem& system_;
  double tolerance_, shift_;
  Array x_, r1_, r2_, y_, w1_, w2_;
  Array beta1_, beta_, old_beta_, dbar_, epsilon_, phibar_, cs_, sn_, squares_, largest_, least_;
  std::int64_t done_ = 0;
  Progress progress_;
};

Minres::Minres(const VectorSystem& system, const SolverOptions& options, const Array& x,
               const Array& residual)
    : system_(system),
      tolerance_(options.relative_tolerance),
      shift_(options.shift),
      x_(x),
      r1_(residual),
      r2_(residual),
      y_(system.preconditioned(residual)),
      w1_(array::zeros_like(residual)),
      w2_(w1_),
      beta1_(sqrt(inner(residual, y_))),
      beta_(beta1_),
      old_beta_(number(0)),
      dbar_(old_beta_),
      epsilon_(old_beta_),
      phibar_(beta1_),
      cs_(number(-1)),
      sn_(old_beta_),
      squares_(old_beta_),
      largest_(old_beta_),
      least_(number(std::numeric_limits<double>::infinity())),
      progress_(beta1_, old_beta_) {}

void Minres::step() {
  const Array v = y_ / beta_;
  Array y = system_.product(v);
  if (shift_ != 0) y = y - shift_ * v;
  if (done_ > 0) y = y - beta_ / old_beta_ * r1_;
  const Array alpha = inner(v, y);
  y = y - alpha / beta_ * r2_;
  r1_ = r2_;
  r2_ = y;
  y_ = system_.preconditioned(r2_);
  old_beta_ = beta_;
  const Array squared = inner(r2_, y_);
  beta_ = sqrt(squared);
  squares_ = squares_ + alpha * alpha + old_beta_ * old_beta_ + squared;

  const Array old_epsilon = epsilon_, delta = cs_ * dbar_ + sn_ * alpha;
  const Array gbar = sn_ * dbar_ - cs_ * alpha;
  epsilon_ = sn_ * beta_;
  dbar_ = -(cs_ * beta_);
  const Array root = hypot(gbar, dbar_);
  const Array gamma = maximum(hypot(gbar, beta_), system_.precision());
  cs_ = gbar / gamma;
  sn_ = beta_ / gamma;
  const Array phi = cs_ * phibar_;
  phibar_ = sn_ * phibar_;
  const Array w = (v - old_epsilon * w1_ - delta * w2_) / gamma;
  w1_ = w2_;
  w2_ = w;
  x_ = where(logical_and(progress_.is_live(), isfinite(phi)), x_ + phi * w, x_);
  ++done_;
  note(squared, root, gamma);
  progress_.evaluate_with(
      {x_, r2_, y_, w2_, beta_, dbar_, epsilon_, phibar_, cs_, sn_, squares_, largest_, least_});
}

void Minres::note(const Array& squared, const Array& root, const Array& gamma) {
  const Array residual = phibar_;
  largest_ = maximum(largest_, gamma);
  least_ = minimum(least_, gamma);
  const double eps = system_.precision();
  const Array norm = sqrt(squares_), x_norm = norm_of(x_);
  const Array of_system = residual / (norm * x_norm), of_squares = root / norm;
  const double tolerance = std::max(tolerance_, eps / 2);  // 1 + eps / 2 is 1
  const Array is_solved = of_system <= tolerance;
  const Array is_least = of_squares <= tolerance;
  const Array is_rounding =
      logical_or(norm * x_norm * eps >= beta1_, largest_ / least_ >= 0.1 / eps);
  const Array is_finite = logical_and(isfinite(residual), isfinite(norm));
  // M x is an eigenvector of A where the first step leaves nothing.
  const Array is_eigenvector =
      done_ == 1 ? beta_ <= 10 * eps * beta1_ : not_equal(number(0), number(0));
  const auto code = [&](SolverEnd end) { return end_like(beta_, end); };
  const Array is_ended = logical_or(
      logical_or(logical_or(is_solved, is_least), logical_or(is_rounding, is_eigenvector)),
      logical_not(is_finite));
  progress_.note(is_ended,
                 where(logical_or(is_solved, is_eigenvector), code(SolverEnd::converged),
                       where(is_least, code(SolverEnd::least_squares),
                             where(is_finite, code(SolverEnd::stagnation),
                                   where(squared < 0, code(SolverEnd::not_definite),
                                         code(SolverEnd::not_a_number))))),
                 residual);
}

}  // namespace

Solution minres(const LinearOperator& a, const Array& b, const SolverOptions& options) {
  require_system("minres", a, b, options);
  if (options.absolute_tolerance != 0)
    throw InvalidArgument("minres with an absolute tolerance", "its measure is relative");
  const VectorSystem system("minres", a, b, options);
  if (system.norm() == 0) return {array::zeros_like(system.b()), 0, 0, SolverEnd::converged};
  const Array start = system.start();
  const auto residual_of = [&](const Array& x) {
    const Array r = system.residual_of(x);
    return options.shift == 0 ? r : r + options.shift * x;
  };
  Minres iteration(system, options, start, options.start ? residual_of(start) : system.b());
  Solution found = iterated(iteration, options, system.most_iterations(5 * system.b().size()));
  // The root of a number below 0.
  if (options.preconditioner && found.iterations == 0 && found.end == SolverEnd::not_a_number)
    found.end = SolverEnd::not_definite;
  found.residual = norm_on_host(residual_of(found.x));
  return found;
}

LinearOperator shifted_inverse(const LinearOperator& a, double shift, double relative_tolerance) {
  if (!a.size()) throw InvalidArgument("the inverse of a function of any length", "give it a size");
  const auto apply = [=](const Array& x) {
    const Solution found = minres(a, x,
                                  {.relative_tolerance = relative_tolerance,
                                   .most_iterations = 20 * x.size(),
                                   .check_every = 10,
                                   .shift = shift});
    if (found.end == SolverEnd::least_squares)
      throw InvalidArgument("A - shift is about singular for shift = " + std::to_string(shift),
                            "move it away from the eigenvalue");
    return found.x;
  };
  return {apply, *a.size(), a.dtype(), apply};
}

}  // namespace treadle::sparse
