// SPDX-License-Identifier: MIT
// Which nodes end when pending ones are computed and let go of their operands.
#pragma once

#include <vector>

#include "array/context.hpp"

namespace treadle::array {

/// Counts as if nodes had let go of their operands. The context's lock is held as long as it is
/// used, and nodes are walked for nothing else meanwhile.
class Ending {
 public:
  explicit Ending(Context& context) : mark_(context.next_mark()) {}

  /// A node that does not end itself, and was not named before.
  void let_go(const Node& node) {
    for (unsigned i = 0; i < node.arity; ++i) {
      Node& operand = *node.operands[i];
      if (operand.mark != mark_) {
        operand.mark = mark_;
        operand.left = operand.references();
      }
      if (--operand.left != 0) continue;
      if (operand.is_leaf())
        leaves_.push_back(&operand);
      else
        let_go(operand);  // no deeper than Caps::steps
    }
  }
  /// Leaves that nobody would keep.
  const std::vector<const Node*>& leaves() const noexcept { return leaves_; }

 private:
  std::uint32_t mark_;
  std::vector<const Node*> leaves_;
};

}  // namespace treadle::array
