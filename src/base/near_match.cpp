// SPDX-License-Identifier: MIT
#include "treadle/base/near_match.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

#include "base/characters.hpp"

namespace treadle {
namespace {

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

}  // namespace treadle
