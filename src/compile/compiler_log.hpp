// SPDX-License-Identifier: MIT
// The errors in what a compiler of CUDA C said.
#pragma once

#include <string_view>
#include <vector>

namespace treadle::compile {

struct LoggedError {
  std::string_view file;
  int line = 0;
  std::size_t column = 0;  ///< from 1; 0: the log does not say it (NVRTC)
  std::string_view text;   ///< behind "error: "
  std::string_view below;  ///< all up to the next error: the line itself, notes
};

/// "kernel.cu(12): error: ..." of NVRTC, "kernel.cu:12:5: fatal error: ..." of clang; parts of
/// `log`.
std::vector<LoggedError> errors_of(std::string_view log);

}  // namespace treadle::compile
