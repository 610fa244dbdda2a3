// SPDX-License-Identifier: MIT
// Memory for results.
#pragma once

#include <cstddef>
#include <span>

#include "array/node.hpp"

namespace treadle::array {

/// Memory that the node's result can overwrite, because the memory ends when the node drops its
/// operands. Null if there is no such memory, or if it is too small to matter.
Ref<Storage> donated_memory(Node& node);

/// Fills `memory` with memory for the results of one kernel, one for each node. This thread
/// computes the nodes. A single node may get donated memory. The first `asked` nodes must have
/// memory; the others get memory until an allocation fails. Returns the number of nodes that have
/// memory. Throws OutOfMemory that names the expression and its source lines, and the allocators'
/// exceptions.
std::size_t result_memory(std::span<const NodeRef> nodes, std::span<Ref<Storage>> memory,
                          std::size_t asked);

}  // namespace treadle::array
