// SPDX-License-Identifier: MIT
#include "html_table.hpp"

#include <cstdio>

namespace treadle::bindings {
namespace {

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char letter : text) {
    switch (letter) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      default:
        safe += letter;
    }
  }
  return safe;
}

}  // namespace

std::string html_table(const std::string& title,
                       const std::vector<std::pair<std::string, std::string>>& rows) {
  std::string text = "<table><thead><tr><th colspan=\"2\" style=\"text-align: left\">" +
                     escaped(title) + "</th></tr></thead><tbody>";
  for (const auto& [name, value] : rows)
    if (!value.empty())
      text += "<tr><td style=\"text-align: left\">" + escaped(name) +
              "</td><td style=\"text-align: left\">" + escaped(value) + "</td></tr>";
  return text + "</tbody></table>";
}

std::string bytes_text(std::uint64_t bytes) {
  if (bytes == 0) return {};
  if (bytes < 1024) return std::to_string(bytes) + " bytes";
  const char* unit = "KiB";
  double number = static_cast<double>(bytes) / 1024;
  for (const char* larger : {"MiB", "GiB"}) {
    if (number < 1024) break;
    number /= 1024;
    unit = larger;
  }
  char text[64];
  std::snprintf(text, sizeof text, "%.4g %s", number, unit);
  return text;
}

}  // namespace treadle::bindings
