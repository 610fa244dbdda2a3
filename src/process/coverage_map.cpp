// SPDX-License-Identifier: MIT
#include "process/coverage_map.hpp"

#include <charconv>

#include "treadle/base/error.hpp"

namespace treadle {
namespace {

void add(std::string& to, const CounterSum& sum) {
  to += ' ';
  if (sum.terms.empty()) to += '0';
  for (const auto& [counter, is_negative] : sum.terms)
    to.append(is_negative ? "-" : "+").append(std::to_string(counter));
}

/// Reads what encoded() wrote, word by word.
class CoverageScanner {
 public:
  explicit CoverageScanner(std::string_view bytes) : rest_(bytes) {}

  bool is_at_end() const { return rest_.empty(); }
  /// Up to a space or the end of the line, which is left behind.
  std::string_view word() {
    const std::size_t end = std::min(rest_.find_first_of(" \n"), rest_.size());
    const std::string_view found = rest_.substr(0, end);
    ended_line_ = end >= rest_.size() || rest_[end] == '\n';
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return found;
  }
  std::uint32_t number() { return number_in(word()); }
  bool line_goes_on() const { return !ended_line_; }
  std::string bytes(std::size_t count) {
    if (count > rest_.size()) refuse();
    std::string found(rest_.substr(0, count));
    rest_.remove_prefix(count);
    if (!rest_.empty()) rest_.remove_prefix(1);
    return found;
  }
  CounterSum sum() {
    CounterSum found;
    std::string_view text = word();
    if (text == "0") return found;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find_first_of("+-", 1), text.size());
      found.terms.push_back({number_in(text.substr(1, end - 1)), text.front() == '-'});
      text.remove_prefix(end);
    }
    return found;
  }
  [[noreturn]] static void refuse() {
    throw InvalidArgument("a map of coverage is damaged", "delete the file, and run once more");
  }

 private:
  static std::uint32_t number_in(std::string_view text) {
    std::uint32_t value = 0;
    const auto [stop, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failed != std::errc{} || stop != text.data() + text.size()) refuse();
    return value;
  }

  std::string_view rest_;
  bool ended_line_ = false;
};

}  // namespace

std::string CoverageMap::encoded() const {
  std::string to;
  const auto place = [&](const char* what, std::uint32_t text, std::uint32_t line) {
    to.append(what).append(std::to_string(text)).append(" ").append(std::to_string(line));
  };
  for (const auto& [name, text] : texts)
    to.append("text ")
        .append(std::to_string(name.size()))
        .append(" ")
        .append(std::to_string(text.size()))
        .append("\n")
        .append(name)
        .append("\n")
        .append(text)
        .append("\n");
  for (const Line& line : lines) {
    place("line ", line.text, line.line);
    for (const CounterSum& sum : line.counts) add(to, sum);
    to += '\n';
  }
  for (const Branch& branch : branches) {
    place("branch ", branch.text, branch.line);
    to.append(" ").append(std::to_string(branch.column));
    add(to, branch.taken);
    add(to, branch.not_taken);
    to += '\n';
  }
  for (const Function& function : functions) {
    place("function ", function.text, function.line);
    add(to, function.count);
    to.append(" ").append(std::to_string(function.name.size())).append("\n");
    to.append(function.name).append("\n");
  }
  return to;
}

CoverageMap CoverageMap::decode(std::string_view bytes) {
  CoverageMap map;
  CoverageScanner scan(bytes);
  const auto text_number = [&] {
    const std::uint32_t number = scan.number();
    if (number >= map.texts.size()) CoverageScanner::refuse();
    return number;
  };
  while (!scan.is_at_end()) {
    const std::string_view what = scan.word();
    if (what == "text") {
      const std::size_t name = scan.number(), text = scan.number();
      std::string read = scan.bytes(name);
      map.texts.push_back({std::move(read), scan.bytes(text)});
    } else if (what == "line") {
      Line& line = map.lines.emplace_back(Line{text_number(), scan.number(), {}});
      while (scan.line_goes_on()) line.counts.push_back(scan.sum());
    } else if (what == "branch") {
      map.branches.push_back({text_number(), scan.number(), scan.number(), scan.sum(), scan.sum()});
    } else if (what == "function") {
      Function& function =
          map.functions.emplace_back(Function{{}, text_number(), scan.number(), scan.sum()});
      function.name = scan.bytes(scan.number());
    } else {
      CoverageScanner::refuse();
    }
  }
  return map;
}

}  // namespace treadle
