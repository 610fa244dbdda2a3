// SPDX-License-Identifier: MIT
#include "tune/charts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "base/markup.hpp"
#include "treadle/tune/report.hpp"
#include "tune/operand.hpp"

namespace treadle::tune {
namespace {

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

double real_of(std::size_t count) { return static_cast<double>(count); }

/// SVG, part by part.
class Picture {
 public:
  Picture(double width, double height, std::string_view what)
      : text_("<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 " +
              number(width) + " " + number(height) + "\" width=\"" + number(width) +
              "\" height=\"" + number(height) + "\"><title>" + escaped(what) + "</title>") {}

  void line(double x1, double y1, double x2, double y2, std::string_view kind) {
    text_ += "<line class=\"" + std::string(kind) + "\" x1=\"" + number(x1) + "\" y1=\"" +
             number(y1) + "\" x2=\"" + number(x2) + "\" y2=\"" + number(y2) + "\"/>";
  }
  void dot(double x, double y, std::string_view kind, std::string_view said) {
    text_ += "<circle class=\"" + std::string(kind) + "\" cx=\"" + number(x) + "\" cy=\"" +
             number(y) + "\" r=\"3\"><title>" + escaped(said) + "</title></circle>";
  }
  void box(double x, double y, double width, double height, std::string_view kind) {
    text_ += "<rect class=\"" + std::string(kind) + "\" x=\"" + number(x) + "\" y=\"" + number(y) +
             "\" width=\"" + number(width) + "\" height=\"" + number(std::max(height, 1.0)) +
             "\"/>";
  }
  void path(const std::vector<std::pair<double, double>>& points, std::string_view kind,
            std::string_view colour = {}, std::string_view said = {}) {
    text_ += "<polyline class=\"" + std::string(kind) + "\"";
    if (!colour.empty()) text_ += " stroke=\"" + std::string(colour) + "\"";
    text_ += " points=\"";
    for (const auto& [x, y] : points) text_ += number(x) + "," + number(y) + " ";
    text_ += said.empty() ? "\"/>" : "\"><title>" + escaped(said) + "</title></polyline>";
  }
  /// `anchor`: "start", "middle" or "end".
  void label(double x, double y, std::string_view anchor, std::string_view said) {
    text_ += "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" text-anchor=\"" +
             std::string(anchor) + "\">" + escaped(said) + "</text>";
  }
  std::string done() && { return std::move(text_) + "</svg>"; }

 private:
  std::string text_;
};

/// Seconds to heights, by their logarithms.
class LogScale {
 public:
  LogScale(double least, double most, double bottom, double top)
      : low_(std::log(least)), high_(std::log(most)), bottom_(bottom), top_(top) {
    const double margin = std::max(0.05 * (high_ - low_), 0.02);
    low_ -= margin, high_ += margin;
  }
  double operator()(double seconds) const {
    return bottom_ + (std::log(seconds) - low_) / (high_ - low_) * (top_ - bottom_);
  }
  /// 1, 2 and 5 times powers of ten; where there are few, the ends and what is between.
  std::vector<double> ticks() const {
    std::vector<double> made;
    for (int power = static_cast<int>(std::floor(low_ / std::log(10.0)));
         power <= static_cast<int>(std::ceil(high_ / std::log(10.0))); ++power)
      for (const double step : {1.0, 2.0, 5.0}) {
        const double tick = step * std::pow(10.0, power);
        if (std::log(tick) >= low_ && std::log(tick) <= high_) made.push_back(tick);
      }
    if (made.size() >= 3) return made;
    made.clear();
    for (int k = 0; k <= 4; ++k) made.push_back(std::exp(low_ + (high_ - low_) * (k + 0.5) / 5));
    return made;
  }

 private:
  double low_, high_, bottom_, top_;
};

std::pair<double, double> range_of(const std::vector<KeptAttempt>& right) {
  const auto [least, most] =
      std::ranges::minmax(right, {}, [](const KeptAttempt& each) { return each.measured.seconds; });
  return {std::max(least.measured.seconds, 1e-12), std::max(most.measured.seconds, 1e-12)};
}

std::string configuration_text(const std::map<std::string, Value>& values) {
  std::string made;
  for (const auto& [name, value] : values)
    made += (made.empty() ? "" : ", ") + name + "=" + value_text(value);
  return made;
}

/// From blue, the best, to sand.
std::string colour_of(double place) {
  const auto between = [&](int from, int to) {
    return static_cast<int>(std::lround(from + place * (to - from)));
  };
  return "rgb(" + std::to_string(between(0x12, 0xe6)) + "," + std::to_string(between(0x4a, 0xcf)) +
         "," + std::to_string(between(0xa8, 0x9a)) + ")";
}

/// Whether all tell when they were tried.
bool is_timed(const std::vector<KeptAttempt>& attempts) {
  return std::ranges::all_of(attempts,
                             [](const KeptAttempt& each) { return each.measured.measured_at > 0; });
}

constexpr double chart_width = 900, chart_height = 320, left = 80, right_margin = 20, above = 30,
                 below = 40;

void draw_time_axis(Picture& picture, const LogScale& scale, double width) {
  for (const double tick : scale.ticks()) {
    picture.line(left, scale(tick), width - right_margin, scale(tick), "grid");
    picture.label(left - 6, scale(tick) + 4, "end", duration_text(tick));
  }
}

}  // namespace

std::vector<Value> values_in(const std::vector<KeptAttempt>& attempts, const std::string& name) {
  std::vector<Value> made;
  for (const KeptAttempt& each : attempts)
    if (const auto found = each.values.find(name);
        found != each.values.end() && std::ranges::find(made, found->second) == made.end())
      made.push_back(found->second);
  std::ranges::sort(made, [](const Value& a, const Value& b) {
    const Operand x(a), y(b);
    if (x.is_text() != y.is_text()) return y.is_text();
    return x.is_text() ? *x.text < *y.text : x.number() < y.number();
  });
  return made;
}

std::vector<std::string> parameters_in(const std::vector<KeptAttempt>& attempts) {
  std::vector<std::string> made;
  if (!attempts.empty())
    for (const auto& [name, value] : attempts.front().values) made.push_back(name);
  return made;
}

std::string progress_chart(const std::vector<KeptAttempt>& attempts) {
  std::vector<KeptAttempt> order = attempts, right;
  std::ranges::stable_sort(order, {},
                           [](const KeptAttempt& each) { return each.measured.measured_at; });
  for (const KeptAttempt& each : order)
    if (each.measured.is_right() && std::isfinite(each.measured.seconds)) right.push_back(each);
  if (right.empty()) return {};
  const bool by_time = is_timed(order);
  const double start = order.front().measured.measured_at;
  const double whole = by_time ? std::max(order.back().measured.measured_at - start, 1e-3)
                               : std::max(static_cast<double>(order.size()) - 1, 1.0);
  const auto [least, most] = range_of(right);
  const LogScale scale(least, most, chart_height - below, above);
  Picture picture(chart_width, chart_height, "times of attempts, and the best so far");
  draw_time_axis(picture, scale, chart_width);
  std::vector<std::pair<double, double>> steps;
  double best = HUGE_VAL;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const Measured& measured = order[k].measured;
    const double passed = by_time ? measured.measured_at - start : static_cast<double>(k);
    const double x = left + passed / whole * (chart_width - left - right_margin);
    const std::string said =
        configuration_text(order[k].values) + ": " + std::string(outcome_name(measured.outcome));
    if (!measured.is_right() || !std::isfinite(measured.seconds)) {
      picture.line(x, above - 12, x, above - 4, "failed");
      continue;
    }
    const double y = scale(std::max(measured.seconds, 1e-12));
    picture.dot(x, y, measured.won ? "won" : outcome_name(measured.outcome),
                said + ", " + duration_text(measured.seconds));
    if (measured.outcome == Outcome::measured && measured.seconds < best) {
      if (!steps.empty()) steps.emplace_back(x, steps.back().second);
      steps.emplace_back(x, y);
      best = measured.seconds;
    }
  }
  if (!steps.empty()) steps.emplace_back(chart_width - right_margin, steps.back().second);
  picture.path(steps, "best");
  picture.label(left, chart_height - 12, "start", "0");
  picture.label(
      chart_width - right_margin, chart_height - 12, "end",
      by_time ? duration_text(whole) + " later" : std::to_string(order.size()) + " attempts");
  return std::move(picture).done();
}

std::string parallel_chart(const std::vector<KeptAttempt>& right, std::size_t most_lines) {
  const std::vector<std::string> names = parameters_in(right);
  if (right.empty() || names.empty()) return {};
  const auto [least, most] = range_of(right);
  const double width = std::max(300.0, std::min(1400.0, 140.0 * (real_of(names.size()) + 1)));
  const double top = 40, bottom = chart_height - 20;
  const double step = (width - 120) / static_cast<double>(names.size());
  const LogScale scale(least, most, bottom, top);
  Picture picture(width, chart_height, "parallel coordinates");
  std::vector<std::vector<Value>> axes;
  const auto height_of = [&](std::size_t axis, const Value& value) {
    const auto& values = axes[axis];
    const auto place = std::ranges::find(values, value) - values.begin();
    const double share =
        values.size() < 2 ? 0.5 : static_cast<double>(place) / (real_of(values.size()) - 1);
    return bottom - share * (bottom - top);
  };
  for (std::size_t k = 0; k < names.size(); ++k) axes.push_back(values_in(right, names[k]));
  // The best last, above the others. Many others are thinned out evenly.
  std::vector<std::size_t> shown;
  const std::size_t best_ones = std::min(right.size(), most_lines / 2);
  const std::size_t others = right.size() - best_ones;
  const std::size_t kept = std::min(others, most_lines - best_ones);
  for (std::size_t k = kept; k-- > 0;) shown.push_back(best_ones + k * others / kept);
  for (std::size_t k = best_ones; k-- > 0;) shown.push_back(k);
  const double span = std::log(most / least);
  for (const std::size_t k : shown) {
    const KeptAttempt& each = right[k];
    std::vector<std::pair<double, double>> points;
    for (std::size_t axis = 0; axis < names.size(); ++axis)
      if (const auto found = each.values.find(names[axis]); found != each.values.end())
        points.emplace_back(40 + step * real_of(axis), height_of(axis, found->second));
    const double seconds = std::max(each.measured.seconds, 1e-12);
    points.emplace_back(width - 80, scale(seconds));
    const double place = span > 0 ? std::log(seconds / least) / span : 0;
    picture.path(points, k == 0 ? "first" : "attempt", colour_of(place),
                 configuration_text(each.values) + ": " + duration_text(each.measured.seconds));
  }
  for (std::size_t axis = 0; axis < names.size(); ++axis) {
    const double x = 40 + step * real_of(axis);
    picture.line(x, top, x, bottom, "axis");
    picture.label(x, 16, "middle", names[axis]);
    const std::size_t stride = axes[axis].size() / 16 + 1;
    for (std::size_t k = 0; k < axes[axis].size(); k += stride)
      picture.label(x + 4, height_of(axis, axes[axis][k]) + 4, "start", value_text(axes[axis][k]));
  }
  picture.line(width - 80, top, width - 80, bottom, "axis");
  picture.label(width - 80, 16, "middle", "time");
  for (const double tick : scale.ticks())
    picture.label(width - 76, scale(tick) + 4, "start", duration_text(tick));
  return std::move(picture).done();
}

std::string effect_chart(const std::vector<KeptAttempt>& right, const std::string& parameter) {
  const std::vector<Value> values = values_in(right, parameter);
  if (right.empty() || values.empty()) return {};
  const auto [least, most] = range_of(right);
  const double width = left + right_margin + std::max(140.0, 46 * real_of(values.size()));
  const LogScale scale(least, most, chart_height - below, above);
  Picture picture(width, chart_height, "times by " + parameter);
  draw_time_axis(picture, scale, width);
  const double step = (width - left - right_margin) / real_of(values.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    std::vector<double> seconds;
    for (const KeptAttempt& each : right)
      if (const auto found = each.values.find(parameter);
          found != each.values.end() && found->second == values[k])
        seconds.push_back(std::max(each.measured.seconds, 1e-12));
    std::ranges::sort(seconds);
    const auto quantile = [&](double share) {
      return seconds[static_cast<std::size_t>(share * (real_of(seconds.size()) - 1) + 0.5)];
    };
    const double x = left + step * (real_of(k) + 0.5);
    picture.line(x, scale(seconds.front()), x, scale(seconds.back()), "whisker");
    picture.box(x - 8, scale(quantile(0.75)), 16, scale(quantile(0.25)) - scale(quantile(0.75)),
                "quartiles");
    picture.line(x - 8, scale(quantile(0.5)), x + 8, scale(quantile(0.5)), "median");
    picture.dot(x, scale(seconds.front()), "measured",
                parameter + "=" + value_text(values[k]) + ": best " +
                    duration_text(seconds.front()) + ", median " + duration_text(quantile(0.5)) +
                    " of " + std::to_string(seconds.size()));
    picture.label(x, chart_height - 22, "middle", value_text(values[k]));
  }
  picture.label(left + (width - left - right_margin) / 2, chart_height - 4, "middle", parameter);
  return std::move(picture).done();
}

double explained_by(const std::vector<KeptAttempt>& right, const std::string& parameter) {
  std::map<std::string, std::pair<double, double>> groups;  // count and sum, by value
  double sum = 0, squares = 0;
  for (const KeptAttempt& each : right) {
    const auto found = each.values.find(parameter);
    if (found == each.values.end()) continue;
    const double logarithm = std::log(std::max(each.measured.seconds, 1e-12));
    auto& [count, total] = groups[value_text(found->second)];
    count += 1, total += logarithm, sum += logarithm, squares += logarithm * logarithm;
  }
  const double all = static_cast<double>(right.size());
  const double variance = squares - sum * sum / all;
  if (all < 2 || variance < 1e-12) return 0;
  double between = -sum * sum / all;
  for (const auto& [value, group] : groups) between += group.second * group.second / group.first;
  return std::clamp(between / variance, 0.0, 1.0);
}

}  // namespace treadle::tune
