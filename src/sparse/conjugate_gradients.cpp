// SPDX-License-Identifier: MIT
#include "treadle/sparse/conjugate_gradients.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "treadle/array/creation.hpp"
#include "treadle/array/evaluate.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/base/error.hpp"

namespace treadle::sparse {
namespace {

/// A number that waits on the device, for which the host waits.
double on_host(const Array& number) {
  return array::cast(number, Scalar::float64).as<double>().front();
}

/// (x, y), of complex vectors the real part, which the products of this method have.
Array inner(const Array& x, const Array& y) { return array::real_part(array::vdot(x, y)); }

Array applied(const LinearOperator& function, const Array& x, const char* what) {
  const Array made = function(x);
  if (made.rank() != 1 || made.size() != x.size())
    throw ShapeError(std::string(what) + " made shape " + shape_text(made.shape()) +
                         " of a vector of " + std::to_string(x.size()),
                     "pass a square matrix of that size");
  return made;
}

void require_options(const Array& b, const CgOptions& options) {
  if (b.rank() != 1)
    throw ShapeError("b of shape " + shape_text(b.shape()), "pass a vector: one axis");
  if (!(options.relative_tolerance >= 0) || !(options.absolute_tolerance >= 0))
    throw InvalidArgument("tolerances of " + std::to_string(options.relative_tolerance) + " and " +
                              std::to_string(options.absolute_tolerance),
                          "pass numbers of 0 or more");
  if (options.check_every < 1 || options.most_iterations < 0)
    throw InvalidArgument("check_every = " + std::to_string(options.check_every) + " of " +
                              std::to_string(options.most_iterations) + " iterations",
                          "look every iteration, or every so many");
  if (options.start && (options.start->rank() != 1 || options.start->size() != b.size()))
    throw ShapeError("a start of shape " + shape_text(options.start->shape()) + " for " +
                         std::to_string(b.size()) + " unknowns",
                     "pass a vector as long as b");
}

}  // namespace

Solution conjugate_gradients(const LinearOperator& a, const Array& b, const CgOptions& options) {
  require_options(b, options);
  const double norm = b.size() > 0 ? std::sqrt(on_host(inner(b, b))) : 0;
  if (!std::isfinite(norm))
    throw InvalidArgument("b has elements that are not finite", "look for NaN and infinities");
  const double wanted = std::max(options.relative_tolerance * norm, options.absolute_tolerance);
  const std::int64_t most = options.most_iterations > 0 ? options.most_iterations : 10 * b.size();
  if (norm == 0) return {array::zeros_like(b), 0, 0, SolverEnd::converged};
  const auto precondition = [&](const Array& r) {
    return options.preconditioner ? applied(options.preconditioner, r, "the preconditioner") : r;
  };
  Array x = options.start ? array::cast(*options.start, b.dtype()) : array::zeros_like(b);
  Array r = options.start ? b - applied(a, x, "A") : b;
  Array p = precondition(r);
  Array rz = inner(r, p);
  double residual = std::sqrt(on_host(inner(r, r)));
  // 0 / 0 is 0: of a residual that has vanished between two looks.
  const auto quotient = [&](const Array& numerator, const Array& denominator) {
    return in_dtype(where(equal(rz, 0), 0, numerator / denominator), b.dtype());
  };
  for (std::int64_t done = 0;; ++done) {
    if (residual <= wanted) return {x, done, residual, SolverEnd::converged};
    if (done == most) return {x, done, residual, SolverEnd::iterations};
    const Array q = applied(a, p, "A"), curvature = inner(p, q);
    const Array alpha = quotient(rz, curvature);
    x = x + alpha * p;
    r = r - alpha * q;
    const Array z = precondition(r);
    const Array next_rz = inner(r, z), rr = options.preconditioner ? inner(r, r) : next_rz;
    p = z + quotient(next_rz, rz) * p;
    rz = next_rz;
    array::evaluate({x, r, p, rz, rr, curvature});
    if (options.callback) options.callback(x);
    if ((done + 1) % options.check_every != 0 && done + 1 != most) continue;
    residual = std::sqrt(on_host(rr));
    const double curved = on_host(curvature);
    if (!std::isfinite(residual) || !std::isfinite(curved))
      return {x, done + 1, residual, SolverEnd::not_a_number};
    if (curved <= 0 && residual > wanted) return {x, done + 1, residual, SolverEnd::not_definite};
  }
}

}  // namespace treadle::sparse
