// SPDX-License-Identifier: MIT
// Coverage for a terminal and for programs: a table in the manner of coverage.py, lcov's tracefile,
// Cobertura's XML.
#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>

#include "base/markup.hpp"
#include "process/covered_line_ranges.hpp"
#include "treadle/process/coverage.hpp"

namespace treadle {
namespace {

std::string percent(double share) { return std::to_string(whole_percent(share)) + "%"; }

std::string share_of(std::size_t covered, std::size_t all) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4f",
                all == 0 ? 1.0 : static_cast<double>(covered) / static_cast<double>(all));
  return text;
}

struct Totals {
  std::size_t lines = 0, missed_lines = 0, ways = 0, missed_ways = 0;

  void add(const CoveredText& text) {
    lines += text.lines.size();
    missed_lines += text.missed_lines();
    ways += 2 * text.branches.size();
    missed_ways += text.missed_ways();
  }
  double share() const {
    const std::size_t all = lines + ways;
    return all == 0
               ? 1
               : static_cast<double>(all - missed_lines - missed_ways) / static_cast<double>(all);
  }
};

std::string table_row(const std::string& name, std::size_t width, const Totals& totals,
                      const std::string& missing) {
  char numbers[96];
  std::snprintf(numbers, sizeof numbers, "%8zu %6zu %8zu %6zu %6s", totals.lines,
                totals.missed_lines, totals.ways, totals.missed_ways,
                percent(totals.share()).c_str());
  std::string row = name + std::string(width - name.size(), ' ') + numbers;
  if (!missing.empty()) row += "   " + missing;
  return row + '\n';
}

std::map<unsigned, std::vector<const CoveredBranch*>> branches_by_line(const CoveredText& text) {
  std::map<unsigned, std::vector<const CoveredBranch*>> found;
  for (const CoveredBranch& branch : text.branches) found[branch.line].push_back(&branch);
  return found;
}

}  // namespace

std::string coverage_table(const std::vector<CoveredText>& texts) {
  std::size_t width = sizeof "Kernel text" - 1;
  for (const CoveredText& text : texts) width = std::max(width, text.name.size());
  char head[96];
  std::snprintf(head, sizeof head, "%8s %6s %8s %6s %6s   %s", "Lines", "Miss", "Branch", "Miss",
                "Cover", "Missing");
  const std::string title = "Kernel text" + std::string(width - (sizeof "Kernel text" - 1), ' ');
  const std::string rule(title.size() + std::string(head).size(), '-');
  std::string table = title + head + "\n" + rule + "\n";
  Totals all;
  for (const CoveredText& text : texts) {
    Totals own;
    own.add(text);
    all.add(text);
    table += table_row(text.name, width, own, missing_places(text));
  }
  return table + rule + "\n" + table_row("TOTAL", width, all, "");
}

std::string coverage_lcov(const std::vector<CoveredText>& texts) {
  std::string made;
  const auto put = [&](const char* what, auto... numbers) {
    made += what;
    const char* between = "";
    ((made += std::exchange(between, ","), made += std::to_string(numbers)), ...);
  };
  for (const CoveredText& text : texts) {
    made += "TN:\nSF:" + text.name + "\n";
    std::size_t called = 0;
    for (const CoveredFunction& function : text.functions) {
      put("FN:", function.line);
      made += "," + function.name + "\n";
    }
    for (const CoveredFunction& function : text.functions) {
      put("FNDA:", function.count);
      made += "," + function.name + "\n";
      called += function.count != 0 ? 1u : 0u;
    }
    put("FNF:", text.functions.size());
    put("\nFNH:", called);
    made += '\n';
    for (const auto& [line, branches] : branches_by_line(text))
      for (std::size_t i = 0; i < branches.size(); ++i) {
        const CoveredBranch& branch = *branches[i];
        const bool reached = branch.taken + branch.not_taken != 0;
        for (const auto& [way, count] :
             {std::pair(0, branch.taken), std::pair(1, branch.not_taken)}) {
          put("BRDA:", line, i, way);
          made.append(",").append(reached ? std::to_string(count) : "-").append("\n");
        }
      }
    put("BRF:", 2 * text.branches.size());
    put("\nBRH:", 2 * text.branches.size() - text.missed_ways());
    made += '\n';
    for (const CoveredLine& line : text.lines) {
      put("DA:", line.number, line.count);
      made += '\n';
    }
    put("LF:", text.lines.size());
    put("\nLH:", text.lines.size() - text.missed_lines());
    made += "\nend_of_record\n";
  }
  return made;
}

std::string coverage_xml(const std::vector<CoveredText>& texts) {
  Totals all;
  for (const CoveredText& text : texts) all.add(text);
  const auto rates = [](const Totals& totals) {
    return "line-rate=\"" + share_of(totals.lines - totals.missed_lines, totals.lines) +
           "\" branch-rate=\"" + share_of(totals.ways - totals.missed_ways, totals.ways) + "\"";
  };
  const auto number = [](const char* name, std::size_t value) {
    return std::string(" ") + name + "=\"" + std::to_string(value) + "\"";
  };
  std::string made =
      "<?xml version=\"1.0\" ?>\n<coverage version=\"treadle\" timestamp=\"0\" " + rates(all) +
      number("lines-valid", all.lines) + number("lines-covered", all.lines - all.missed_lines) +
      number("branches-valid", all.ways) + number("branches-covered", all.ways - all.missed_ways) +
      " complexity=\"0\">\n <sources><source>.</source></sources>\n <packages>\n" +
      "  <package name=\"kernels\" " + rates(all) + " complexity=\"0\">\n" + "   <classes>\n";
  for (const CoveredText& text : texts) {
    Totals own;
    own.add(text);
    const std::string name = escaped(text.name);
    made += "    <class name=\"" + name + "\" filename=\"" + name + "\" " + rates(own) +
            " complexity=\"0\">\n     <methods/>\n     <lines>\n";
    const auto branches = branches_by_line(text);
    for (const CoveredLine& line : text.lines) {
      made += "      <line" + number("number", line.number) + number("hits", line.count);
      if (const auto found = branches.find(line.number); found != branches.end()) {
        const std::size_t ways = 2 * found->second.size();
        std::size_t covered = ways;
        for (const CoveredBranch* branch : found->second)
          covered -= (branch->taken == 0 ? 1u : 0u) + (branch->not_taken == 0 ? 1u : 0u);
        made += " branch=\"true\" condition-coverage=\"" + std::to_string(100 * covered / ways) +
                "% (" + std::to_string(covered) + "/" + std::to_string(ways) + ")\"";
      }
      made += "/>\n";
    }
    made += "     </lines>\n    </class>\n";
  }
  return made + "   </classes>\n  </package>\n </packages>\n</coverage>\n";
}

}  // namespace treadle
