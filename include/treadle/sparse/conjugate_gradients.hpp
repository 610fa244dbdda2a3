// SPDX-License-Identifier: MIT
#pragma once

#include "treadle/array/array.hpp"
#include "treadle/sparse/linear_operator.hpp"
#include "treadle/sparse/solver.hpp"

namespace treadle::sparse {

/// Solves A x = b for a symmetric (Hermitian) positive definite A by preconditioned conjugate
/// gradients (Hestenes and Stiefel 1952), with a preconditioner that is so, too. b is a vector, or
/// has a right-hand side in each column, of which each ends by itself. Ends where the residual's
/// norm is at most the larger of both tolerances; b - A x is computed then, and the iteration goes
/// on from there if it is more than 1.05 times that. Equal calls give equal bits. Takes
/// inner_dtype.
///
/// Throws ShapeError unless A is square and b, `start` and products fit, DTypeError for a b that is
/// no numbers, InvalidArgument for tolerances below 0 and for a b that is not finite, before
/// anything is iterated.
Solution conjugate_gradients(const LinearOperator& a, const Array& b,
                             const SolverOptions& options = {});

}  // namespace treadle::sparse
