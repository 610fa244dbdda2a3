// SPDX-License-Identifier: MIT
// Finds nodes that a kernel would compute again although an earlier kernel has computed them
// without storing them. Consider a loop of the form x = f(x) that looks at a second expression of x
// in each step. If no kernel ever stored x, the expression of x would grow with each step, and each
// step would need a new kernel:
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
  std::span<Node* const> nodes;  ///< null pointers and leaves are skipped
  bool is_stored;                ///< whether the kernel stores these nodes
  /// Nodes with the shape and stream of `beside` can be outputs, too. If `beside` is null, a kernel
  /// that stores its nodes can still store arrays that have reductions below them.
  const Node* beside;
  std::size_t room;      ///< how many more outputs the kernel can have
  std::uint32_t number;  ///< from Context::next_kernel()
};

/// The nodes that are to be stored, operands first.
struct Repeats {
  std::vector<Node*> before;   ///< computed first; then find_repeats() looks again
  std::vector<Node*> outputs;  ///< outputs of this kernel
};

/// Two kinds of nodes are stored. First, a node that an Array refers to is stored if an earlier
/// kernel could have stored the node and this kernel can: otherwise the next reader would compute
/// the node a third time. Second, a node that is computed for the first time is stored if a node
/// outside of this kernel reads it later and it depends on a result of an earlier kernel: loops
/// make such nodes. If `before` is empty, all other nodes are marked as computed by this kernel.
/// The caller holds the context's lock as long as it uses the result.
Repeats find_repeats(const PlannedKernel& kernel);

/// Computes nodes before the kernel that would compute them again. Returns false if there is no
/// memory for them; the kernel then computes them itself.
bool compute_before(std::span<const NodeRef> nodes);
/// Finds such nodes below `nodes` and computes them before a kernel that has `nodes` in its
/// expressions.
void keep_repeats(Context& context, std::span<Node* const> nodes);

}  // namespace treadle::array
