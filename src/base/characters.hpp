// SPDX-License-Identifier: MIT
// Characters of C's texts, whatever the locale makes of bytes above 127. From a table: isalnum() is
// a call, and texts are read several times before they run.
#pragma once

#include <array>
#include <cstdint>

namespace treadle {

enum CharacterKind : std::uint8_t { letter_kind = 1, digit_kind = 2, blank_kind = 4 };
inline constexpr auto character_kinds = [] {
  std::array<std::uint8_t, 256> kinds{};
  for (unsigned char c = 'a'; c <= 'z'; ++c) kinds[c] = letter_kind;
  for (unsigned char c = 'A'; c <= 'Z'; ++c) kinds[c] = letter_kind;
  for (unsigned char c = '0'; c <= '9'; ++c) kinds[c] = digit_kind;
  for (const unsigned char c : {' ', '\t', '\n', '\v', '\f', '\r'}) kinds[c] = blank_kind;
  kinds['_'] = letter_kind;
  return kinds;
}();
constexpr bool is_of_kind(char c, int kinds) noexcept {
  return (character_kinds[static_cast<unsigned char>(c)] & kinds) != 0;
}

/// One of those that names begin with.
constexpr bool is_word_start(char c) noexcept { return is_of_kind(c, letter_kind); }
/// One of those that names and numbers are made of.
constexpr bool is_word(char c) noexcept { return is_of_kind(c, letter_kind | digit_kind); }
constexpr bool is_digit(char c) noexcept { return is_of_kind(c, digit_kind); }
constexpr bool is_blank(char c) noexcept { return is_of_kind(c, blank_kind); }

}  // namespace treadle
