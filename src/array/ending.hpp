// SPDX-License-Identifier: MIT
// Which nodes end when pending ones are computed and let go of their operands.
#pragma once

#include <cstdint>
#include <vector>

#include "array/node_notes.hpp"

namespace treadle::array {

/// Counts as if nodes had let go of their operands. The context's lock is held as long as it is
/// used.
class Ending {
 public:
  /// A node that does not end itself, and was not named before.
  void let_go(const Node& node) {
    for (unsigned i = 0; i < node.arity; ++i) {
      Node& operand = *node.operands[i];
      std::uint32_t* left = left_.find(operand);
      if (left == nullptr) left = &left_.add(operand, operand.references());
      if (--*left != 0) continue;
      if (operand.is_leaf())
        leaves_.push_back(&operand);
      else
        let_go(operand);  // no deeper than Caps::steps
    }
  }
  /// Leaves that nobody would keep.
  const std::vector<const Node*>& leaves() const noexcept { return leaves_; }

 private:
  NodeNotes<std::uint32_t> left_;  // references that would be left
  std::vector<const Node*> leaves_;
};

}  // namespace treadle::array
