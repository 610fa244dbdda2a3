// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>
#include <string_view>

namespace treadle {

/// With TREADLE_TEST_HOLD_DEVICES=1 devices and users' contexts live until the test program ends,
/// with what was compiled for them: on a GPU a context takes a quarter of a second, and several
/// seconds while other programs make some. What one test leaves behind cannot be told then.
inline bool holds_devices() {
  const char* value = std::getenv("TREADLE_TEST_HOLD_DEVICES");
  return value != nullptr && std::string_view(value) == "1";
}

}  // namespace treadle
