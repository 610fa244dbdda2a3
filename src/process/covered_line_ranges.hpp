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

}  // namespace treadle
