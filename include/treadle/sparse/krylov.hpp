// SPDX-License-Identifier: MIT
// Solvers of square systems that need not be positive definite. All throw as conjugate_gradients().
#pragma once

#include "treadle/array/array.hpp"
#include "treadle/sparse/linear_operator.hpp"
#include "treadle/sparse/solver.hpp"

namespace treadle::sparse {

/// Solves A x = b, b a vector, by stabilised biconjugate gradients (van der Vorst 1992): two
/// products an iteration, and memory for seven vectors. Converged means that b - A x was computed.
Solution bicgstab(const LinearOperator& a, const Array& b, const SolverOptions& options = {});

/// Solves A x = b, b a vector, by generalised minimal residuals (Saad and Schultz 1986), with the
/// preconditioner on the left. `most_iterations` counts restarts, after each of which b - A x is
/// computed. Takes restart and on_norm.
Solution gmres(const LinearOperator& a, const Array& b, const SolverOptions& options = {});

/// Solves (A - shift) x = b, b a vector, for a symmetric (Hermitian) A by minimal residuals (Paige
/// and Saunders 1975); the preconditioner is positive definite. Ends where the residual's norm is
/// at most `relative_tolerance` times estimates of the norms of A and x, or where x is a solution
/// of least squares by that measure. Takes shift, no absolute_tolerance; `most_iterations` 0: five
/// times the length of b.
Solution minres(const LinearOperator& a, const Array& b, const SolverOptions& options = {});

/// The inverse of A - shift for a symmetric (Hermitian) A, which minres() applies to each vector.
/// Applying it throws InvalidArgument where A - shift is about singular.
LinearOperator shifted_inverse(const LinearOperator& a, double shift,
                               double relative_tolerance = 1e-12);

}  // namespace treadle::sparse
