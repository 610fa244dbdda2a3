// SPDX-License-Identifier: MIT
#include "tune/array_contest.hpp"

#include <algorithm>
#include <cmath>

#include "tune/samples.hpp"

namespace treadle::tune {
namespace {

constexpr double hopeless = 2;

double geometric_mean(const std::vector<double>& ratios) {
  double logarithms = 0;
  for (const double each : ratios) logarithms += std::log(each);
  return std::exp(logarithms / static_cast<double>(ratios.size()));
}

Standing standing_of(const std::vector<std::vector<double>>& samples) {
  Standing made;
  for (const auto& each : samples) made.ratios.push_back(median_of(each));
  made.mean = geometric_mean(made.ratios);
  made.worst = std::ranges::max(made.ratios);
  std::vector<double> turns;
  for (std::size_t turn = 0; turn < samples.back().size(); ++turn) {
    std::vector<double> ratios;
    for (const auto& each : samples) ratios.push_back(each[turn]);
    turns.push_back(geometric_mean(ratios));
  }
  std::ranges::sort(turns);
  made.upper = turns[turns.size() * 3 / 4];
  return made;
}

}  // namespace

std::vector<double> ArrayContest::ratios(std::size_t problem, const codegen::Tiling& tiling,
                                         unsigned turns) const {
  std::vector<double> made;
  seconds_(problem, before_);  // caches hold what was before
  for (unsigned turn = 0; turn < turns; ++turn) {
    const bool is_first = turn % 2 == 1;
    const double one = seconds_(problem, is_first ? tiling : before_),
                 other = seconds_(problem, is_first ? before_ : tiling);
    made.push_back(is_first ? one / other : other / one);
    // A busy moment looks the same: once more.
    if (turn == 1 && std::min(made[0], made[1]) > hopeless) break;
  }
  return made;
}

ArrayContest::Samples ArrayContest::taken(const codegen::Tiling& tiling, unsigned turns) const {
  Samples made;
  for (std::size_t problem = 0; problem < problems_; ++problem) {
    made.push_back(ratios(problem, tiling, turns));
    if (made.back().size() < turns) break;
  }
  return made;
}

Standing ArrayContest::measure(const codegen::Tiling& tiling, unsigned turns) const {
  return standing_of(taken(tiling, turns));
}

Standing ArrayContest::confirm(const codegen::Tiling& tiling, unsigned turns,
                               double slowest) const {
  Samples samples = taken(tiling, turns);
  Standing made = standing_of(samples);
  if (made.ratios.size() < problems_) return made;
  for (std::size_t problem = 0; problem < problems_; ++problem) {
    if (made.ratios[problem] <= slowest) continue;
    const std::vector<double> more = ratios(problem, tiling, turns);
    samples[problem].insert(samples[problem].end(), more.begin(), more.end());
    made.ratios[problem] = median_of(samples[problem]);
  }
  made.mean = geometric_mean(made.ratios);
  made.worst = std::ranges::max(made.ratios);
  return made;
}

}  // namespace treadle::tune
