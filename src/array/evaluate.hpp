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

/// Makes a leaf of a node: computes its expression, unless another thread has. Queues the work and
/// does not wait for it. If compute() throws, the node is as before and can be computed again.
void compute(Node& node, Cut why = Cut::asked);
/// Which of several nodes of one context, stream and shape become one kernel, if it can hold them.
enum class Grouping : std::uint8_t {
  all,       ///< all of them: the caller named them together
  siblings,  ///< those that read the same arrays; others meet by chance, each pair a new kernel
};
/// The same for several nodes.
void compute(std::span<const NodeRef> nodes, Grouping grouping = Grouping::all,
             Cut why = Cut::asked);

/// As long as it lives the thread does not hold the host language's lock, and other threads run:
/// the thread needs its own share of every object that it uses.
class WithoutHostLock {
 public:
  WithoutHostLock() noexcept;
  ~WithoutHostLock();
  WithoutHostLock(const WithoutHostLock&) = delete;
  WithoutHostLock& operator=(const WithoutHostLock&) = delete;

 private:
  void* held_;
};

/// The node of an array, computed. The result is a share of the node, because another thread may
/// give the array another node meanwhile.
NodeRef computed(const Array& array);

/// A write into existing memory, which does not wait.
struct Write {
  std::string_view what;  ///< the operation, for errors
  Node& target;           ///< if it is pending, it is computed first
  Node& value;            ///< of a shape that broadcasts to it, of any dtype that casts to it
  Node* mask;             ///< null, or bool: where it is false the target stays
  /// Null, or how many elements behind its own place each element is stored, as by
  /// codegen::Expression::scatter. With an offset the target's layout may repeat elements.
  Node* offset = nullptr;
};
/// Computes pending expressions that read the target's memory, then writes, as one kernel. Throws
/// InvalidState for memory that may not be written, InvalidArgument for arrays of another device or
/// context, ShapeError.
void write(const Write& what);
/// Throws InvalidState for memory that may not be written.
void require_writable(const Node& target);
/// Writes the result of the operation `what` into an array that the caller gave, cast as
/// `same_kind` allows. Throws DTypeError, ShapeError.
void store(std::string_view what, Node& value, Node& target, OutShape shape = OutShape::same);
/// Throws unless the dtype has a number of the host language that is to be stored; arrays are cast
/// without a check, as NumPy casts them. DTypeError for a complex number and a real dtype,
/// InvalidArgument for NaN and an integer dtype, OverflowError.
void require_number_of(const Operand& value, Scalar target);
/// The node of a value that is assigned to elements of a dtype. Throws DTypeError if one of the two
/// is a record and the other no record of the same dtype; OverflowError.
NodeRef value_node(const Operand& value, const DType& target);
/// The array of a recorded node, and whether it has to be computed at once.
std::pair<Array, bool> recorded_array(NodeRef node);
/// The array of a recorded node, computed if that has to be done at once.
Array finished(NodeRef node);
/// Computes pending nodes that read the memory. To be called before the memory is written to.
void before_write(Storage& storage);

}  // namespace treadle::array
