// SPDX-License-Identifier: MIT
#include "treadle/device/event.hpp"

#include "treadle/base/error.hpp"
#include "treadle/device/device.hpp"

namespace treadle::device {

double Event::seconds_since(const Event& start) {
  if (start.device_ != device_)
    throw InvalidArgument("the time between events of " + start.device().info().id + " and " +
                              device().info().id + " was asked for",
                          "each device has a clock of its own: record both on one device");
  return elapsed_seconds(start);
}

}  // namespace treadle::device
