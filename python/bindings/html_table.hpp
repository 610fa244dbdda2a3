// SPDX-License-Identifier: MIT
// Shows an object in a notebook as a table of two columns.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace treadle::bindings {

/// Rows of names and values. Empty values are left out, and all text is escaped.
std::string html_table(const std::string& title,
                       const std::vector<std::pair<std::string, std::string>>& rows);

/// "1.5 GiB", "256 bytes"; empty for 0, by which run-times say that the size is unknown.
std::string bytes_text(std::uint64_t bytes);

}  // namespace treadle::bindings
