// SPDX-License-Identifier: MIT
// Expressions on arrays, from their description to a launch. The kernel for an expression and a
// class of loop is made when it is first needed, and kept for the device.
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

/// An expression, and the arrays and numbers that it is computed with.
struct ElementwiseLaunch {
  const codegen::Expression& expression;  ///< a valid one
  std::span<const std::int64_t> extents;  ///< of the outputs
  /// The outputs, then the leaves that no output replaces. An output may share memory with the leaf
  /// that it replaces, or with an array whose elements lie at the same places; with no other.
  std::span<const ElementwiseArray> arrays;
  std::span<const ElementBytes> scalars = {};  ///< as many as the expression has
  std::optional<Schedule> schedule = {};       ///< none: DeviceTraits::schedule
};

/// A kernel that was made for an expression on one device.
struct ElementwisePlan {
  codegen::ElementwiseText text;  ///< what was compiled
  device::Kernel kernel;          ///< loaded; does not keep the device alive
  unsigned group_size;            ///< work-items
  compile::Origin origin;         ///< where the binary came from
  double seconds;                 ///< to compile or find it
};

/// The plan for a launch with these operands. The first call makes the plan, which takes long;
/// several threads that want one plan make it once. The plan lives as long as the device. Throws
/// InvalidArgument if operands do not fit the expression, NotSupported if the device takes fewer
/// bytes of parameters, and as Program.
const ElementwisePlan& plan_elementwise(device::Device& device, const ElementwiseLaunch& launch);

/// What launch_elementwise() does, without doing it; null where it runs nothing. Blocks and throws
/// as plan_elementwise().
std::shared_ptr<const PreparedLaunch> prepare_elementwise(device::Device& device,
                                                          const ElementwiseLaunch& launch);

/// Queues the computation, and returns what runs. No elements run nothing, but their order holds.
/// Launches are kept: one that differs from a recent one only by where its arrays begin (equal
/// modulo 16) and by its scalars is not worked out again. Throws as plan_elementwise() and
/// Stream::launch().
KernelNote launch_elementwise(device::Stream& stream, const ElementwiseLaunch& launch,
                              const device::Order& order = {});

}  // namespace treadle::kernel
