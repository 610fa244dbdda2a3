// SPDX-License-Identifier: MIT
// Reductions of arrays, from their description to a launch. The kernel for a reduction and a class
// of loop is made when it is first needed, and kept for the device.
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

/// A reduction, and the arrays that it reads and writes.
struct ReductionLaunch {
  const codegen::ReductionExpression& expression;  ///< a valid one
  std::span<const std::int64_t> extents;           ///< of the elements
  std::span<const std::size_t> axes;               ///< those that are folded, in any order
  /// The leaves of the map, with a stride for each axis; then the outputs, and the arrays of the
  /// epilogue, with a stride for each axis that stays. No output may share memory with anything.
  std::span<const ElementwiseArray> arrays;
  std::span<const ElementBytes> scalars = {};  ///< those of the map, and then of the epilogue
  std::optional<Schedule> schedule = {};       ///< none: DeviceTraits::schedule
};

/// A kernel that was made for a reduction on one device.
struct ReductionPlan {
  codegen::ReductionText text;  ///< what was compiled
  device::Kernel kernel;        ///< loaded; does not keep the device alive
  compile::Origin origin;       ///< where the binary came from
  double seconds;               ///< to compile or find it
};

/// The plan for a launch with these operands; as plan_elementwise().
const ReductionPlan& plan_reduction(device::Device& device, const ReductionLaunch& launch);

/// What launch_reduction() does, without doing it; null where it runs nothing.
std::shared_ptr<const PreparedLaunch> prepare_reduction(device::Device& device,
                                                        const ReductionLaunch& launch);

/// Queues the reduction as one launch, and returns its note. Launches are kept, as by
/// launch_elementwise(). Where there are no results nothing runs, but the order holds. A fold of no
/// elements gives 0 for sums, 1 for products, false for any, true for all, and then the epilogue;
/// other folds of none throw ShapeError naming the fold. Throws InvalidArgument for operands that
/// do not fit and for axes that are not there or named twice, and as plan_elementwise() and
/// Stream::launch().
KernelNote launch_reduction(device::Stream& stream, const ReductionLaunch& launch,
                            const device::Order& order = {});

}  // namespace treadle::kernel
