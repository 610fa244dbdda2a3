// SPDX-License-Identifier: MIT
#include "compile/compiler_log.hpp"

#include <algorithm>
#include <charconv>

#include "treadle/base/c_text.hpp"
#include "treadle/base/line_directive.hpp"

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

std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

/// The column of the caret below an error, as NVRTC shows `line`: two blanks before it, a tab as
/// one character. 0: it shows none, or another line.
std::size_t column_of_caret(std::string_view below, std::string_view line) {
  const auto is_shown = [](char shown, char written) {
    return shown == written || (written == '\t' && shown == ' ');
  };
  below.remove_prefix(std::min(below.find('\n'), below.size() - 1) + 1);
  const std::string_view shown = first_line(below);
  while (line.ends_with('\r')) line.remove_suffix(1);
  if (shown.size() < line.size() + 2) return 0;
  if (!std::equal(line.begin(), line.end(), shown.begin() + 2,
                  [&](char written, char found) { return is_shown(found, written); }))
    return 0;
  below.remove_prefix(std::min(shown.size() + 1, below.size()));
  const std::size_t caret = below.find_first_not_of(' ');
  return caret != below.npos && caret >= 2 && below[caret] == '^' ? caret - 1 : 0;
}

}  // namespace

LoggedPlaces::LoggedPlaces(std::string_view text) : text_(text) {
  for (LineWalk lines(text); lines.next();) starts_[lines.number()] = lines.begin();
}

std::size_t LoggedPlaces::of(const LoggedError& error) const {
  const auto start = starts_.find(error.line);
  if (start == starts_.end()) return unknown;
  const std::string_view line = first_line(text_.substr(start->second));
  std::size_t column = error.column;
  if (column == 0 && !error.below.empty()) column = column_of_caret(error.below, line);
  return column == 0 || column > line.size() ? unknown : start->second + column - 1;
}

std::vector<LoggedError> errors_of(std::string_view log) {
  std::vector<LoggedError> errors;
  for (const std::string_view line : lines_of(log)) {
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
