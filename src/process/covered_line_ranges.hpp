// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "treadle/process/coverage.hpp"

namespace treadle {

/// "7-9, 12, 14 never true": lines that nobody reached, lines in between that hold no code left
/// out, then ways of branches that nobody went on lines that somebody reached.
std::string missing_places(const CoveredText& text);

/// "never true", "never false"; empty for a branch that went both ways, and one nobody reached.
const char* missing_way(const CoveredBranch& branch);

/// A share of 1 in percent; 100 is said of nothing less.
inline unsigned whole_percent(double share) {
  return static_cast<unsigned>(share * 100 + 1e-9);  // 29 of 50 is no less than 58
}

}  // namespace treadle
