// SPDX-License-Identifier: MIT
// How notebooks show an object: a table of two columns.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace treadle::bindings {

/// Rows of a name and what it is; those that are empty are left out. Any text: it is escaped.
std::string html_table(const std::string& title,
                       const std::vector<std::pair<std::string, std::string>>& rows);

/// "1.5 GiB", "256 bytes"; empty for 0, which run-times say for what they do not know.
std::string bytes_text(std::uint64_t bytes);

}  // namespace treadle::bindings
