// SPDX-License-Identifier: MIT
// Two elements share a byte if sum(stride_a * i) - sum(stride_b * j) lies within the bytes of an
// element of the distance between the first ones. Equal strides of both arrays become one unknown,
// i - j; then the unknowns are tried from the largest stride down, and a branch ends where what is
// left cannot reach the distance, or only by multiples of the left strides' divisor that miss it.
// Arrays cut out of one larger array have at most two values to try in each level.
#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>
#include <vector>

#include "treadle/base/layout.hpp"

namespace treadle {
namespace {

struct Unknown {
  std::int64_t coefficient;      // positive
  std::int64_t lowest, highest;  // its values
};

// What the sum of some unknowns can be: multiples of `divisor` between these two.
struct Reach {
  std::int64_t low = 0, high = 0, divisor = 0;
};

std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && a < 0 ? 1 : 0);
}

// Adds stride * index, or its negative. The index is counted so that the coefficient is positive.
void add_unknowns(std::vector<Unknown>& unknowns, const Layout& layout, int sign) {
  for (std::size_t axis = 0; axis < layout.shape().size(); ++axis) {
    const std::int64_t stride = sign * layout.strides()[axis];
    const std::int64_t last = layout.shape()[axis] - 1;
    if (stride == 0 || last == 0) continue;
    const Unknown added = stride > 0 ? Unknown{stride, 0, last} : Unknown{-stride, -last, 0};
    const auto twin = std::ranges::find(unknowns, added.coefficient, &Unknown::coefficient);
    if (twin == unknowns.end()) {
      unknowns.push_back(added);
    } else {
      twin->lowest += added.lowest;
      twin->highest += added.highest;
    }
  }
}

class Search {
 public:
  explicit Search(std::vector<Unknown> unknowns)
      : unknowns_(std::move(unknowns)), reach_(unknowns_.size() + 1) {
    std::ranges::sort(unknowns_, std::ranges::greater{}, &Unknown::coefficient);
    for (std::size_t i = unknowns_.size(); i-- > 0;) {
      const Unknown& unknown = unknowns_[i];
      const Reach& rest = reach_[i + 1];
      reach_[i] = {rest.low + unknown.coefficient * unknown.lowest,
                   rest.high + unknown.coefficient * unknown.highest,
                   std::gcd(rest.divisor, unknown.coefficient)};
    }
  }
  // Whether a sum of the unknowns from `level` on may lie in low...high.
  bool may_reach(std::size_t level, std::int64_t low, std::int64_t high) {
    if (effort_left_-- <= 0) return true;
    const Reach& all = reach_[level];
    low = std::max(low, all.low);
    high = std::min(high, all.high);
    if (level == unknowns_.size()) return low <= high;
    if (floor_quotient(high, all.divisor) * all.divisor < low) return false;
    const auto& [coefficient, lowest, highest] = unknowns_[level];
    const Reach& rest = reach_[level + 1];
    const std::int64_t first = std::max(lowest, -floor_quotient(rest.high - low, coefficient));
    const std::int64_t last = std::min(highest, floor_quotient(high - rest.low, coefficient));
    for (std::int64_t value = first; value <= last; ++value)
      if (may_reach(level + 1, low - coefficient * value, high - coefficient * value)) return true;
    return false;
  }

 private:
  std::vector<Unknown> unknowns_;
  std::vector<Reach> reach_;  // of the unknowns from each one on
  int effort_left_ = 1000;
};

bool same_elements(const Layout& a, const Layout& b) {
  if (a.offset_bytes() != b.offset_bytes() || !a.same_shape(b)) return false;
  for (std::size_t axis = 0; axis < a.shape().size(); ++axis)
    if (a.shape()[axis] > 1 && a.strides()[axis] != b.strides()[axis]) return false;
  return true;
}

}  // namespace

Overlap overlap(const Layout& a, std::size_t a_item_bytes, const Layout& b,
                std::size_t b_item_bytes) {
  const ByteRange a_range = a.byte_range(a_item_bytes), b_range = b.byte_range(b_item_bytes);
  if (a_range.end <= b_range.begin || b_range.end <= a_range.begin) return Overlap::none;
  if (a.size() == 0 || b.size() == 0) return Overlap::none;
  if (a_item_bytes == b_item_bytes && same_elements(a, b)) return Overlap::same;
  std::vector<Unknown> unknowns;
  add_unknowns(unknowns, a, 1);
  add_unknowns(unknowns, b, -1);
  const std::int64_t distance = b.offset_bytes() - a.offset_bytes();
  Search search(std::move(unknowns));
  return search.may_reach(0, distance - static_cast<std::int64_t>(a_item_bytes) + 1,
                          distance + static_cast<std::int64_t>(b_item_bytes) - 1)
             ? Overlap::partial
             : Overlap::none;
}

}  // namespace treadle
