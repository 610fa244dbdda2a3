// SPDX-License-Identifier: MIT
#include "treadle/kernel/tiling.hpp"

#include <atomic>
#include <bit>
#include <deque>
#include <mutex>
#include <string>

#include "treadle/base/error.hpp"
#include "treadle/kernel/known_tilings.hpp"

namespace treadle::kernel {
namespace {

/// The tilings of a device: the current ones, and earlier ones to which plans refer.
class DeviceTilings {
 public:
  explicit DeviceTilings(const device::Device& device) {
    for (const Schedule schedule : {Schedule::wide, Schedule::narrow})
      current(schedule) = &known(known_tiling(device, schedule));
  }
  const codegen::Tiling& of(Schedule schedule) {
    return *current(schedule).load(std::memory_order_acquire);
  }
  void set(const codegen::Tiling& tiling) {
    const std::lock_guard lock(mutex_);
    current(tiling.schedule).store(&known(tiling), std::memory_order_release);
  }

 private:
  std::atomic<const codegen::Tiling*>& current(Schedule schedule) {
    return current_[schedule == Schedule::wide ? 0 : 1];
  }
  const codegen::Tiling& known(const codegen::Tiling& tiling) {
    for (const codegen::Tiling& made : tilings_)
      if (made == tiling) return made;
    return tilings_.emplace_back(tiling);
  }

  std::atomic<const codegen::Tiling*> current_[2] = {};
  std::mutex mutex_;  // guards the members below
  std::deque<codegen::Tiling> tilings_;
};

DeviceTilings& tilings_of(device::Device& device) {
  return device.slot<DeviceTilings>([&] { return std::make_shared<DeviceTilings>(device); });
}

}  // namespace

const codegen::Tiling& tiling_of(device::Device& device, std::optional<Schedule> schedule) {
  return tilings_of(device).of(schedule ? *schedule : device.info().traits.schedule);
}

void set_tiling(device::Device& device, const codegen::Tiling& tiling) {
  codegen::require_valid(tiling);
  const device::DeviceLimits& limits = device.info().limits;
  if (!has_room(limits, tiling))
    throw InvalidArgument("groups of " + std::to_string(tiling.group_size) + " that share " +
                              std::to_string(codegen::local_bytes_of(tiling)) + " bytes; " +
                              device.info().id + " has room for " +
                              std::to_string(limits.max_group_items) + " work-items and " +
                              std::to_string(limits.local_memory_bytes) + " bytes",
                          "choose a smaller group_size, local_bytes, scan_bytes, fold_bytes, "
                          "bin_bytes or digit_bits");
  tilings_of(device).set(tiling);
}

bool has_room(const device::DeviceLimits& limits, const codegen::Tiling& tiling) {
  const bool has_items = limits.max_group_items == 0 || tiling.group_size <= limits.max_group_items;
  return has_items && (limits.local_memory_bytes == 0 ||
                       codegen::local_bytes_of(tiling) <= limits.local_memory_bytes);
}

codegen::Tiling default_tiling(const device::DeviceLimits& limits, Schedule schedule) {
  codegen::Tiling tiling = codegen::tiling_of(schedule);
  if (schedule == Schedule::narrow) return tiling;
  if (limits.max_group_items != 0 && limits.max_group_items < tiling.group_size)
    tiling.group_size = std::max(32u, std::bit_floor(limits.max_group_items));
  while (!has_room(limits, tiling) && tiling.scan_bytes > 1024) {
    tiling.local_bytes /= 2;
    tiling.fold_bytes /= 2;
    tiling.scan_bytes /= 2;
    tiling.bin_bytes /= 2;
    if (tiling.digit_bits > 1) --tiling.digit_bits;
  }
  return tiling;
}

}  // namespace treadle::kernel
