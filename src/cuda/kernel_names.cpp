// SPDX-License-Identifier: MIT
#include "cuda/kernel_names.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <utility>

namespace treadle::cuda {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

/// Where the bracket opens that text[end - 1] closes; npos if it closes none.
std::size_t opening_of(std::string_view text, std::size_t end) {
  int depth = 0;
  for (std::size_t i = end; i-- > 0;) {
    if (text[i] == ')' || text[i] == '>') ++depth;
    if (text[i] == '(' || text[i] == '<') --depth;
    if (depth == 0) return i;
  }
  return std::string_view::npos;
}

/// Levenshtein's distance, ignoring case: insertions, deletions and replacements each count one.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({replaced, row[j] + 1, row[j - 1] + 1}));
    }
  }
  return row.back();
}

/// How many slips still make a likely mistake in a name of this length.
std::size_t allowed_slips(std::string_view name) {
  return std::max<std::size_t>(1, name.size() / 3);
}

std::string_view without_arguments(std::string_view name) { return name.substr(0, name.find('<')); }

}  // namespace

std::string demangle(const std::string& symbol) {
  if (!symbol.starts_with("_Z")) return symbol;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? text.get() : symbol;
}

std::string kernel_name(std::string_view demangled) {
  if (!demangled.ends_with(')')) return std::string(demangled);
  const std::size_t parameters = opening_of(demangled, demangled.size());
  if (parameters == std::string_view::npos || parameters == 0) return std::string(demangled);
  // Backwards over the name, stepping over template arguments, to the blank after a return type.
  std::size_t start = parameters;
  while (start > 0 && !is_blank(demangled[start - 1])) {
    const char last = demangled[start - 1];
    const std::size_t opening =
        last == '>' || last == ')' ? opening_of(demangled, start) : std::string_view::npos;
    start = opening == std::string_view::npos ? start - 1 : opening;
  }
  return std::string(demangled.substr(start, parameters - start));
}

std::string squeeze(std::string_view name) {
  std::string text;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (!is_blank(name[i])) {
      text += name[i];
      continue;
    }
    std::size_t next = i;
    while (next < name.size() && is_blank(name[next])) ++next;
    // Only between two words does a blank mean something: "unsigned int".
    if (!text.empty() && next < name.size() && is_word(text.back()) && is_word(name[next]))
      text += ' ';
    i = next - 1;
  }
  return text;
}

std::vector<std::string> near_matches(std::string_view name,
                                      const std::vector<std::string>& names) {
  constexpr std::size_t most = 3;
  const std::string wanted = squeeze(name);
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (const std::string& candidate : names) {
    const std::string text = squeeze(candidate);
    const std::size_t whole = edit_distance(wanted, text);
    if (whole <= allowed_slips(wanted)) {
      ranked.emplace_back(whole, candidate);
      continue;
    }
    // Another instance of the same template is near however long its arguments are.
    const std::string_view base = without_arguments(wanted);
    const std::size_t of_base = edit_distance(base, without_arguments(text));
    if (of_base <= allowed_slips(base)) ranked.emplace_back(whole + of_base, candidate);
  }
  std::ranges::sort(ranked);
  std::vector<std::string> nearest;
  for (std::size_t i = 0; i < std::min(most, ranked.size()); ++i)
    nearest.push_back(ranked[i].second);
  return nearest;
}

}  // namespace treadle::cuda
