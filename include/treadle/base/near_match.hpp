// SPDX-License-Identifier: MIT
// What a user may have meant by a name that does not exist.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace treadle {

/// Without blanks that mean nothing, so that "k<float,4>" and " k< float, 4 >" are the same text.
std::string squeeze(std::string_view name);
/// Those of `names` that a misspelled `name` may have meant, nearest first, at most
/// three. Another instance of the same template counts as near.
std::vector<std::string> near_matches(std::string_view name, const std::vector<std::string>& names);

}  // namespace treadle
