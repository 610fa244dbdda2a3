// SPDX-License-Identifier: MIT
// Tells which pending computations a kernel contains, and which have to be computed before.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "array/context.hpp"
#include "treadle/array/computation.hpp"

namespace treadle::array {

/// Finds the first result of a pending computation at or below a node, within the kernel that
/// computes the node. Null: there is none. All other computations in that kernel go with this one.
/// The caller holds the context's lock.
const Node* computation_below(const Node& node);
/// The pending computation at or below `operand`, if there is one. Takes the lock only if there may
/// be one.
std::shared_ptr<const Computation> computation_of(const Node& operand);

/// Appends the nodes that have to be computed before `node`: results of computations without an
/// epilogue, and pending inputs of computations without a prologue. `is_asked` says that `node` is
/// computed by itself, and not as a part of an expression. The caller holds the context's lock.
void find_stages(Node& node, bool is_asked, std::vector<NodeRef>& found);
/// Computes these nodes for a kernel that has `nodes` in its expressions. Null pointers are
/// skipped. Of `asked` only what it needs is computed: it is a kernel of its own.
void compute_stages(Context& context, std::span<Node* const> nodes, const Node* asked = nullptr);

}  // namespace treadle::array
