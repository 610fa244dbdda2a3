// SPDX-License-Identifier: MIT
// Finds the nodes that end when pending nodes are computed and drop their operands.
#pragma once

#include <cstdint>
#include <vector>

#include "array/node_notes.hpp"

namespace treadle::array {

/// Finds the leaves that would end if some nodes dropped their operands. The caller holds the
/// context's lock as long as it uses the object.
class Ending {
 public:
  /// Counts a node's operands as dropped. The node itself does not end. Call this once for each
  /// node.
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
  /// The leaves that would end.
  const std::vector<const Node*>& leaves() const noexcept { return leaves_; }

 private:
  NodeNotes<std::uint32_t> left_;  // references that remain
  std::vector<const Node*> leaves_;
};

}  // namespace treadle::array
