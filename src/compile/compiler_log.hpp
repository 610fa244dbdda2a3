// SPDX-License-Identifier: MIT
// The errors in what a compiler of CUDA C said.
#pragma once

#include <cstddef>
#include <map>
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

/// Where in a text the errors are that a compiler found in it.
class LoggedPlaces {
 public:
  static constexpr std::size_t unknown = static_cast<std::size_t>(-1);

  /// Keeps `text`, whose #line directives number its lines as the log does.
  explicit LoggedPlaces(std::string_view text);

  /// The byte that an error in the text points at; unknown: the log does not show the line, or
  /// another one.
  std::size_t of(const LoggedError& error) const;

 private:
  std::string_view text_;
  std::map<int, std::size_t> starts_;  ///< of lines, by their numbers
};

}  // namespace treadle::compile
