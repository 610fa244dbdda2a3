// SPDX-License-Identifier: MIT
// From pending nodes to launches.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "array/node.hpp"

namespace treadle::array {

/// Makes a leaf of a node: computes its expression, if nobody did. Queues, does not wait. If it
/// throws, the node is as it was, and may be tried again.
void compute(Node& node);
/// The same of several; those of one context, stream and shape are one kernel.
void compute(std::span<const NodeRef> nodes);

/// What is written at once, into memory that exists.
struct Write {
  Node& target;  ///< a leaf
  Node& value;   ///< of a shape that broadcasts to it, of any dtype that casts to it
  Node* mask;    ///< null, or bool: where it is false the target stays
};
/// Computes pending expressions that read the target's memory, then writes, as one kernel. Throws
/// InvalidState for memory that may not be written, ShapeError.
void write(const Write& what);
/// Throws InvalidState for memory that may not be written.
void require_writable(const Node& target);
/// Writes a result into an array that was given for it, of the same shape, cast as `same_kind`
/// allows; `what` gave it. Throws DTypeError, ShapeError.
void store(std::string_view what, Node& value, Node& target);
/// Computes what is pending and reads the memory: to be called before anybody writes to it.
void before_write(Storage& storage);

}  // namespace treadle::array
