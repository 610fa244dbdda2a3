// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "treadle/base/error.hpp"
#include "treadle/base/near_match.hpp"

namespace treadle::tune {

/// Throws InvalidArgument for a name that is none of `names`; its hint is the nearest there is, or
/// `otherwise`.
[[noreturn]] inline void refuse_name(const std::string& message, std::string_view name,
                                     const std::vector<std::string>& names, const char* otherwise) {
  const auto near = near_matches(name, names);
  throw InvalidArgument(message, near.empty() ? otherwise : "use '" + near.front() + "'");
}

}  // namespace treadle::tune
