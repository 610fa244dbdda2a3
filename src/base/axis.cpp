// SPDX-License-Identifier: MIT
#include "treadle/base/axis.hpp"

#include <string>

#include "treadle/base/error.hpp"

namespace treadle {

int checked_axis(int axis, int rank, std::string_view what) {
  const int counted = axis < 0 ? axis + rank : axis;
  if (counted >= 0 && counted < rank) return counted;
  throw IndexError(std::string(what) + (what.empty() ? "" : ": ") + "axis " + std::to_string(axis) +
                       " is out of bounds for array of dimension " + std::to_string(rank),
                   "axes are counted from 0, or from -1 backwards");
}

}  // namespace treadle
