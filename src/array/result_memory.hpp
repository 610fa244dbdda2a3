// SPDX-License-Identifier: MIT
// Memory for results.
#pragma once

#include <cstddef>
#include <span>

#include "array/node.hpp"

namespace treadle::array {

/// Memory that ends when a pending node lets go of its operands, and in whose place its result can
/// be computed; null if there is none, or if it is too small to matter.
Ref<Storage> donated_memory(Node& node);

/// Fills `memory` for the results of one kernel, one for each node, which this thread computes.
/// That of one may be donated. The first `asked` nodes must have memory; others do without, from
/// the first on for which there is none. Returns how many have. Throws OutOfMemory naming the
/// expression and its lines, and what allocators throw.
std::size_t result_memory(std::span<const NodeRef> nodes, std::span<Ref<Storage>> memory,
                          std::size_t asked);

}  // namespace treadle::array
