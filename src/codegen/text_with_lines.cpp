// SPDX-License-Identifier: MIT
#include "treadle/codegen/text_with_lines.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <set>

#include "words.hpp"

namespace treadle::codegen {
namespace {

// A file name as a C string: with `\\` and quotes escaped.
std::string as_c_string(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + '"';
}

}  // namespace

const char* kept_file_name(std::string_view name) {
  static std::mutex lock;
  static auto* const names = new std::set<std::string, std::less<>>;
  const std::scoped_lock hold(lock);
  const auto found = names->find(name);
  return (found != names->end() ? found : names->emplace(name).first)->c_str();
}

std::string with_line_directives(const TextWithLines& text) {
  std::string result;
  std::string_view rest = text.text;
  Position next;         // the origin that the compiler expects for the next line
  bool goes_on = false;  // the line ends with a backslash, so no directive may follow
  for (std::size_t number = 0; !rest.empty(); ++number) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    const Position from = number < text.lines.size() ? text.lines[number] : Position();
    const bool is_known = from.file != nullptr;
    const bool follows = is_known && next.file != nullptr && next.line == from.line &&
                         std::strcmp(next.file, from.file) == 0;
    if (is_known && !follows && !goes_on)
      result += joined({"#line ", std::to_string(from.line), " ", as_c_string(from.file), "\n"});
    if (is_known && !goes_on) next = from;
    ++next.line;
    goes_on = line.ends_with('\\');
    result.append(line).append("\n");
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  }
  return result;
}

}  // namespace treadle::codegen
