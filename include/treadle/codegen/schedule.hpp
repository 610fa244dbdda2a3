// SPDX-License-Identifier: MIT
// How kernels divide an index space among groups of work-items. A generator writes a skeleton for
// each of the two schedules and takes every number in it from here.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "treadle/base/schedule.hpp"

namespace treadle::codegen {

/// The numbers of one schedule; treadle/codegen/tiling.def lists them. Data only.
struct Tiling {
  Schedule schedule;  ///< the schedule of the numbers
#define TREADLE_TILING(name, type, wide, narrow, least, most, is_power, what) type name;
#include "treadle/codegen/tiling.def"
#undef TREADLE_TILING
  bool operator==(const Tiling&) const = default;
};

/// The description of one of the numbers.
struct TilingNumber {
  std::string_view name;      ///< name of the member
  std::uint64_t least, most;  ///< limits of the value, in schedules that use the number
  bool is_power_of_two;       ///< whether the value must be a power of two
  std::string_view what;      ///< meaning of the number
  /// Initial values of the two schedules; 0: the schedule does not use the number.
  std::uint64_t wide, narrow;
  std::uint64_t (*get)(const Tiling&);        ///< reads the number
  void (*set)(Tiling&, std::uint64_t value);  ///< writes the number
};
/// All numbers, in the order of the list.
std::span<const TilingNumber> tiling_numbers() noexcept;

/// The initial numbers of a schedule, for a device with enough local memory.
const Tiling& tiling_of(Schedule schedule) noexcept;
/// Throws InvalidArgument naming the first number with a value that is not allowed, and its limits.
void require_valid(const Tiling& tiling);
/// Bytes of local memory that the most demanding kernel takes for one group.
std::uint64_t local_bytes_of(const Tiling& tiling) noexcept;

}  // namespace treadle::codegen
