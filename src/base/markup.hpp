// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace treadle {

/// A text as HTML and XML contain it, in attributes as well. Leaves out control characters other
/// than tabs and ends of lines: XML has none.
std::string escaped(std::string_view text);

}  // namespace treadle
