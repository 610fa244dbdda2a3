// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <variant>

namespace treadle::tune {

/// What a parameter of a space may be: a truth value, an integer, a real number or a text.
using Value = std::variant<bool, std::int64_t, double, std::string>;

/// As Python writes it: "True", "32", "0.5", "'float4'".
std::string value_text(const Value& value);
/// Whether Python's `==` holds: True, 1 and 1.0 are equal, '1' is another.
bool are_equal(const Value& a, const Value& b) noexcept;
/// What counts as true: numbers that are not 0, texts that are not empty.
bool is_true(const Value& value) noexcept;

}  // namespace treadle::tune
