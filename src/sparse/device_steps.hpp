// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "treadle/array/array.hpp"
#include "treadle/kernel/conjugate_steps.hpp"
#include "treadle/sparse/linear_operator.hpp"
#include "treadle/sparse/solver.hpp"

namespace treadle::sparse {

/// Steps of conjugate gradients in kernels that decide about the end themselves.
class DeviceSteps {
 public:
  /// Of a matrix whose product is a part of a kernel, without a preconditioner or with a diagonal
  /// one, and a real vector like `b`. None for others.
  static std::optional<DeviceSteps> of(const LinearOperator& a,
                                       const LinearOperator& preconditioner, const Array& b,
                                       Scalar dtype);

  /// Dense arrays of the dtype that share no memory; steps change them.
  struct Vectors {
    Array solution, residual, direction;
  };
  /// Numbers of the device, without axes: (r, z), the norms of r and b, and what is small enough.
  struct Numbers {
    Array rz, residual, right_side, wanted;
    std::int64_t steps = 0;  ///< that were done before
  };
  /// Does not wait.
  void begin(const Vectors& vectors, const Numbers& numbers);
  /// Queues at most so many steps; none behind the end.
  void run(std::int64_t steps);
  /// How many steps are worth one look of the host, which waits, if nobody wants to see them.
  std::int64_t steps_at_once() const noexcept;
  /// What the host knows of the device's numbers once it has waited.
  struct Seen {
    ColumnEnd end;  ///< of a vector that goes on: SolverEnd::iterations
    double right_side, first_residual, wanted;
  };
  Seen look() const;

 private:
  DeviceSteps(ProductParts parts, std::optional<Array> factors, const Array& b);

  ProductParts parts_;
  std::optional<Array> factors_;
  kernel::ConjugateSteps what_;
  Array product_, state_;
  Vectors vectors_;
};

}  // namespace treadle::sparse
