// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "sparse/iteration.hpp"
#include "treadle/array/array.hpp"
#include "treadle/sparse/linear_operator.hpp"
#include "treadle/sparse/solver.hpp"

namespace treadle::sparse {

/// A system with one right-hand side, in the dtype in which it is solved.
class VectorSystem {
 public:
  /// Looks at b, and waits. Throws ShapeError for several right-hand sides, InvalidArgument for a b
  /// that is not finite.
  VectorSystem(const std::string& name, const LinearOperator& a, const Array& b,
               const SolverOptions& options);

  Array product(const Array& x) const { return array::in_dtype(a_.apply(x), dtype_); }
  Array preconditioned(const Array& r) const;
  Array residual_of(const Array& x) const { return b_ - product(x); }
  const Array& b() const noexcept { return b_; }
  double norm() const noexcept { return norm_; }      ///< of b
  double wanted() const noexcept { return wanted_; }  ///< the larger of both tolerances
  Array wanted_like(const Array& number) const;       ///< the same on the device
  Array start() const;                                ///< zeros where none was given
  std::int64_t most_iterations(std::int64_t unless_given) const;
  double precision() const { return precision_of(dtype_); }  ///< of the dtype
  Scalar dtype() const noexcept { return dtype_; }

  /// Iterates from x with that residual, at most so often.
  using Iterate = std::function<Solution(const Array& x, const Array& residual, std::int64_t most)>;
  /// Iterates until b - A x is as small as was wanted. A residual that the iteration says is small
  /// and is not starts it again, as long as that helps.
  Solution verified(const Iterate& iterate) const;

 private:
  LinearOperator a_;
  const SolverOptions& options_;
  Scalar dtype_;
  Array b_;
  double norm_ = 0, wanted_ = 0;
};

}  // namespace treadle::sparse
