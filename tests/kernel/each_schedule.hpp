// SPDX-License-Identifier: MIT
// Runs a test on every device, in both schedules.
#pragma once

#include <string>
#include <tuple>

#include "device/each_device.hpp"

namespace treadle::kernel {

using DeviceAndSchedule = std::tuple<std::string, Schedule>;
/// Of builds without the compiler only the null device: the host's work is the same on all.
inline auto each_device_and_schedule() {
  const std::vector<std::string> none = {"null"};
  return testing::Combine(
      testing::ValuesIn(device::has_cpu_compiler() ? device::device_ids() : none),
      testing::Values(Schedule::wide, Schedule::narrow));
}
inline std::string schedule_test_name(const testing::TestParamInfo<DeviceAndSchedule>& param) {
  std::string name = std::get<0>(param.param) + "_";
  name += schedule_name(std::get<1>(param.param));
  std::ranges::replace(name, ':', '_');
  return name;
}

}  // namespace treadle::kernel
