// SPDX-License-Identifier: MIT
// What the solvers share: numbers that stay on the device, and what the device notes about the
// iteration for the host.
#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "treadle/array/array.hpp"
#include "treadle/sparse/linear_operator.hpp"
#include "treadle/sparse/solver.hpp"

namespace treadle::sparse {

/// How many times what was wanted b - A x may be.
inline constexpr double tolerated = 1.05;

/// Elements of an array on the host, which waits for them.
std::vector<std::complex<double>> numbers_of(const Array& x);
std::vector<double> reals_of(const Array& x);  ///< real parts
/// Several numbers of the device, in one copy. All have the dtype and shape of the first.
std::vector<double> reals_of(const std::vector<Array>& numbers);

/// (x, y), of complex vectors the real part; of each column of several.
Array inner(const Array& x, const Array& y);
/// A number in the shape of another, on its device.
Array number_like(const Array& x, double value);

/// The dtype in which A x = b is solved: that of both, at least float32. Throws DTypeError.
Scalar working_dtype(const LinearOperator& a, const Array& b);
/// Throws unless the options fit b and A is square. `name` is the solver's.
void require_system(const std::string& name, const LinearOperator& a, const Array& b,
                    const SolverOptions& options);

/// What the device notes of an iteration, for each column: whether it goes on, how many steps were
/// done, the residual's norm, and why it ended.
class Progress {
 public:
  /// `residual`: the norm at the beginning. Columns go on where it is above `wanted`.
  Progress(const Array& residual, const Array& wanted);

  const Array& is_live() const noexcept { return live_; }
  /// Counts a step of the columns that are live. `is_ended` says which end here, and `end` why, as
  /// the number of a SolverEnd. Columns that ended stay as they are.
  void note(const Array& is_ended, const Array& end, const Array& residual);
  /// The norm of a residual that ends where it is small enough, or not a number.
  void note_residual(const Array& residual);
  /// To be evaluated with the vectors of a step.
  std::vector<Array> arrays() const { return {live_, count_, end_, residual_}; }
  /// The host looks, and waits.
  std::vector<ColumnEnd> look() const;
  /// Whether a column goes on, as of the last look.
  static bool goes_on(const std::vector<ColumnEnd>& columns);
  /// Of a column that goes on.
  static constexpr SolverEnd running = SolverEnd::iterations;

 private:
  Array wanted_, live_, count_, end_, residual_;
};

/// The largest of each, and the first end that is no convergence.
Solution solution_of(Array x, std::vector<ColumnEnd> columns);

}  // namespace treadle::sparse
