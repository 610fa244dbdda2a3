// SPDX-License-Identifier: MIT
// From pending nodes to launches.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "array/node.hpp"
#include "treadle/array/array.hpp"

namespace treadle::array {

/// Makes a leaf of a node: computes its expression, if nobody did. Queues, does not wait. If it
/// throws, the node is as it was, and may be tried again.
void compute(Node& node, Cut why = Cut::asked);
/// Which of several nodes of one context, stream and shape are one kernel, if it can hold them.
enum class Grouping : std::uint8_t {
  all,       ///< those who asked named them together
  siblings,  ///< those that read the same; kernels for other pairs were compiled for chance
};
/// The same of several.
void compute(std::span<const NodeRef> nodes, Grouping grouping = Grouping::all,
             Cut why = Cut::asked);

/// Within it this thread does not hold the lock of the host language. What it uses must have a
/// share of its own: other threads run.
class WithoutHostLock {
 public:
  WithoutHostLock() noexcept;
  ~WithoutHostLock();
  WithoutHostLock(const WithoutHostLock&) = delete;
  WithoutHostLock& operator=(const WithoutHostLock&) = delete;

 private:
  void* held_;
};

/// The node of an array as a leaf, computed if it was pending, with a share: another thread may
/// give the array another node meanwhile.
NodeRef computed(const Array& array);

/// What is written at once, into memory that exists.
struct Write {
  std::string_view what;  ///< the operation, for errors
  Node& target;           ///< computed before, where it is pending
  Node& value;            ///< of a shape that broadcasts to it, of any dtype that casts to it
  Node* mask;             ///< null, or bool: where it is false the target stays
  /// Null, or how many elements behind its place each is stored: as codegen::Expression::scatter.
  /// The target's layout may repeat elements then.
  Node* offset = nullptr;
};
/// Computes pending expressions that read the target's memory, then writes, as one kernel. Throws
/// InvalidState for memory that may not be written, InvalidArgument for arrays of another device or
/// context, ShapeError.
void write(const Write& what);
/// Throws InvalidState for memory that may not be written.
void require_writable(const Node& target);
/// Writes a result into an array that was given for it, cast as `same_kind` allows; `what` gave it.
/// Throws DTypeError, ShapeError.
void store(std::string_view what, Node& value, Node& target, OutShape shape = OutShape::same);
/// As NumPy: an array that is stored is cast, whatever becomes of its numbers, but a number of the
/// host language has to be one of those that the dtype has. Throws DTypeError for complex numbers
/// where they are real, InvalidArgument for NaN among integers, OverflowError.
void require_number_of(const Operand& value, Scalar target);
/// What is assigned to elements of a dtype. Throws DTypeError for anything but records of the same
/// dtype where one of them is a record, OverflowError.
NodeRef value_node(const Operand& value, const DType& target);
/// What was recorded, and whether it must not wait.
std::pair<Array, bool> recorded_array(NodeRef node);
/// What was recorded, computed if it must not wait.
Array finished(NodeRef node);
/// Computes what is pending and reads the memory: to be called before anybody writes to it.
void before_write(Storage& storage);

}  // namespace treadle::array
