// SPDX-License-Identifier: MIT
#include "base/markup.hpp"

namespace treadle {

std::string escaped(std::string_view text) {
  std::string made;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '&')
      made += "&amp;";
    else if (c == '<')
      made += "&lt;";
    else if (c == '>')
      made += "&gt;";
    else if (c == '"')
      made += "&quot;";
    else if (code >= 0x20 || c == '\n' || c == '\t')
      made += c;
  }
  return made;
}

}  // namespace treadle
