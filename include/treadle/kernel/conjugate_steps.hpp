// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "treadle/codegen/conjugate_steps.hpp"
#include "treadle/device/copy.hpp"
#include "treadle/device/kernel.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/kernel/sparse_product.hpp"

namespace treadle::kernel {

/// Steps of conjugate gradients with a sparse matrix.
struct ConjugateSteps {
  SparseProduct product;    ///< of the matrix by a vector
  bool has_factor = false;  ///< the preconditioner: a number for each row
  /// How kernels share the work; none: as the size and the device suggest.
  std::optional<codegen::ConjugateParts> parts = {};
  unsigned lone_items = 0;  ///< work-items of a group that is alone; 0: as the device suggests
};
/// Memory of the device, dense; vectors of the product's dtype.
struct ConjugateArguments {
  device::Argument data, columns, starts;  ///< of the matrix, as SparseProductArguments
  device::Argument direction, product;     ///< product: with undefined contents
  device::Argument residual, solution;     ///< r and x
  device::Argument factor;                 ///< where there is one
  device::Argument state;                  ///< float64, twice ConjugateState::count
};
/// Queues steps that the state says are to be done, at most so many. They change all but matrix and
/// factor. Equal bits in every run. Throws as generate_conjugate_steps() and Stream::launch().
void launch_conjugate_steps(device::Stream& stream, const ConjugateSteps& what,
                            const ConjugateArguments& arguments, std::int64_t steps,
                            const device::Order& order = {});
/// How kernels share the work, if nobody says.
codegen::ConjugateParts conjugate_parts(device::Device& device, const SparseProduct& product);

}  // namespace treadle::kernel
