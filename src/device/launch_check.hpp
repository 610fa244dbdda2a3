// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "treadle/device/kernel.hpp"

namespace treadle::device {

/// Throws what is wrong with a launch on `device`, before anything is queued; see Stream::launch.
void check_launch(const Kernel& kernel, const LaunchShape& shape,
                  std::span<const Argument> arguments, const Device& device);

/// "(float *a)"; empty where neither name nor type is known.
std::string parameter_text(const Parameter& parameter);

/// Throws InvalidArgument: no kernel `name`, and the nearest of `names`.
[[noreturn]] void raise_unknown_kernel(std::string_view name,
                                       const std::vector<std::string>& names);

}  // namespace treadle::device
