// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>

#include "base/launch_ring.hpp"
#include "treadle/base/error.hpp"
#include "treadle/device/launch_log.hpp"

namespace treadle::device {

/// What a Device remembers of its launches.
class LaunchLog : public LaunchRing<LaunchShape> {};

/// "groups 2x1x1 of 32x1x1[, 64 bytes of local memory]".
std::string shape_text(const LaunchShape& shape);

/// Throws `error` once more, of its own type, with `detail` at its end.
[[noreturn]] void raise_again(const DeviceError& error, const std::string& detail,
                              std::string hint);
/// The same with the last launches of `device`: any of them may be what failed.
[[noreturn]] void raise_with_launches(const DeviceError& error, const Device& device);

/// For run-times that do not say themselves which kernel failed: runs `wait`, in which the failure
/// of earlier work surfaces.
template <class Wait>
decltype(auto) naming_launches(const Device& device, Wait&& wait) {
  try {
    return std::forward<Wait>(wait)();
  } catch (const DeviceError& error) {
    raise_with_launches(error, device);
  }
}

/// The same for a wait right behind one launch: that one failed.
template <class Wait>
void naming_launch(const Kernel& kernel, const LaunchShape& shape, Wait&& wait) {
  try {
    std::forward<Wait>(wait)();
  } catch (const DeviceError& error) {
    raise_again(error, "kernel \"" + kernel.name() + "\", " + shape_text(shape), error.hint());
  }
}

}  // namespace treadle::device
