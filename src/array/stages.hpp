// SPDX-License-Identifier: MIT
// Which pending computations a kernel has within it, and which are computed before it.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "array/context.hpp"
#include "treadle/array/computation.hpp"

namespace treadle::array {

/// The first result of a pending computation that a node is or has below it, within the kernel that
/// computes the node; null: there is none. All others there go with it. The context's lock is held.
const Node* computation_below(const Node& node);
/// The computation of that node, if `operand` is a part of an expression; takes the lock, if there
/// may be one.
std::shared_ptr<const Computation> computation_of(const Node& operand);

/// Appends what has to have memory before a node is computed: results of computations that take no
/// epilogue, and pending inputs of those that take no prologue. `is_asked` says that the node is
/// computed for itself, not for an expression that it is a part of. The context's lock is held.
void find_stages(Node& node, bool is_asked, std::vector<NodeRef>& found);
/// Computes all of that for a kernel which has these nodes in its expressions; null ones are left
/// out.
void compute_stages(Context& context, std::span<Node* const> nodes);

}  // namespace treadle::array
