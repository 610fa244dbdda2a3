// SPDX-License-Identifier: MIT
// What a context's devices allow: the standard asks that one of them does.
#pragma once

#include <algorithm>

#include "treadle/opencl/context.hpp"

namespace treadle::opencl {

/// The largest value among a context's devices.
template <DeviceInfo Parameter>
std::uint64_t largest(const Context& context) {
  std::uint64_t value = 0;
  for (const Device& device : context.devices())
    value = std::max(value, std::uint64_t{device.get<Parameter>()});
  return value;
}

}  // namespace treadle::opencl
