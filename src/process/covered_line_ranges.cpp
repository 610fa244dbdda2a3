// SPDX-License-Identifier: MIT
#include "process/covered_line_ranges.hpp"

#include <map>

namespace treadle {

const char* missing_way(const CoveredBranch& branch) {
  if (branch.taken == 0 && branch.not_taken != 0) return "never true";
  if (branch.taken != 0 && branch.not_taken == 0) return "never false";
  return "";
}

std::string missing_places(const CoveredText& text) {
  std::map<unsigned, std::string> places;
  for (std::size_t i = 0; i < text.lines.size(); ++i) {
    if (text.lines[i].count != 0) continue;
    const unsigned first = text.lines[i].number;
    while (i + 1 < text.lines.size() && text.lines[i + 1].count == 0) ++i;
    const unsigned last = text.lines[i].number;
    places[first] = std::to_string(first);
    if (last != first) places[first].append("-").append(std::to_string(last));
  }
  for (const CoveredBranch& branch : text.branches) {
    const std::string way = missing_way(branch);
    if (way.empty()) continue;
    std::string& place = places[branch.line];
    if (place.empty()) place = std::to_string(branch.line);
    if (place.find(way) == std::string::npos)
      place += (place.find(' ') == std::string::npos ? " " : " and ") + way;
  }
  std::string all;
  for (const auto& [line, place] : places) all += (all.empty() ? "" : ", ") + place;
  return all;
}

}  // namespace treadle
