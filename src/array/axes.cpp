// SPDX-License-Identifier: MIT
#include "array/axes.hpp"

#include "treadle/base/error.hpp"

namespace treadle::array {

std::uint64_t axes_of(const Axes& axes, const Layout& layout, const std::string& who) {
  const int rank = static_cast<int>(layout.shape().size());
  if (!axes.named()) return (std::uint64_t{1} << rank) - 1;
  std::uint64_t all = 0;
  for (const int axis : *axes.named()) {
    const int counted = axis < 0 ? axis + rank : axis;
    if (counted < 0 || counted >= rank)
      throw IndexError(who + " along axis " + std::to_string(axis) + " of an array of shape " +
                           shape_text(layout.shape()),
                       "axes are counted from 0, or from -1 backwards");
    const std::uint64_t bit = std::uint64_t{1} << counted;
    if ((all & bit) != 0)
      throw InvalidArgument(who + " along axis " + std::to_string(axis) + " twice",
                            "name each axis once");
    all |= bit;
  }
  return all;
}

}  // namespace treadle::array
