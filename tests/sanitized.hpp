// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace treadle {

/// How often a test repeats something: `count` times, and an eighth of them in a build with a
/// sanitizer, where statistics take ten times as long and one pass over the code is what counts.
constexpr std::size_t repeats(std::size_t count) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return (count + 7) / 8;
#else
  return count;
#endif
}

}  // namespace treadle
