// SPDX-License-Identifier: MIT
#include "treadle/codegen/schedule.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "treadle/base/error.hpp"

namespace treadle::codegen {
namespace {

#define TREADLE_TILING(name, type, wide, narrow, least, most, is_power, what) .name = wide,
constexpr Tiling wide{
    .schedule = Schedule::wide,
#include "treadle/codegen/tiling.def"
};
#undef TREADLE_TILING
#define TREADLE_TILING(name, type, wide, narrow, least, most, is_power, what) .name = narrow,
constexpr Tiling narrow{
    .schedule = Schedule::narrow,
#include "treadle/codegen/tiling.def"
};
#undef TREADLE_TILING

#define TREADLE_TILING(name, type, wide, narrow, least, most, is_power, what)    \
  {#name,                                                                        \
   least,                                                                        \
   most,                                                                         \
   is_power,                                                                     \
   what,                                                                         \
   wide,                                                                         \
   narrow,                                                                       \
   [](const Tiling& tiling) { return static_cast<std::uint64_t>(tiling.name); }, \
   [](Tiling& tiling, std::uint64_t value) { tiling.name = static_cast<type>(value); }},
constexpr TilingNumber numbers[] = {
#include "treadle/codegen/tiling.def"
};
#undef TREADLE_TILING

[[noreturn]] void refuse(const TilingNumber& number, std::uint64_t value, Schedule schedule,
                         const std::string& expected) {
  throw InvalidArgument("the tiling of the " + std::string(schedule_name(schedule)) +
                            " schedule has " + std::string(number.name) + " = " +
                            std::to_string(value),
                        "choose " + expected);
}

}  // namespace

std::span<const TilingNumber> tiling_numbers() noexcept { return numbers; }

const Tiling& tiling_of(Schedule schedule) noexcept {
  return schedule == Schedule::wide ? wide : narrow;
}

void require_valid(const Tiling& tiling) {
  const bool is_wide = tiling.schedule == Schedule::wide;
  for (const TilingNumber& number : numbers) {
    const std::uint64_t value = number.get(tiling), own = is_wide ? number.wide : number.narrow;
    const auto refused = [&](const std::string& expected) {
      refuse(number, value, tiling.schedule, expected);
    };
    // A number outside its limits in the default tiling must not change: it is not used, or it is
    // the group size of one work-item.
    if (own < number.least) {
      if (value != own) refused(std::to_string(own) + ": the schedule has no other");
      continue;
    }
    if (value < number.least || value > number.most)
      refused("a number from " + std::to_string(number.least) + " to " +
              std::to_string(number.most));
    if (number.is_power_of_two && !std::has_single_bit(value)) refused("a power of two");
  }
  // A group reads a square by whole lines, so it cannot have more work-items than the square has
  // elements.
  const std::int64_t side = tiling.tile_side, group = tiling.group_size;
  if (is_wide && (side > group || side * side < group))
    throw InvalidArgument("the tiling of the wide schedule has squares of tile_side = " +
                              std::to_string(side) + " for groups of " + std::to_string(group),
                          "choose a tile_side from the root of group_size to group_size");
}

std::uint64_t local_bytes_of(const Tiling& tiling) noexcept {
  if (tiling.schedule == Schedule::narrow) return 0;
  const std::uint64_t group = tiling.group_size;
  // Beside the items of a tile, a scan needs the items of work-items, the items of earlier tiles if
  // items are small, and flags for all of these. A sort by exchanges needs two numbers and two
  // carried elements for each work-item.
  const std::uint64_t scan = tiling.scan_bytes + tiling.scan_bytes / tiling.scan_items +
                             group * (tiling.scan_items + 1) + tiling.anchored_tiles * (16 + 1);
  const std::uint64_t counters = group * sizeof(std::int64_t) << tiling.digit_bits;
  return std::max({tiling.local_bytes, tiling.fold_bytes, tiling.bin_bytes, scan, counters,
                   group * 2 * (8 + 16)});
}

}  // namespace treadle::codegen
