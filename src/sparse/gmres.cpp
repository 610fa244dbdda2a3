// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include "sparse/iteration.hpp"
#include "sparse/orthonormal_basis.hpp"
#include "sparse/vector_system.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/joining.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/base/error.hpp"
#include "treadle/sparse/krylov.hpp"

namespace treadle::sparse {
namespace {

using Complex = std::complex<double>;

/// The small least-squares problem of a cycle, made triangular by rotations column by column.
class Triangle {
 public:
  explicit Triangle(double norm) : right_{norm} {}

  /// Adds column k of k + 2 coefficients. The norm of the residual that is left.
  double add(std::vector<Complex> column) {
    const std::size_t k = columns_.size();
    for (std::size_t i = 0; i < k; ++i) {
      const auto [c, s] = rotations_[i];
      const Complex upper = column[i], lower = column[i + 1];
      column[i] = c * upper + s * lower;
      column[i + 1] = -std::conj(s) * upper + c * lower;
    }
    const double size = std::hypot(std::abs(column[k]), std::abs(column[k + 1]));
    double c = 1;
    Complex s = 0;
    if (std::abs(column[k]) == 0 && size != 0) {
      c = 0;
      s = std::conj(column[k + 1]) / size;
    } else if (size != 0) {
      c = std::abs(column[k]) / size;
      s = column[k] / std::abs(column[k]) * std::conj(column[k + 1]) / size;
    }
    const Complex upper = right_[k];
    column[k] = c * column[k] + s * column[k + 1];
    right_[k] = c * upper;
    right_.push_back(-std::conj(s) * upper);
    column.resize(k + 1);
    columns_.push_back(std::move(column));
    rotations_.emplace_back(c, s);
    return std::abs(right_.back());
  }
  std::size_t size() const noexcept { return columns_.size(); }
  /// The weights of the basis vectors. A singular last column counts as nothing.
  std::vector<Complex> solved() const {
    std::vector<Complex> y(right_.begin(), right_.end() - 1);
    for (std::size_t k = y.size(); k-- > 0;) {
      y[k] = columns_[k][k] == 0.0 ? 0 : y[k] / columns_[k][k];
      for (std::size_t i = 0; i < k; ++i) y[i] -= y[k] * columns_[k][i];
    }
    return y;
  }

 private:
  std::vector<std::vector<Complex>> columns_;
  std::vector<std::pair<double, Complex>> rotations_;
  std::vector<Complex> right_;
};

/// What a cycle came to.
struct Cycle {
  Array x;
  std::int64_t steps = 0;
  double residual = 0;  ///< of the preconditioned system, as the rotations have it
  bool has_broken = false, is_finite = true;
};

/// Up to `restart` steps from x; `wanted` is of the preconditioned residual.
Cycle run_cycle(const VectorSystem& system, const SolverOptions& options, const Array& x,
                const Array& residual, double wanted) {
  const std::int64_t restart = std::min<std::int64_t>(options.restart, system.b().size());
  const Array first = system.preconditioned(residual);
  Cycle made{.x = x};
  made.residual = norm_on_host(first);
  made.is_finite = std::isfinite(made.residual);
  if (!made.is_finite || made.residual == 0) return made;
  OrthonormalBasis basis(first, restart + 1);
  Triangle triangle(made.residual);
  std::vector<Array> columns;  // those that the host has not looked at
  bool is_done = false;
  for (std::int64_t k = 0; k < restart && !is_done; ++k) {
    const Array w = system.preconditioned(system.product(basis.vector(k)));
    const OrthonormalBasis::Step step = basis.add(w);
    columns.push_back(step.coefficients);
    if ((k + 1) % options.check_every != 0 && k + 1 != restart) continue;
    for (const Array& column : columns) {
      std::vector<Complex> numbers = numbers_of(column);  // the last is the norm of w
      const double size = numbers.back().real();
      numbers.pop_back();
      made.has_broken =
          std::abs(numbers.back()) <= OrthonormalBasis::least * system.precision() * size;
      if (made.has_broken) numbers.back() = 0;
      made.is_finite = std::isfinite(size);
      if (!made.is_finite) break;
      made.residual = triangle.add(std::move(numbers));
      if (options.on_norm) options.on_norm(made.residual / system.norm());
      is_done = made.residual <= wanted || made.has_broken;
      if (is_done) break;
    }
    columns.clear();
    is_done = is_done || !made.is_finite;
  }
  made.steps = static_cast<std::int64_t>(triangle.size());
  if (made.steps > 0) made.x = x + basis.combined(triangle.solved());
  return made;
}

}  // namespace

Solution gmres(const LinearOperator& a, const Array& b, const SolverOptions& options) {
  require_system("gmres", a, b, options);
  if (options.restart < 1)
    throw InvalidArgument("restart = " + std::to_string(options.restart), "keep a vector or more");
  const VectorSystem system("gmres", a, b, options);
  if (system.norm() == 0) return {array::zeros_like(system.b()), 0, 0, SolverEnd::converged};
  Solution found{.x = system.start(), .iterations = 0, .residual = 0, .end = SolverEnd::converged};
  Array residual = options.start ? system.residual_of(found.x) : system.b();
  found.residual = norm_on_host(residual);
  // What the preconditioned residual has to be for the real one to be small enough is a guess,
  // which each cycle mends.
  const double ratio = norm_on_host(system.preconditioned(system.b())) / system.norm();
  double factor = 1, wanted = ratio * std::min(system.norm(), system.wanted());
  const std::int64_t most = system.most_iterations(10 * system.b().size());
  for (std::int64_t cycle = 0; found.residual > system.wanted(); ++cycle) {
    if (cycle == most) {
      found.end = SolverEnd::iterations;
      return found;
    }
    const Cycle made = run_cycle(system, options, found.x, residual, wanted);
    const double before = found.residual;
    found.iterations += made.steps;
    found.x = made.x;
    residual = system.residual_of(found.x);
    found.residual = norm_on_host(residual);
    if (options.callback) options.callback(found.x);
    if (!made.is_finite || !std::isfinite(found.residual)) {
      found.end = SolverEnd::not_a_number;
      return found;
    }
    if (found.residual <= system.wanted()) break;
    // A cycle is a function of x: one that changes nothing will do so again.
    const bool helps = found.residual < before * (1 - 1e-3 * std::sqrt(system.precision()));
    if (made.has_broken || !helps) {
      found.end = made.has_broken ? SolverEnd::breakdown : SolverEnd::stagnation;
      return found;
    }
    factor = made.residual <= wanted ? std::max(system.precision(), 0.25 * factor)
                                     : std::min(1.0, 1.5 * factor);
    wanted = made.residual * std::min(factor, system.wanted() / found.residual);
  }
  return found;
}

}  // namespace treadle::sparse
