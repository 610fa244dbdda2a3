// SPDX-License-Identifier: MIT
// The numbers that a device's kernels are made with, which a tuner turns.
#pragma once

#include <optional>

#include "treadle/base/schedule.hpp"
#include "treadle/codegen/schedule.hpp"
#include "treadle/device/device.hpp"

namespace treadle::kernel {

/// The numbers of a schedule, the device's own if none is named: those of set_tiling(), or of
/// known_tiling(). Lives as long as the device, and equal numbers are one object. Any
/// thread.
const codegen::Tiling& tiling_of(device::Device& device, std::optional<Schedule> schedule = {});

/// Makes the device's kernels with these numbers from now on: expressions at their next launch,
/// kernels of users' texts that are constructed later. Plans of other numbers are kept. Throws
/// InvalidArgument naming the number that may not be so, or for which the device has no room. Any
/// thread; of all threads the last call counts.
void set_tiling(device::Device& device, const codegen::Tiling& tiling);

/// Whether a device has room for groups of that size and their local memory.
bool has_room(const device::DeviceLimits& limits, const codegen::Tiling& tiling);

/// The numbers that a schedule begins with on a device of these limits, if nothing is known of it.
codegen::Tiling default_tiling(const device::DeviceLimits& limits, Schedule schedule);

}  // namespace treadle::kernel
