// SPDX-License-Identifier: MIT
// How full a kernel makes a compute unit, what keeps it from being fuller, and both in words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "treadle/device/kernel.hpp"

namespace treadle::device {

/// What ends how many groups of a kernel a compute unit holds.
enum class OccupancyLimit : std::uint8_t {
  work_items,    ///< those that are resident at the same time
  registers,     ///< of the compute unit
  local_memory,  ///< of the compute unit
  groups,        ///< how many it keeps track of, and what the device does not tell
};
/// "work-items", "registers", "local memory" or "groups".
std::string_view occupancy_limit_name(OccupancyLimit limit) noexcept;

/// What is resident on a compute unit when groups of one size run.
struct Occupancy {
  unsigned group_items = 0;  ///< work-items of a group
  unsigned groups = 0;       ///< at the same time; 0: not even one fits
  double fraction = 0;       ///< work-items that are resident, of those that may be; 0 to 1
  OccupancyLimit limit = OccupancyLimit::groups;  ///< what keeps it from being more
};

/// For groups of `group_items` work-items with `local_bytes` of dynamic local memory each; none
/// where the run-time does not tell (DeviceTraits::kernel_occupancy).
std::optional<Occupancy> occupancy_of(const Kernel& kernel, unsigned group_items,
                                      std::size_t local_bytes = 0);
/// The same for every group size that is a sub-group's width times a power of two, and the largest
/// there is; empty where the run-time does not tell.
std::vector<Occupancy> occupancies_of(const Kernel& kernel, std::size_t local_bytes = 0);

/// Lines of text: what a kernel needs of a compute unit, and how full it makes one by group size.
std::string explain(const Kernel& kernel, std::size_t local_bytes = 0);

}  // namespace treadle::device
