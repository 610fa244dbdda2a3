// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "treadle/array/array.hpp"

namespace treadle::sparse {

using array::Array;

/// What a vector becomes: the product with a matrix, or a preconditioner.
using LinearOperator = std::function<Array(const Array&)>;

/// How conjugate_gradients() goes.
struct CgOptions {
  double relative_tolerance = 1e-5;    ///< of the norm of b
  double absolute_tolerance = 0;       ///< of the residual's norm
  std::int64_t most_iterations = 0;    ///< 0: ten times the length of b
  std::optional<Array> start = {};     ///< else zeros
  LinearOperator preconditioner = {};  ///< of the residual: about the inverse matrix; none: nothing
  std::function<void(const Array&)> callback =
      {};               ///< after each iteration, of the solution so far
  int check_every = 1;  ///< iterations between two looks at the residual, for which the host waits
};

/// Why a solver ended.
enum class SolverEnd : std::uint8_t {
  converged,
  iterations,    ///< all that were allowed are done
  not_definite,  ///< a direction p has (p, A p) <= 0: the matrix is not positive definite
  not_a_number,  ///< NaN or an infinity came up
};

/// What a solver found.
struct Solution {
  Array x;
  std::int64_t iterations;  ///< done
  double residual;          ///< norm of b - A x as the iteration has it
  SolverEnd end;
};

/// Solves A x = b for a symmetric (Hermitian) positive definite A by preconditioned conjugate
/// gradients (Hestenes and Stiefel 1952). Ends where the residual's norm is at most the larger of
/// both tolerances. All numbers of an iteration stay on the device; the host waits every
/// `check_every` iterations. Throws ShapeError unless b, `start` and products have one axis of one
/// length, InvalidArgument for tolerances below 0 and for a b that is not finite, before anything
/// is iterated.
Solution conjugate_gradients(const LinearOperator& a, const Array& b,
                             const CgOptions& options = {});

}  // namespace treadle::sparse

namespace treadle {

using sparse::CgOptions;
using sparse::Solution;
using sparse::SolverEnd;

}  // namespace treadle
