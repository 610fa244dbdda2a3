// SPDX-License-Identifier: MIT
// Reduces arrays. A kernel for a reduction and a class of loop is made at its first use and kept
// for the device.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "treadle/base/schedule.hpp"
#include "treadle/codegen/reduction.hpp"
#include "treadle/compile/compile.hpp"
#include "treadle/device/copy.hpp"
#include "treadle/device/kernel.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/kernel/elementwise.hpp"

namespace treadle::kernel {

/// A reduction and its arrays.
struct ReductionLaunch {
  const codegen::ReductionExpression& expression;  ///< must be valid
  std::span<const std::int64_t> extents;           ///< extents of the elements
  std::span<const std::size_t> axes;               ///< the folded axes, in any order
  /// The leaves of the map, with a stride for each axis; then the outputs and the arrays of the
  /// epilogue, with a stride for each kept axis. An output must not overlap anything.
  std::span<const ElementwiseArray> arrays;
  /// The scalars of the map, then those of the epilogue.
  std::span<const ElementBytes> scalars = {};
  std::optional<Schedule> schedule = {};  ///< none: DeviceTraits::schedule
};

/// The kernel of a reduction on one device.
struct ReductionPlan {
  codegen::ReductionText text;  ///< the compiled text
  device::Kernel kernel;        ///< loaded; does not keep the device alive
  compile::Origin origin;       ///< where the binary comes from
  double seconds;               ///< time to compile or find the binary
};

/// The plan for a launch with these operands; see plan_elementwise().
const ReductionPlan& plan_reduction(device::Device& device, const ReductionLaunch& launch);

/// Prepares the launch of launch_reduction() without queueing it; null if there is nothing to run.
std::shared_ptr<const PreparedLaunch> prepare_reduction(device::Device& device,
                                                        const ReductionLaunch& launch);

/// Queues the reduction as one launch and returns its note. Recent launches are kept, as in
/// launch_elementwise(). If there are no results, no kernel runs, but `order` holds. A fold of no
/// elements gives 0 for sums, 1 for products, false for any and true for all, and the epilogue
/// follows; other folds of no elements throw ShapeError naming the fold. Throws InvalidArgument for
/// operands that do not fit and for an axis that does not exist or is named twice, and as
/// plan_elementwise() and Stream::launch().
KernelNote launch_reduction(device::Stream& stream, const ReductionLaunch& launch,
                            const device::Order& order = {});

}  // namespace treadle::kernel
