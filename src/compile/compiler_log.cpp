// SPDX-License-Identifier: MIT
#include "compile/compiler_log.hpp"

#include <algorithm>
#include <charconv>

namespace treadle::compile {
namespace {

/// The number behind the last colon of `place`, which loses both; 0, and nothing lost: there is
/// none.
int take_number(std::string_view& place) {
  const std::size_t colon = place.rfind(':');
  int number = 0;
  if (colon == place.npos) return 0;
  const char* end = place.data() + place.size();
  const auto read = std::from_chars(place.data() + colon + 1, end, number);
  if (read.ptr != end || read.ec != std::errc{}) return 0;
  place = place.substr(0, colon);
  return number;
}

/// An error that begins in this line; its line is 0 if none does.
LoggedError read_line(std::string_view line) {
  LoggedError error;
  for (const std::string_view kind : {": error: ", ": fatal error: ", ": catastrophic error: "}) {
    const std::size_t at = line.find(kind);
    if (at == line.npos) continue;
    error.text = line.substr(at + kind.size());
    error.file = line.substr(0, at);
    const std::size_t bracket = error.file.rfind('(');
    if (error.file.ends_with(')') && bracket != error.file.npos) {
      std::from_chars(error.file.data() + bracket + 1, line.data() + at, error.line);
      error.file = error.file.substr(0, bracket);
    } else {
      error.column = static_cast<std::size_t>(take_number(error.file));
      error.line = take_number(error.file);
    }
    return error;
  }
  return error;
}

}  // namespace

std::vector<LoggedError> errors_of(std::string_view log) {
  std::vector<LoggedError> errors;
  for (std::size_t begin = 0; begin < log.size();) {
    const std::size_t end = std::min(log.find('\n', begin), log.size());
    const std::string_view line = log.substr(begin, end - begin);
    begin = end + 1;
    const LoggedError error = read_line(line);
    if (error.line == 0) {
      if (!errors.empty()) {
        LoggedError& last = errors.back();
        const char* start = last.text.data() + last.text.size();
        last.below = {start, static_cast<std::size_t>(line.data() + line.size() - start)};
      }
      continue;
    }
    errors.push_back(error);
  }
  return errors;
}

}  // namespace treadle::compile
