// SPDX-License-Identifier: MIT
#include "opencl/build_log.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <vector>

#include "treadle/base/c_text.hpp"
#include "treadle/base/line_directive.hpp"

namespace treadle::opencl {
namespace {

/// What stands before a place in its line, and the number of the line there.
struct WholeTextPlace {
  std::size_t begin = 0, end = 0;  ///< of "<kernel>:12"
  std::string_view name;           ///< "<kernel>"; older drivers have none
  int line = 0;
};

/// A place of the whole text at `begin`, such as "<kernel>:12"; none for files and for clang's own
/// buffers, which no directive counts.
std::optional<WholeTextPlace> whole_text_place(std::string_view line, std::size_t begin) {
  constexpr std::array<std::string_view, 4> buffers = {"<built-in>", "<command line>",
                                                       "<scratch space>", "<inline asm>"};
  const std::size_t colon = line.find(':', begin);
  if (colon == line.npos) return std::nullopt;
  const std::string_view name = line.substr(begin, colon - begin);
  const bool is_whole = name.empty() || (name.starts_with('<') && name.ends_with('>'));
  if (!is_whole || std::ranges::find(buffers, name) != buffers.end()) return std::nullopt;
  WholeTextPlace place{.begin = begin, .name = name};
  const char* const end = line.data() + line.size();
  const auto read = std::from_chars(line.data() + colon + 1, end, place.line);
  if (read.ec != std::errc() || read.ptr == end || *read.ptr != ':' || place.line < 1)
    return std::nullopt;
  place.end = static_cast<std::size_t>(read.ptr - line.data());
  return place;
}

/// The place that a line of a log begins with, or the one that includes a file.
std::optional<WholeTextPlace> place_in(std::string_view line) {
  for (const std::string_view before : {"In file included from ", "                 from ", ""})
    if (line.starts_with(before)) return whole_text_place(line, before.size());
  return std::nullopt;
}

/// Compilers show tabs as blanks and leave out what is at a line's end.
std::string without_blanks(std::string_view text) {
  std::string kept;
  for (const char c : text)
    if (c != ' ' && c != '\t' && c != '\r') kept += c;
  return kept;
}

/// The lines of a text by their places in all of it.
class WholeText {
 public:
  explicit WholeText(std::string_view source) {
    for (LineWalk walk(source); walk.next();) {
      lines_.push_back({walk.number(), walk.name(), walk.text()});
      has_directives_ |= walk.is_directive();
    }
  }

  bool has_directives() const { return has_directives_; }

  /// "file:line" as directives say; `shown` is the line of the log below the place.
  std::string named(const WholeTextPlace& place, std::string_view shown) const {
    const auto at = static_cast<std::size_t>(place.line) - 1;
    const std::string text = without_blanks(shown);
    const Line* found = at < lines_.size() ? &lines_[at] : nullptr;
    if (found == nullptr || (!text.empty() && without_blanks(found->text) != text))
      if (const Line* counted = line_counted(place.line, text)) found = counted;
    if (found == nullptr) return std::string(place.name) + ':' + std::to_string(place.line);
    const std::string name =
        found->name.empty() ? std::string(place.name) : unquoted_name(found->name);
    return name + ':' + std::to_string(found->number);
  }

 private:
  struct Line {
    int number;
    std::string name;
    std::string_view text;
  };

  /// A compiler that keeps its own name may follow the numbers all the same: then the line that it
  /// shows has that number.
  const Line* line_counted(int number, const std::string& text) const {
    const auto found = std::ranges::find_if(lines_, [&](const Line& line) {
      return line.number == number && without_blanks(line.text) == text;
    });
    return found == lines_.end() ? nullptr : &*found;
  }

  std::vector<Line> lines_;
  bool has_directives_ = false;
};

}  // namespace

bool counts_the_whole_text(std::string_view log) {
  const auto lines = lines_of(log);
  return std::ranges::any_of(lines,
                             [](std::string_view line) { return place_in(line).has_value(); });
}

std::string with_named_lines(std::string_view log, std::string_view source) {
  const WholeText text(source);
  if (!text.has_directives()) return std::string(log);
  const auto lines = lines_of(log);
  std::string named;
  for (std::size_t at = 0; at < lines.size(); ++at) {
    const std::string_view line = lines[at];
    if (at > 0) named += '\n';
    const auto place = place_in(line);
    if (!place) {
      named += line;
      continue;
    }
    const bool says_more = at + 1 < lines.size() && !place_in(lines[at + 1]) && place->begin == 0;
    named += line.substr(0, place->begin);
    named += text.named(*place, says_more ? lines[at + 1] : std::string_view());
    named += line.substr(place->end);
  }
  if (log.ends_with('\n')) named += '\n';
  return named;
}

}  // namespace treadle::opencl
