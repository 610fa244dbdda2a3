// SPDX-License-Identifier: MIT
// Coverage as a page: a table of texts, then each text with a colour for each line.
#include <algorithm>
#include <map>
#include <string_view>

#include "base/markup.hpp"
#include "process/covered_line_ranges.hpp"
#include "treadle/process/coverage.hpp"

namespace treadle {
namespace {

constexpr std::string_view page_head = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Coverage of kernels</title><style>
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em; color: #222; background: #fff; }
table { border-collapse: collapse; }
th, td { text-align: right; padding: 0.2em 0.9em; border-bottom: 1px solid #ddd; }
th:first-child, td:first-child { text-align: left; }
pre { font: 13px/1.45 ui-monospace, monospace; border: 1px solid #ddd; overflow-x: auto; margin: 0; }
pre span { display: block; white-space: pre; }
pre i { font-style: normal; color: #888; display: inline-block; text-align: right; width: 4em; }
pre i + i { width: 8em; margin-right: 1em; }
pre b { font-weight: normal; color: #7a4b00; margin-left: 2em; }
.run { background: #e6f5e6; } .missed { background: #fbe0e0; } .partial { background: #fff3cd; }
@media (prefers-color-scheme: dark) {
body { color: #ddd; background: #1b1b1b; } th, td, pre { border-color: #444; }
.run { background: #17351b; } .missed { background: #4a1d1d; } .partial { background: #453a12; }
pre b { color: #e5c07b; } a { color: #8ab4f8; } }
</style></head><body>
<h1>Coverage of kernels</h1>
<p><span class="run">ran</span> <span class="partial">a branch went one way only</span>
<span class="missed">nobody came here</span>. Beside a line's number: how many threads came there.</p>
)";

/// "12:9 never true": the branches of a line that went one way only.
std::string one_way_branches(const CoveredText& text, unsigned line) {
  std::string found;
  for (const CoveredBranch& branch : text.branches) {
    if (branch.line != line) continue;
    const std::string way = missing_way(branch);
    if (!way.empty())
      found +=
          (found.empty() ? "column " : ", column ") + std::to_string(branch.column) + " " + way;
  }
  return found;
}

std::string page_of_text(const CoveredText& text) {
  std::map<unsigned, std::uint64_t> counts;
  for (const CoveredLine& line : text.lines) counts[line.number] = line.count;
  std::string made = "<pre>";
  std::string_view rest = text.text;
  for (unsigned number = 1; !rest.empty(); ++number) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const auto count = counts.find(number);
    const std::string ways = one_way_branches(text, number);
    const char* const kind = count == counts.end() ? ""
                             : count->second == 0  ? " class=\"missed\""
                             : ways.empty()        ? " class=\"run\""
                                                   : " class=\"partial\"";
    made.append("<span").append(kind).append("><i>").append(std::to_string(number));
    made.append("</i><i>");
    if (count != counts.end()) made += std::to_string(count->second);
    made.append("</i>").append(escaped(line));
    if (!ways.empty()) made.append("<b>").append(ways).append("</b>");
    made += "</span>";
  }
  return made + "</pre>\n";
}

}  // namespace

std::string coverage_page(const std::vector<CoveredText>& texts) {
  std::string made(page_head);
  made +=
      "<table><tr><th>Kernel text</th><th>Lines</th><th>Missed</th><th>Ways of branches</th>"
      "<th>Missed</th><th>Cover</th></tr>\n";
  const auto cell = [&](std::size_t number, const char* end) {
    made.append("<td>").append(std::to_string(number)).append(end);
  };
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const CoveredText& text = texts[i];
    made +=
        "<tr><td><a href=\"#text" + std::to_string(i) + "\">" + escaped(text.name) + "</a></td>";
    cell(text.lines.size(), "</td>");
    cell(text.missed_lines(), "</td>");
    cell(2 * text.branches.size(), "</td>");
    cell(text.missed_ways(), "</td>");
    cell(whole_percent(text.share()), "%</td></tr>\n");
  }
  made += "</table>\n";
  for (std::size_t i = 0; i < texts.size(); ++i)
    made += "<h2 id=\"text" + std::to_string(i) + "\">" + escaped(texts[i].name) + "</h2>\n" +
            page_of_text(texts[i]);
  return made + "</body></html>\n";
}

}  // namespace treadle
