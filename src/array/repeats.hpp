// SPDX-License-Identifier: MIT
// What a kernel would compute again that an earlier one has computed on its way. If it was never
// kept, a loop of the form x = f(x) that looks at something else, which depends on x, would make an
// expression that is longer with every step, and so a kernel a step:
//
//   x = f(x);  look(2 * x);    the kernel computes 2 * f(x0)
//   x = f(x);  look(2 * x);    x = f(f(x0)) is kept
//   x = f(x);  look(2 * x);    the kernel of the first step again
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "array/context.hpp"

namespace treadle::array {

/// A kernel that is about to compute nodes.
struct PlannedKernel {
  std::span<Node* const> nodes;  ///< null ones and leaves are left out
  bool is_stored;                ///< whether they get memory; else they are on the way, too
  /// Nodes of its shape and stream can be outputs, too. Null: none can, but arrays with reductions
  /// below them, if the others are stored.
  const Node* beside;
  std::size_t room;      ///< how many outputs more there may be
  std::uint32_t number;  ///< of Context::next_kernel()
};

/// Nodes on the way that are to get memory; operands come first.
struct Repeats {
  std::vector<Node*> before;   ///< computed before; then the kernel is looked at anew
  std::vector<Node*> outputs;  ///< of the kernel itself
};

/// Two kinds of nodes get memory. A node that an array stands for gets it, if an earlier kernel
/// could have stored the node and this kernel can: otherwise the next kernel that reads the node
/// computes it a third time. A node that is computed for the first time gets it, if somebody needs
/// the node afterwards and the node depends on an earlier kernel's result: such nodes are those of
/// a loop. Where `before` is empty, all other nodes count from now on as computed by this kernel.
/// The caller holds the context's lock as long as it uses the result.
Repeats find_repeats(const PlannedKernel& kernel);

/// Computes nodes before the kernel on whose way they are. False if there is no memory for them:
/// the kernel does without.
bool compute_before(std::span<const NodeRef> nodes);
/// Finds and computes them before a kernel that has these nodes on its way.
void keep_repeats(Context& context, std::span<Node* const> nodes);

}  // namespace treadle::array
