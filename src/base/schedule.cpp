// SPDX-License-Identifier: MIT
#include "treadle/base/schedule.hpp"

namespace treadle {

std::string_view schedule_name(Schedule schedule) noexcept {
  return schedule == Schedule::wide ? "wide" : "narrow";
}

}  // namespace treadle
