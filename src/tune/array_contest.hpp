// SPDX-License-Identifier: MIT
// Numbers for kernels against those before, over problems of several sizes.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "treadle/codegen/schedule.hpp"

namespace treadle::tune {

/// What came of one tiling: times, of those of the numbers before.
struct Standing {
  std::vector<double> ratios;  ///< of each problem, the median; fewer if it was given up
  double mean = 1;             ///< the geometric mean of these
  double worst = 1;            ///< the greatest of them
  double upper = 1;            ///< what three of four turns stayed below, of their means
};

/// Measures tilings in turn with that before, first the one and then the other, so that drifting
/// clocks and what caches hold meet both. What is better in
/// the mean may be far slower for one problem: numbers for a product of 1024 that took 0.9 of the
/// time took fourteen times as long for one of 4096.
class ArrayContest {
 public:
  /// One run of a problem with these numbers.
  using Seconds = std::function<double(std::size_t problem, const codegen::Tiling& tiling)>;
  ArrayContest(std::size_t problems, codegen::Tiling before, Seconds seconds)
      : problems_(problems), before_(std::move(before)), seconds_(std::move(seconds)) {}

  /// So many turns of each problem, one problem after the other, the last of which is that where
  /// two turns take more than twice as long as before.
  Standing measure(const codegen::Tiling& tiling, unsigned turns) const;
  /// The same; problems that are slower than `slowest` are measured once more before that is
  /// believed.
  Standing confirm(const codegen::Tiling& tiling, unsigned turns, double slowest) const;

 private:
  using Samples = std::vector<std::vector<double>>;  // of each problem, its ratios
  std::vector<double> ratios(std::size_t problem, const codegen::Tiling& tiling,
                             unsigned turns) const;
  Samples taken(const codegen::Tiling& tiling, unsigned turns) const;

  std::size_t problems_;
  codegen::Tiling before_;
  Seconds seconds_;
};

}  // namespace treadle::tune
