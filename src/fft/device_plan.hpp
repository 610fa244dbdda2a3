// SPDX-License-Identifier: MIT
// What engines on a GPU are asked for: transforms of dense arrays, in plans of one shape.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "fft/host_task.hpp"
#include "treadle/device/kernel.hpp"
#include "treadle/device/stream.hpp"

namespace treadle::fft {

/// A transform of dense arrays, the innermost axis first.
struct PlanShape {
  static constexpr unsigned max_rank = 4;
  TransformKind kind = TransformKind::complex;  ///< a halved axis is the innermost
  bool is_forward = true;
  bool is_double = false;
  bool is_in_place = false;  ///< of a complex transform
  unsigned rank = 0;
  std::array<std::uint64_t, max_rank> extents = {};  ///< of the real side
  std::array<bool, max_rank> is_left_out = {};       ///< axes that are not transformed
  std::uint64_t batches = 1;

  std::string key() const;  ///< equal for equal plans
};

/// The memory of a run.
struct PlanRun {
  device::Location input, output;
  /// The arguments of fused texts.
  std::span<const device::Argument> arguments = {};
};

/// What transforms a shape on one device. Any thread.
class DevicePlan {
 public:
  virtual ~DevicePlan() = default;
  /// Queues the transform, not scaled. In place both are one; else generated kernels transform
  /// complex elements along the innermost axis alone. Forward it leaves its input as it is;
  /// backward the input is scratch behind it where a row takes several kernels (more than 16 KiB),
  /// and always for real results. With fused texts it is always left as it is.
  virtual void run(device::Stream& stream, const PlanRun& run) = 0;
};

}  // namespace treadle::fft
