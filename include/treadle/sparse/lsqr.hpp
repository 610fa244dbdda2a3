// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "treadle/array/array.hpp"
#include "treadle/sparse/linear_operator.hpp"

namespace treadle::sparse {

/// How lsqr() goes.
struct LsqrOptions {
  double damping = 0;                ///< of x: its square times the norm of x counts as residual
  double matrix_tolerance = 1e-6;    ///< the relative error of the elements of A
  double right_tolerance = 1e-6;     ///< of the elements of b
  double most_condition = 1e8;       ///< ends where A seems to have more than that; 0: never
  std::int64_t most_iterations = 0;  ///< 0: twice the columns of A
  std::optional<Array> start = {};   ///< else zeros
  bool has_variances = false;        ///< of the elements of x, whose sum takes a pass
  int check_every = 1;               ///< iterations between two looks of the host, which waits
};

/// Why lsqr() ended, by the numbers of Paige and Saunders.
enum class LsqrEnd : std::uint8_t {
  zero,            ///< x = the start is exact
  solved,          ///< A x = b, as exactly as the tolerances ask
  least_squares,   ///< b - A x is as small as it can be, as exactly as they ask
  condition,       ///< A is about singular
  solved_exactly,  ///< the same three, as exactly as the dtype has it
  least_exactly,
  singular,
  iterations,    ///< all that were allowed are done
  not_a_number,  ///< NaN or an infinity came up
};

/// What lsqr() found. Norms other than the residual's are estimates.
struct LsqrSolution {
  Array x;                  ///< the solution, or what there is of it
  LsqrEnd end;              ///< why it ended
  std::int64_t iterations;  ///< done
  double residual;          ///< norm of b - A x
  double damped_residual;   ///< with the damping times x
  double matrix_norm;       ///< Frobenius norm of A
  double condition;         ///< of A
  double gradient_norm;     ///< of the adjoint of A times the residual
  double norm;              ///< of x
  Array variances;          ///< diagonal of the inverse of A^H A; no array unless asked for
};

/// The x for which the norm of b - A x is least, A of any size, by bidiagonalisation (Paige and
/// Saunders 1982). A must have an adjoint. Throws NotSupported where there is none, ShapeError
/// unless b is a vector with as many elements as A has rows, InvalidArgument for tolerances below 0
/// and for a b that is not finite, before anything is iterated.
LsqrSolution lsqr(const LinearOperator& a, const Array& b, const LsqrOptions& options = {});

}  // namespace treadle::sparse

namespace treadle {

using sparse::LsqrEnd;
using sparse::LsqrOptions;
using sparse::LsqrSolution;

}  // namespace treadle
