// SPDX-License-Identifier: MIT
// What iterative solvers take and give. All numbers of an iteration stay on the device, which also
// notes where each iteration ends: the result is that of the iteration that was good enough,
// however seldom the host looks.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "treadle/array/array.hpp"
#include "treadle/sparse/linear_operator.hpp"

namespace treadle::sparse {

/// How a solver goes. Each takes those without a name of a solver; others than its own have to be
/// as they are here, else InvalidArgument.
struct SolverOptions {
  double relative_tolerance = 1e-5;    ///< of the norm of b
  double absolute_tolerance = 0;       ///< of the residual's norm
  std::int64_t most_iterations = 0;    ///< 0: ten times the length of b
  std::optional<Array> start = {};     ///< else zeros
  LinearOperator preconditioner = {};  ///< of the residual: about the inverse matrix; none: nothing
  /// After each iteration, of the solution so far; of gmres() after each restart.
  std::function<void(const Array&)> callback = {};
  int check_every = 1;  ///< iterations between two looks of the host, which waits for them
  /// conjugate_gradients(): the dtype of the iteration, such as float32 of a float64 system. The
  /// residual of the system's own dtype replaces that of the iteration from time to time.
  std::optional<Scalar> inner_dtype = {};
  int restart = 20;  ///< gmres(): vectors that are kept; then the iteration begins again
  /// gmres(): after each step that the host looks at, the residual's norm divided by that of b.
  std::function<void(double)> on_norm = {};
  double shift = 0;  ///< minres(): of the diagonal, A - shift is solved
};

/// Why a solver ended.
enum class SolverEnd : std::uint8_t {
  converged,
  iterations,     ///< all that were allowed are done
  not_definite,   ///< (p, A p) <= 0 of a direction p: matrix or preconditioner is not as it must be
  not_a_number,   ///< NaN or an infinity came up
  breakdown,      ///< a number to be divided by vanished: another start or solver may help
  stagnation,     ///< the residual b - A x does not become smaller any more
  least_squares,  ///< there is no solution; x makes the residual as small as it can be
};
/// The same as a sentence for people.
std::string_view text_of(SolverEnd end) noexcept;

/// What a solver found of one right-hand side.
struct ColumnEnd {
  std::int64_t iterations;  ///< until x was good enough
  double residual;          ///< norm of b - A x; of a converged x recomputed
  SolverEnd end;            ///< why there
};

/// What a solver found.
struct Solution {
  Array x;                  ///< the solution, or what there is of it
  std::int64_t iterations;  ///< done; of several right-hand sides the most
  double residual;          ///< norm of b - A x; of several right-hand sides the largest
  SolverEnd end;            ///< of several right-hand sides the first that did not converge
  std::vector<ColumnEnd> columns = {};  ///< of each right-hand side
};

}  // namespace treadle::sparse

namespace treadle {

using sparse::ColumnEnd;
using sparse::Solution;
using sparse::SolverEnd;
using sparse::SolverOptions;

}  // namespace treadle
