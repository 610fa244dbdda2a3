// SPDX-License-Identifier: MIT
#include "tune/json.hpp"

#include <cmath>
#include <cstdio>

namespace treadle::tune {
namespace {

std::string json_number(double number) {
  if (!std::isfinite(number)) return "null";
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", number);
  std::string made = text;
  // A real number stays one when it is read again.
  if (made.find_first_of(".e") == std::string::npos) made += ".0";
  return made;
}

std::string json_value(const Value& value) {
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  if (const auto* real = std::get_if<double>(&value)) return json_number(*real);
  return json_text(std::string_view(std::get<std::string>(value)));
}

}  // namespace

std::string json_text(std::string_view text) {
  std::string made = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      (made += '\\') += c;
    } else if (code < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", code);
      made += escaped;
    } else {
      made += c;
    }
  }
  return made + '"';
}

std::string json_text(const std::map<std::string, Value>& values) {
  std::string made = "{";
  for (const auto& [name, value] : values)
    made +=
        (made.size() > 1 ? "," : "") + json_text(std::string_view(name)) + ":" + json_value(value);
  return made + "}";
}

std::string json_text(const std::vector<double>& numbers) {
  std::string made = "[";
  for (const double number : numbers) made += (made.size() > 1 ? "," : "") + json_number(number);
  return made + "]";
}

}  // namespace treadle::tune
