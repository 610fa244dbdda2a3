// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "process/launch_ring.hpp"
#include "treadle/base/error.hpp"
#include "treadle/device/launch_log.hpp"

namespace treadle::device {

/// What a Device remembers of its launches. Each is noted once: here, or by the shell below, which
/// is asked then.
class LaunchLog {
 public:
  using Reader = std::function<std::vector<LaunchRecord>()>;
  /// For a device whose shell notes launches itself; called while the device is made.
  void read_from(Reader shell) { shell_ = std::move(shell); }

  void note(const Kernel& kernel, const LaunchShape& shape) noexcept {
    ring_.note(kernel.lasting_name(), shape);
  }
  /// The latest first.
  std::vector<LaunchRecord> records() const;

 private:
  LaunchRing<LaunchShape> ring_;
  Reader shell_;
};

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
