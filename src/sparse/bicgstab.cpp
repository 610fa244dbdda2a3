// SPDX-License-Identifier: MIT
#include "sparse/iteration.hpp"
#include "sparse/vector_system.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/sparse/krylov.hpp"

namespace treadle::sparse {
namespace {

/// The iteration from one residual on; names are those of the paper.
class Bicgstab {
 public:
  Bicgstab(const VectorSystem& system, const Array& x, const Array& residual)
      : system_(system),
        x_(x),
        r_(residual),
        shadow_(residual),
        p_(residual),
        rho_(array::vdot(shadow_, r_)),
        shadow_norm_(norm_of(shadow_)),
        progress_(shadow_norm_, system.wanted_like(shadow_norm_)) {}

  void step();
  const Array& x() const noexcept { return x_; }
  const Progress& progress() const noexcept { return progress_; }

 private:
  const VectorSystem& system_;
  Array x_, r_, shadow_, p_, rho_, shadow_norm_;
  Progress progress_;
};

void Bicgstab::step() {
  const Array along = system_.preconditioned(p_), v = system_.product(along);
  const Array across = array::vdot(shadow_, v), alpha = rho_ / across;
  const Array s = r_ - alpha * v;
  const Array s_norm = norm_of(s), wanted = system_.wanted_like(s_norm);
  const Array is_half = s_norm <= wanted;  // good enough after the first half
  const Array further = system_.preconditioned(s), t = system_.product(further);
  const Array tt = inner(t, t), omega = array::vdot(t, s) / tt;
  const Array live = progress_.is_live();
  const Array both = x_ + alpha * along + omega * further, r = s - omega * t;
  const Array residual = where(is_half, s_norm, norm_of(r));
  x_ = where(logical_and(live, isfinite(residual)), where(is_half, x_ + alpha * along, both), x_);
  const Array rho = array::vdot(shadow_, r);
  const double eps = system_.precision();
  const Array has_broken = logical_or(logical_or(equal(across, 0), equal(omega, 0)),
                                      absolute(rho) <= (eps * eps) * (shadow_norm_ * residual));
  const Array is_small = residual <= wanted, is_finite = isfinite(residual);
  const auto code = [&](SolverEnd end) { return end_like(residual, end); };
  progress_.note(logical_or(logical_or(is_small, has_broken), logical_not(is_finite)),
                 where(is_small, code(SolverEnd::converged),
                       where(logical_or(has_broken, equal(across, 0)), code(SolverEnd::breakdown),
                             code(SolverEnd::not_a_number))),
                 residual);
  p_ = r + rho / rho_ * (alpha / omega) * (p_ - omega * v);
  r_ = r;
  rho_ = rho;
  progress_.evaluate_with({x_, r_, p_, rho_});
}

}  // namespace

Solution bicgstab(const LinearOperator& a, const Array& b, const SolverOptions& options) {
  require_system("bicgstab", a, b, options);
  const VectorSystem system("bicgstab", a, b, options);
  return system.verified([&](const Array& x, const Array& residual, std::int64_t most) -> Solution {
    Bicgstab iteration(system, x, residual);
    return iterated(iteration, options, most);
  });
}

}  // namespace treadle::sparse
