// SPDX-License-Identifier: MIT
// Computes expressions on arrays. A kernel for an expression and a class of loop is made at its
// first use and kept for the device.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "treadle/base/number.hpp"
#include "treadle/codegen/elementwise.hpp"
#include "treadle/codegen/expression.hpp"
#include "treadle/compile/compile.hpp"
#include "treadle/device/copy.hpp"
#include "treadle/device/kernel.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/kernel/prepared_launch.hpp"

namespace treadle::kernel {

/// An expression and its arrays and numbers.
struct ElementwiseLaunch {
  const codegen::Expression& expression;  ///< must be valid
  std::span<const std::int64_t> extents;  ///< extents of the outputs
  /// The outputs, then the leaves that are not in place. An output may overlap a leaf only if both
  /// have their elements at the same places; it may overlap nothing else.
  std::span<const ElementwiseArray> arrays;
  std::span<const ElementBytes> scalars = {};  ///< as many as the expression has
  std::optional<Schedule> schedule = {};       ///< none: DeviceTraits::schedule
};

/// The kernel of an expression on one device.
struct ElementwisePlan {
  codegen::ElementwiseText text;  ///< the compiled text
  device::Kernel kernel;          ///< loaded; does not keep the device alive
  unsigned group_size;            ///< work-items of a group
  compile::Origin origin;         ///< where the binary comes from
  double seconds;                 ///< time to compile or find the binary
};

/// The plan for a launch with these operands. The first call makes the plan, which takes long; if
/// several threads need a plan at once, one makes it and the others wait. The plan lives as long as
/// the device. Throws InvalidArgument for operands that do not fit the expression, NotSupported if
/// the device takes fewer bytes of parameters, and as Program.
const ElementwisePlan& plan_elementwise(device::Device& device, const ElementwiseLaunch& launch);

/// Prepares the launch of launch_elementwise() without queueing it; null if there is nothing to
/// run. Blocks and throws as plan_elementwise().
std::shared_ptr<const PreparedLaunch> prepare_elementwise(device::Device& device,
                                                          const ElementwiseLaunch& launch);

/// Queues the computation and returns a note of the kernel. If there are no elements, no kernel
/// runs, but `order` holds. Recent launches are kept: a launch that differs from one of them only
/// in the scalars and in the start of its arrays (equal modulo 16) is not prepared again. Throws as
/// plan_elementwise() and Stream::launch().
KernelNote launch_elementwise(device::Stream& stream, const ElementwiseLaunch& launch,
                              const device::Order& order = {});

}  // namespace treadle::kernel
