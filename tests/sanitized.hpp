// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace treadle {

/// Whether this is a build with a sanitizer, where everything takes ten times as long.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif

/// How often a test repeats something: `count` times, and an eighth of them in a build with a
/// sanitizer, where one pass over the code is what counts, and no statistics.
constexpr std::size_t repeats(std::size_t count) { return is_sanitized ? (count + 7) / 8 : count; }

}  // namespace treadle
