// SPDX-License-Identifier: MIT
#include "treadle/tune/value.hpp"

#include <charconv>
#include <cmath>

#include "tune/operand.hpp"

namespace treadle::tune {

Operand::Operand(const Value& value) {
  if (const auto* truth_value = std::get_if<bool>(&value)) {
    kind = Kind::truth, integer = *truth_value;
  } else if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    kind = Kind::integer, integer = *whole;
  } else if (const auto* floating = std::get_if<double>(&value)) {
    kind = Kind::real, real = *floating;
  } else {
    kind = Kind::text, text = &std::get<std::string>(value);
  }
}

Value Operand::value() const {
  switch (kind) {
    case Kind::truth:
      return integer != 0;
    case Kind::integer:
      return integer;
    case Kind::real:
      return real;
    case Kind::text:
      break;
  }
  return *text;
}

bool are_equal(const Operand& a, const Operand& b) noexcept {
  if (a.is_text() != b.is_text()) return false;
  if (a.is_text()) return *a.text == *b.text;
  if (a.is_real() || b.is_real()) return a.number() == b.number();
  return a.integer == b.integer;
}

std::string value_text(const Value& value) {
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "True" : "False";
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  if (const auto* real = std::get_if<double>(&value)) {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof(text), *real).ptr;
    std::string made(text, end);
    const bool is_whole = made.find_first_not_of("-0123456789") == std::string::npos;
    return is_whole ? made + ".0" : made;
  }
  std::string made = "'";
  for (const char c : std::get<std::string>(value)) {
    if (c == '\'' || c == '\\') made += '\\';
    made += c;
  }
  return made + "'";
}

bool are_equal(const Value& a, const Value& b) noexcept {
  return are_equal(Operand(a), Operand(b));
}

bool is_true(const Value& value) noexcept { return Operand(value).truth(); }

}  // namespace treadle::tune
