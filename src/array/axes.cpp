// SPDX-License-Identifier: MIT
#include "array/axes.hpp"

#include "treadle/base/axis.hpp"
#include "treadle/base/error.hpp"

namespace treadle::array {

std::uint64_t axes_of(const Axes& axes, const Layout& layout, const std::string& who) {
  const int rank = static_cast<int>(layout.shape().size());
  if (!axes.named()) return (std::uint64_t{1} << rank) - 1;
  std::uint64_t all = 0;
  for (const int axis : *axes.named()) {
    const std::uint64_t bit = std::uint64_t{1} << checked_axis(axis, rank, who);
    if ((all & bit) != 0)
      throw InvalidArgument(who + " along axis " + std::to_string(axis) + " twice",
                            "name each axis once");
    all |= bit;
  }
  return all;
}

}  // namespace treadle::array
