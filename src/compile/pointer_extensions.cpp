// SPDX-License-Identifier: MIT
#include "compile/pointer_extensions.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include "compile/compiler_log.hpp"

namespace treadle::compile {
namespace {

/// Where each line begins, numbered as #line directives say.
std::map<int, std::size_t> starts_of_lines(std::string_view text) {
  std::map<int, std::size_t> starts;
  int line = 1;
  for (std::size_t begin = 0; begin < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    starts[line] = begin;
    if (text.substr(begin, end - begin).starts_with("#line "))
      line = std::atoi(text.data() + begin + 6) - 1;
    begin = end + 1;
  }
  return starts;
}

/// The column of the caret below the message, as NVRTC shows a line: two blanks before it.
std::size_t column_of_caret(std::string_view below) {
  for (int lines = 0; lines < 3 && !below.empty(); ++lines) {
    const std::size_t end = std::min(below.find('\n'), below.size());
    const std::size_t caret = below.substr(0, end).find_first_not_of(' ');
    if (caret != below.npos && caret >= 2 && below[caret] == '^') return caret - 1;
    below.remove_prefix(std::min(end + 1, below.size()));
  }
  return 0;
}

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

/// `p + 4`, `p -= n`, but not `p++`, which nvcc refuses, too.
bool is_sum(std::string_view rest) {
  rest.remove_prefix(std::min(
      static_cast<std::size_t>(std::ranges::find_if_not(rest, is_name_character) - rest.begin()),
      rest.size()));
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  return rest.size() > 1 && (rest[0] == '+' || rest[0] == '-') && rest[1] != rest[0] &&
         rest[1] != '>';
}

/// For one error at `at`, with the text that follows there; empty: none that is known.
Insertion insertion_for(std::string_view error, std::size_t at, std::string_view rest) {
  if (error.starts_with("arithmetic on a pointer to void") && !is_name_character(rest[0]) &&
      is_sum(rest))
    return {at, "* __treadle_bytes "};
  if (error.starts_with("expression must be a pointer to a complete object type") &&
      is_name_character(rest[0]) && is_sum(rest))
    return {at, "__treadle_bytes * "};
  if (!error.starts_with("ordered comparison between pointer and zero")) return {};
  if (rest[0] != '<' && rest[0] != '>') return {};
  const std::size_t types = error.find("('");
  const std::size_t end = types == error.npos ? types : error.find('\'', types + 2);
  if (end == error.npos) return {};
  if (error[end - 1] != '*') return {at, "* __treadle_null "};
  const std::size_t length = rest.size() > 1 && rest[1] == '=' ? 2 : 1;
  return {at + length, " __treadle_null *"};
}

}  // namespace

std::vector<Insertion> pointer_insertions(std::string_view text, std::string_view log,
                                          const std::string& source_name) {
  std::vector<Insertion> insertions;
  std::map<int, std::size_t> starts;
  for (const LoggedError& error : errors_of(log)) {
    if (error.file != source_name || error.below.find("instantiation of") != error.below.npos)
      continue;
    if (starts.empty()) starts = starts_of_lines(text);
    const std::size_t column = error.column != 0 ? error.column : column_of_caret(error.below);
    const auto start = starts.find(error.line);
    if (column == 0 || start == starts.end()) continue;
    const std::size_t at = start->second + column - 1;
    if (at >= text.size()) continue;
    Insertion made = insertion_for(error.text, at, text.substr(at));
    const auto is_there = [&](const Insertion& other) { return other.at == made.at; };
    if (!made.text.empty() && std::ranges::none_of(insertions, is_there))
      insertions.push_back(std::move(made));
  }
  std::ranges::sort(insertions, std::ranges::greater{}, &Insertion::at);
  return insertions;
}

}  // namespace treadle::compile
