// SPDX-License-Identifier: MIT
#include "treadle/process/coverage.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <tuple>

#include "process/coverage_file.hpp"
#include "process/coverage_map.hpp"
#include "treadle/base/error.hpp"

namespace treadle {
namespace {

std::uint64_t value_of(const CounterSum& sum, std::span<const std::uint64_t> counters) {
  std::uint64_t value = 0;
  for (const auto& [counter, is_negative] : sum.terms) {
    if (counter >= counters.size()) continue;
    value += is_negative ? 0 - counters[counter] : counters[counter];
  }
  // Counters are read one after the other: while kernels run a difference may be less than nothing.
  return static_cast<std::int64_t>(value) < 0 ? 0 : value;
}

/// One text, summed over all modules that were made of it.
struct SummedText {
  std::map<unsigned, std::uint64_t> lines;
  std::map<std::pair<unsigned, unsigned>, std::pair<std::uint64_t, std::uint64_t>> branches;
  std::map<std::pair<unsigned, std::string>, std::uint64_t> functions;
};
using SummedTexts = std::map<std::pair<std::string, std::string>, SummedText>;

void add_record(const CoverageRecord& record, SummedTexts& all) {
  const CoverageMap map = CoverageMap::decode(record.map);
  std::vector<SummedText*> texts;
  for (const auto& [name, text] : map.texts) texts.push_back(&all[{name, text}]);
  for (const CoverageMap::Line& line : map.lines) {
    std::uint64_t most = 0;
    for (const CounterSum& sum : line.counts) most = std::max(most, value_of(sum, record.counters));
    texts[line.text]->lines[line.line] += most;
  }
  for (const CoverageMap::Branch& branch : map.branches) {
    auto& [taken, not_taken] = texts[branch.text]->branches[{branch.line, branch.column}];
    taken += value_of(branch.taken, record.counters);
    not_taken += value_of(branch.not_taken, record.counters);
  }
  for (const CoverageMap::Function& function : map.functions)
    texts[function.text]->functions[{function.line, function.name}] +=
        value_of(function.count, record.counters);
}

void write_report(const std::filesystem::path& file, const std::string& bytes) {
  std::error_code failed;
  if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path(), failed);
  std::ofstream stream(file, std::ios::binary);
  stream << bytes;
  stream.close();
  if (!stream) throw FileError(errno, file.string(), "writing \"" + file.string() + "\"");
}

bool is_file_of(const CoveredText& text) {
  std::ifstream file(text.name, std::ios::binary);
  return std::string(std::istreambuf_iterator(file), {}) == text.text;
}

/// Gives each text that is no file the name of one in `folder`, and writes it there.
void keep_texts(std::vector<CoveredText>& texts, const std::filesystem::path& folder) {
  std::set<std::string> names;
  for (CoveredText& text : texts) {
    std::error_code failed;
    if (std::filesystem::is_regular_file(text.name, failed) && is_file_of(text)) continue;
    std::string name = text.name;
    std::ranges::replace_if(
        name, [](char c) { return c == '/' || c == ' ' || c == '<' || c == '>'; }, '_');
    while (!names.insert(name).second) name += '_';
    const std::filesystem::path path = folder / name;
    write_report(path, text.text);
    text.name = path.string();
  }
}

}  // namespace

std::size_t CoveredText::missed_lines() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(lines, [](const CoveredLine& line) { return line.count == 0; }));
}

std::size_t CoveredText::missed_ways() const {
  std::size_t missed = 0;
  for (const CoveredBranch& branch : branches)
    missed += (branch.taken == 0 ? 1u : 0u) + (branch.not_taken == 0 ? 1u : 0u);
  return missed;
}

double CoveredText::share() const {
  const std::size_t all = lines.size() + 2 * branches.size();
  const std::size_t missed = missed_lines() + missed_ways();
  return all == 0 ? 1 : static_cast<double>(all - missed) / static_cast<double>(all);
}

std::vector<CoveredText> read_coverage(const std::filesystem::path& file) {
  SummedTexts all;
  for (const CoverageRecord& record : coverage_records(file)) add_record(record, all);
  std::vector<CoveredText> texts;
  std::map<std::string, unsigned> seen;
  for (const auto& [key, sums] : all) {
    if (sums.lines.empty()) continue;
    CoveredText& text = texts.emplace_back();
    const unsigned number = ++seen[key.first];
    text.name = number == 1 ? key.first : key.first + " (" + std::to_string(number) + ")";
    text.text = key.second;
    for (const auto& [line, count] : sums.lines) text.lines.push_back({line, count});
    for (const auto& [place, ways] : sums.branches)
      text.branches.push_back({place.first, place.second, ways.first, ways.second});
    for (const auto& [place, count] : sums.functions)
      text.functions.push_back({place.second, place.first, count});
  }
  return texts;
}

std::filesystem::path write_coverage_report(std::vector<CoveredText> texts,
                                            const std::string& report) {
  const std::size_t colon = report.find(':');
  const std::string kind = report.substr(0, colon);
  const bool is_page = kind == "html";
  if (colon == std::string::npos || colon + 1 == report.size() ||
      (!is_page && kind != "lcov" && kind != "xml"))
    throw InvalidArgument("there is no report \"" + report + "\"",
                          "html:FOLDER, lcov:FILE or xml:FILE");
  std::filesystem::path file = report.substr(colon + 1);
  if (is_page) {
    write_report(file / "index.html", coverage_page(texts));
    return file / "index.html";
  }
  std::filesystem::path beside = file;
  keep_texts(texts, beside += ".texts");
  write_report(file, kind == "lcov" ? coverage_lcov(texts) : coverage_xml(texts));
  return file;
}

}  // namespace treadle
