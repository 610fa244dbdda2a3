// SPDX-License-Identifier: MIT
// Runs a test on every device, in both schedules.
#pragma once

#include <string>
#include <tuple>

#include "device/each_device.hpp"

namespace treadle::kernel {

using DeviceAndSchedule = std::tuple<std::string, Schedule>;
inline auto each_device_and_schedule() {
  return testing::Combine(device::each_native_device(),
                          testing::Values(Schedule::wide, Schedule::narrow));
}
inline std::string schedule_test_name(const testing::TestParamInfo<DeviceAndSchedule>& param) {
  std::string name = std::get<0>(param.param) + "_";
  name += schedule_name(std::get<1>(param.param));
  std::ranges::replace(name, ':', '_');
  return name;
}

}  // namespace treadle::kernel
