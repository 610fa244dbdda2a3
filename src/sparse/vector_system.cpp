// SPDX-License-Identifier: MIT
#include "sparse/vector_system.hpp"

#include <algorithm>

#include "sparse/iteration.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/base/error.hpp"

namespace treadle::sparse {

VectorSystem::VectorSystem(const std::string& name, const LinearOperator& a, const Array& b,
                           const SolverOptions& options)
    : a_(a), options_(options), dtype_(working_dtype(a, b)), b_(array::in_dtype(b, dtype_)) {
  if (b.rank() != 1)
    throw ShapeError(name + " of b with shape " + shape_text(b.shape()),
                     "pass a vector: one axis, a column at a time");
  norm_ = norm_on_host(b_);
  require_finite(norm_);
  wanted_ = std::max(options.relative_tolerance * norm_, options.absolute_tolerance);
}

Array VectorSystem::preconditioned(const Array& r) const {
  if (!options_.preconditioner) return r;
  return array::in_dtype(options_.preconditioner.apply(r), dtype_);
}

Array VectorSystem::wanted_like(const Array& number) const { return number_like(number, wanted_); }

Array VectorSystem::start() const {
  return options_.start ? array::in_dtype(*options_.start, dtype_) : array::zeros_like(b_);
}

std::int64_t VectorSystem::most_iterations(std::int64_t unless_given) const {
  return options_.most_iterations > 0 ? options_.most_iterations : unless_given;
}

Solution VectorSystem::verified(const Iterate& iterate) const {
  if (norm_ == 0) return {array::zeros_like(b_), 0, 0, SolverEnd::converged};
  Array x = start(), residual = options_.start ? residual_of(x) : b_;
  double last = norm_on_host(residual);
  const std::int64_t most = most_iterations(10 * b_.size());
  std::int64_t done = 0;
  for (;;) {
    Solution found = iterate(x, residual, most - done);
    found.iterations = done += found.iterations;
    x = found.x;
    residual = residual_of(x);
    found.residual = norm_on_host(residual);
    if (found.end != SolverEnd::converged || found.residual <= tolerated * wanted_) return found;
    if (!(found.residual <= last / 2)) {
      found.end = SolverEnd::stagnation;
      return found;
    }
    last = found.residual;
    if (done >= most) {
      found.end = SolverEnd::iterations;
      return found;
    }
  }
}

}  // namespace treadle::sparse
