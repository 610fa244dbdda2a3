// SPDX-License-Identifier: MIT
// Variables of the environment, NAME=VALUE, one a line; and what else a user names by text.
#include <map>
#include <string>

#include "fuzz/target.hpp"
#include "treadle/base/cpu_features.hpp"
#include "treadle/base/error.hpp"
#include "treadle/process/settings.hpp"

using namespace treadle;

TREADLE_FUZZ_TARGET(settings) {
  std::map<std::string, std::string> variables;
  while (!input.empty()) {
    const std::string_view line = fuzz::take_line(input);
    const std::size_t equals = std::min(line.find('='), line.size());
    variables.emplace(line.substr(0, equals), line.substr(std::min(equals + 1, line.size())));
    cpu_feature_bit(line);
  }
  try {
    read_settings([&](const char* name) -> const char* {
      const auto found = variables.find(name);
      return found == variables.end() ? nullptr : found->second.c_str();
    });
  } catch (const InvalidArgument& refusal) {
    fuzz::require(refusal.message().starts_with("TREADLE_"), "the variable is named");
  }
}
