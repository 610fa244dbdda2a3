// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

namespace treadle {

/// How generated kernels should spread work: `wide` over thousands of work-items in lockstep,
/// `narrow` over few strong cores with a loop in each.
enum class Schedule : std::uint8_t { wide, narrow };
/// "wide" or "narrow".
std::string_view schedule_name(Schedule schedule) noexcept;

}  // namespace treadle
