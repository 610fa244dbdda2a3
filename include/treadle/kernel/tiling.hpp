// SPDX-License-Identifier: MIT
// The numbers with which a device's kernels are made; a tuner changes them.
#pragma once

#include <optional>

#include "treadle/base/schedule.hpp"
#include "treadle/codegen/schedule.hpp"
#include "treadle/device/device.hpp"

namespace treadle::kernel {

/// The numbers of a schedule (no value: the device's own schedule): those of set_tiling(),
/// otherwise those of known_tiling(). The object lives as long as the device; equal numbers are one
/// object. Any thread.
const codegen::Tiling& tiling_of(device::Device& device, std::optional<Schedule> schedule = {});

/// From now on makes the device's kernels with these numbers: kernels of expressions from their
/// next launch on, kernels of users' texts that are constructed later. Plans with other numbers are
/// kept. Throws InvalidArgument naming a number that is not allowed or for which the device has no
/// room. Any thread; the last call of any thread counts.
void set_tiling(device::Device& device, const codegen::Tiling& tiling);

/// Whether a device has room for groups of this size and their local memory.
bool has_room(const device::DeviceLimits& limits, const codegen::Tiling& tiling);

/// The initial numbers of a schedule on a device with these limits, if nothing else is known of the
/// device.
codegen::Tiling default_tiling(const device::DeviceLimits& limits, Schedule schedule);

}  // namespace treadle::kernel
