// SPDX-License-Identifier: MIT
// How kernels cut an index space into groups of work-items. A generator writes two skeletons, one
// for each schedule, and takes every number in them from here.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "treadle/base/schedule.hpp"

namespace treadle::codegen {

/// The numbers of one schedule, which treadle/codegen/tiling.def lists. Data only.
struct Tiling {
  Schedule schedule;  ///< which skeleton they are for
#define TREADLE_TILING(name, type, wide, narrow, least, most, is_power, what) type name;
#include "treadle/codegen/tiling.def"
#undef TREADLE_TILING
  bool operator==(const Tiling&) const = default;
};

/// What is known of one of the numbers.
struct TilingNumber {
  std::string_view name;                      ///< of the member
  std::uint64_t least, most;                  ///< what it may be, where its schedule uses it
  bool is_power_of_two;                       ///< whether it may be nothing else
  std::string_view what;                      ///< what it says
  std::uint64_t wide, narrow;                 ///< what the schedules begin with; 0: not used there
  std::uint64_t (*get)(const Tiling&);        ///< reads it
  void (*set)(Tiling&, std::uint64_t value);  ///< writes it
};
/// All of them, in the order of the list.
std::span<const TilingNumber> tiling_numbers() noexcept;

/// The numbers that a schedule begins with, if a device has room for them.
const Tiling& tiling_of(Schedule schedule) noexcept;
/// Throws InvalidArgument naming the first number that may not be what it is, and what it may be.
void require_valid(const Tiling& tiling);
/// Bytes of local memory that the hungriest of the kernels takes for one group.
std::uint64_t local_bytes_of(const Tiling& tiling) noexcept;

}  // namespace treadle::codegen
