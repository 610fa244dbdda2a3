// SPDX-License-Identifier: MIT
// What a formula computes with: a Value whose text lies elsewhere, so that nothing is allocated.
#pragma once

#include <cstdint>
#include <string>

#include "treadle/tune/value.hpp"

namespace treadle::tune {

struct Operand {
  enum class Kind : std::uint8_t { truth, integer, real, text };
  Kind kind = Kind::integer;
  std::int64_t integer = 0;  ///< of a truth value 0 or 1
  double real = 0;
  const std::string* text = nullptr;

  Operand() = default;
  explicit Operand(bool value) : kind(Kind::truth), integer(value) {}
  explicit Operand(std::int64_t value) : kind(Kind::integer), integer(value) {}
  explicit Operand(double value) : kind(Kind::real), real(value) {}
  /// Refers to the text of `value`.
  explicit Operand(const Value& value);

  bool is_text() const { return kind == Kind::text; }
  bool is_real() const { return kind == Kind::real; }
  double number() const { return is_real() ? real : static_cast<double>(integer); }
  bool truth() const { return is_text() ? !text->empty() : is_real() ? real != 0 : integer != 0; }
  Value value() const;
};

/// Python's `==`.
bool are_equal(const Operand& a, const Operand& b) noexcept;

}  // namespace treadle::tune
