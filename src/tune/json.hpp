// SPDX-License-Identifier: MIT
// Values as JSON, the same text for equal maps. It is read by SQLite.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "treadle/tune/value.hpp"

namespace treadle::tune {

std::string json_text(std::string_view text);
std::string json_text(const std::map<std::string, Value>& values);
std::string json_text(const std::vector<double>& numbers);

}  // namespace treadle::tune
