// SPDX-License-Identifier: MIT
#include "treadle/tune/report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "base/markup.hpp"
#include "tune/charts.hpp"

namespace treadle::tune {
namespace {

constexpr std::size_t most_lines = 400, table_rows = 20;

constexpr const char* page_head = R"(<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" lang="en">
<head><meta charset="utf-8"/><meta name="viewport" content="width=device-width"/>
<title>Tuning report</title>
<style>
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 1100px; padding: 0 1em; color: #222; background: #fff; }
h2 { margin-top: 2.5em; border-top: 1px solid #ccc; padding-top: 1em; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
td, th { padding: .15em .7em; text-align: right; border-bottom: 1px solid #eee; }
td.text, th.text { text-align: left; }
figure { margin: 1em 0; overflow-x: auto; }
figcaption { color: #555; max-width: 60em; }
.effects { display: flex; flex-wrap: wrap; gap: 1em; }
pre { background: #f6f6f4; padding: 1em; overflow-x: auto; font-size: 13px; }
svg text { font: 12px system-ui, sans-serif; fill: #333; paint-order: stroke; stroke: #fff; stroke-width: 3px; }
svg .grid { stroke: #e4e4e0; } svg .axis { stroke: #888; } svg .failed { stroke: #c33; stroke-width: 1.5; }
svg .measured { fill: #2463b0; } svg .overtaken { fill: #b0b0a8; } svg .won { fill: #d47500; stroke: #222; }
svg polyline { fill: none; } svg .best { stroke: #222; stroke-width: 1.5; }
svg .attempt { stroke-width: 1; stroke-opacity: .55; } svg .first { stroke-width: 3; }
svg .whisker { stroke: #888; } svg .quartiles { fill: #c9d9ee; stroke: #2463b0; } svg .median { stroke: #222; stroke-width: 2; }
</style></head>
<body><h1>Tuning report</h1>
)";

std::string row(const std::vector<std::string>& cells, std::string_view cell, bool is_text) {
  std::string made = "<tr>";
  for (const std::string& each : cells)
    made += "<" + std::string(cell) + (is_text ? " class=\"text\">" : ">") + escaped(each) + "</" +
            std::string(cell) + ">";
  return made + "</tr>\n";
}

std::string fixed(double value, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

/// A kernel, a problem and an environment.
class Section {
 public:
  Section(StoreKey key, std::vector<KeptAttempt> attempts)
      : key_(std::move(key)), attempts_(std::move(attempts)) {
    for (const KeptAttempt& each : attempts_)
      if (each.measured.is_right() && std::isfinite(each.measured.seconds)) right_.push_back(each);
    // The winner first, whatever the others took by luck.
    std::ranges::stable_sort(right_, {}, [](const KeptAttempt& each) {
      return std::pair(!each.measured.won, each.measured.seconds);
    });
  }

  std::string title() const {
    std::string made = key_.kernel;
    for (const auto& [name, value] : key_.problem) made += ", " + name + "=" + value_text(value);
    return made;
  }
  std::string text(const std::string& id) const {
    const Environment& where = key_.environment;
    std::string made =
        "<section id=\"" + id + "\"><h2>" + escaped(title()) + "</h2>\n<p>" + escaped(where.device);
    for (const std::string& each : {where.architecture, where.driver, where.compiler})
      if (!each.empty()) made += ", " + escaped(each);
    if (!where.treadle.empty()) made += ", Treadle " + escaped(where.treadle);
    made += "</p>\n" + outcomes();
    if (right_.empty()) return made + "<p>No variant is right.</p>\n" + failures() + "</section>\n";
    return made + best() + charts() + table() + failures() + written() + "</section>\n";
  }

 private:
  std::string outcomes() const {
    std::map<std::string_view, std::size_t> counts;
    for (const KeptAttempt& each : attempts_) ++counts[outcome_name(each.measured.outcome)];
    std::string made = "<p>" + std::to_string(attempts_.size()) + " attempts";
    for (const auto& [name, count] : counts)
      made += (name == counts.begin()->first ? ": " : ", ") + std::to_string(count) + " " +
              std::string(name);
    return made + "</p>\n";
  }
  std::string best() const {
    const KeptAttempt& first = right_.front();
    std::string made =
        "<p>Best: <strong>" + escaped(duration_text(first.measured.seconds)) + "</strong> by ";
    for (const auto& [name, value] : first.values)
      made += "<code>" + escaped(name) + "=" + escaped(value_text(value)) + "</code> ";
    std::vector<double> seconds;
    for (const KeptAttempt& each : right_) seconds.push_back(each.measured.seconds);
    std::ranges::sort(seconds);
    return made + "</p><p>The median of those that are right takes " +
           fixed(seconds[seconds.size() / 2] / first.measured.seconds, 2) +
           " times as long, the slowest " + fixed(seconds.back() / first.measured.seconds, 2) +
           " times.</p>\n";
  }
  static std::string figure(const std::string& picture, const std::string& said) {
    if (picture.empty()) return {};
    return "<figure>" + picture + "<figcaption>" + escaped(said) + "</figcaption></figure>\n";
  }
  std::string charts() const {
    std::string made =
        "<h3>Performance over time</h3>\n" +
        figure(
            progress_chart(attempts_),
            "Each dot is an attempt: blue measured, grey overtaken before it was measured to the "
            "end, orange the winner. Red: attempts that failed. The line is the best so far.") +
        "<h3>Parallel coordinates</h3>\n" +
        figure(parallel_chart(right_, most_lines),
               "A line is a variant, blue the best; " +
                   std::to_string(std::min(right_.size(), most_lines)) + " of " +
                   std::to_string(right_.size()) + " are shown.") +
        "<h3>Effect of each parameter</h3>\n<p>Quartiles, median and extremes of the times by "
        "value, and how much of the variance of their logarithms the parameter alone "
        "explains.</p><div class=\"effects\">\n";
    std::vector<std::pair<double, std::string>> effects;
    for (const std::string& name : parameters_in(right_))
      if (values_in(right_, name).size() > 1)
        effects.emplace_back(-explained_by(right_, name), name);
    std::ranges::sort(effects);
    for (const auto& [share, name] : effects)
      made += figure(effect_chart(right_, name), name + ": " + fixed(-100 * share, 0) + " %");
    return made + "</div>\n";
  }
  std::string table() const {
    const auto names = parameters_in(right_);
    std::vector<std::string> head = names;
    for (const char* each : {"time", "of the best", "registers", "private bytes", "local bytes"})
      head.emplace_back(each);
    std::string made = "<h3>The best variants</h3>\n<table>" + row(head, "th", false);
    for (std::size_t k = 0; k < std::min(right_.size(), table_rows); ++k) {
      const KeptAttempt& each = right_[k];
      std::vector<std::string> cells;
      for (const std::string& name : names) {
        const auto found = each.values.find(name);
        cells.push_back(found == each.values.end() ? "" : value_text(found->second));
      }
      cells.push_back(duration_text(each.measured.seconds));
      cells.push_back(fixed(each.measured.seconds / right_.front().measured.seconds, 3));
      const device::KernelResources& needs = each.measured.resources;
      cells.push_back(std::to_string(needs.registers));
      cells.push_back(std::to_string(needs.private_bytes));
      cells.push_back(std::to_string(needs.static_local_bytes));
      made += row(cells, "td", false);
    }
    return made + "</table>\n";
  }
  std::string failures() const {
    std::map<std::string, std::pair<std::size_t, std::string>> by_outcome;
    for (const KeptAttempt& each : attempts_) {
      if (each.measured.is_right()) continue;
      auto& [count, error] = by_outcome[std::string(outcome_name(each.measured.outcome))];
      if (count++ == 0) error = each.measured.error.substr(0, 600);
    }
    if (by_outcome.empty()) return {};
    std::string made =
        "<h3>Failures</h3>\n<table>" + row({"outcome", "attempts", "the first"}, "th", true);
    for (const auto& [name, what] : by_outcome)
      made += row({name, std::to_string(what.first), what.second}, "td", true);
    return made + "</table>\n";
  }
  std::string written() const {
    const std::string& text = right_.front().measured.text;
    if (text.empty()) return {};
    return "<h3>The best variant</h3>\n<pre>" + escaped(text) + "</pre>\n";
  }

  StoreKey key_;
  std::vector<KeptAttempt> attempts_, right_;
};

}  // namespace

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds)) return "never";
  constexpr std::pair<double, const char*> units[] = {
      {1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};
  for (const auto& [size, unit] : units) {
    if (seconds < size && size > 1e-9) continue;
    char text[32];
    std::snprintf(text, sizeof text, seconds / size < 1000 ? "%.3g %s" : "%.0f %s", seconds / size,
                  unit);
    return text;
  }
  return {};
}

std::string report_page(Store& store, std::string_view kernel) {
  std::vector<Section> sections;
  for (StoreKey& key : store.keys(kernel)) {
    auto attempts = store.attempts(key);
    sections.emplace_back(std::move(key), std::move(attempts));
  }
  std::string made = page_head;
  if (sections.empty()) made += "<p>Nothing was tuned yet.</p>\n";
  if (sections.size() > 1) {
    made += "<ul>\n";
    for (std::size_t k = 0; k < sections.size(); ++k)
      made += "<li><a href=\"#tuned" + std::to_string(k) + "\">" + escaped(sections[k].title()) +
              "</a></li>\n";
    made += "</ul>\n";
  }
  for (std::size_t k = 0; k < sections.size(); ++k)
    made += sections[k].text("tuned" + std::to_string(k));
  return made + "</body></html>\n";
}

}  // namespace treadle::tune
