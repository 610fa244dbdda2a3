// SPDX-License-Identifier: MIT
// Characters of C's texts, whatever the locale makes of bytes above 127.
#pragma once

#include <cctype>

namespace treadle {

/// One of those that names and numbers are made of.
inline bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
inline bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

}  // namespace treadle
