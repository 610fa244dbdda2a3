// SPDX-License-Identifier: MIT
// What makes a pending node a reduction.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "array/node.hpp"
#include "treadle/kernel/reduction.hpp"

namespace treadle::array {

/// How a node's elements are made of those of its operand. Never changes. Reductions that go
/// together are folds of one kernel; what is computed of their results, element by element, is its
/// epilogue.
struct Folding {
  codegen::Fold fold;
  Scalar accumulator;                 ///< elements are cast to it before
  std::vector<std::int64_t> extents;  ///< of the elements
  std::uint64_t axes;                 ///< those that are folded: bit i is axis i
  bool keeps_axes;                    ///< in the result, with length 1

  /// The dtype of what was folded.
  DType result() const {
    const bool is_place = fold == codegen::Fold::argmin || fold == codegen::Fold::argmax;
    return is_place ? Scalar::int64 : accumulator;
  }
  bool is_folded(std::size_t axis) const noexcept { return (axes >> axis & 1) != 0; }
  /// Whether one pass over the elements can make both.
  bool goes_with(const Folding& other) const {
    return axes == other.axes && keeps_axes == other.keeps_axes && extents == other.extents;
  }
};

/// The first pending reduction that a node is or has below it; null: there is none. All others
/// there go with it. The context's lock is held.
std::shared_ptr<const Folding> folding_below(const Node& node);
/// The same; takes the lock, if there may be one.
std::shared_ptr<const Folding> folding_of(const Node& node);

}  // namespace treadle::array
