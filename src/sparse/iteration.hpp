// SPDX-License-Identifier: MIT
// What the solvers share: numbers that stay on the device, and what the device notes about the
// iteration for the host.
#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <utility>
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
/// Numbers of one dtype, without axes, in one array, which is one kernel. Few: each is an argument.
/// Where there is none but behind it, the element is any number.
Array side_by_side(const std::vector<Array>& numbers);

/// (x, y), of complex vectors the real part; of each column of several.
Array inner(const Array& x, const Array& y);
/// The root of (x, x); the second one waits for it.
Array norm_of(const Array& x);
double norm_on_host(const Array& x);
/// A number in the shape of another, on its device.
Array number_like(const Array& x, double value);
/// The number of a SolverEnd likewise.
Array end_like(const Array& x, SolverEnd end);

/// What 1 differs by from the next number of a dtype's parts.
double precision_of(const DType& dtype);

/// The dtype in which A x = b is solved: that of both, at least float32. Throws DTypeError.
Scalar working_dtype(const LinearOperator& a, const Array& b);
/// Throws for a norm of b that is not finite.
void require_finite(double norm_of_b);
/// Throws for numbers of iterations that no solver can do.
void require_iterations(std::int64_t check_every, std::int64_t most);
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
  /// Computes the vectors of a step, and what was noted of it, together.
  void evaluate_with(std::vector<Array> step) const;
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

/// Steps an iteration until it ends, at most so often; the host looks where the options say.
template <class Iteration>
Solution iterated(Iteration& iteration, const SolverOptions& options, std::int64_t most) {
  std::vector<ColumnEnd> now = iteration.progress().look();
  for (std::int64_t done = 0; done < most && Progress::goes_on(now);) {
    iteration.step();
    ++done;
    if (options.callback) options.callback(iteration.x());
    if (done % options.check_every == 0 || done == most) now = iteration.progress().look();
  }
  return solution_of(iteration.x(), std::move(now));
}

}  // namespace treadle::sparse
