// SPDX-License-Identifier: MIT
// Turns pending nodes into kernel launches.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "array/node.hpp"
#include "treadle/array/array.hpp"

namespace treadle::array {

/// Computes a node's expression and makes the node a leaf, unless another thread has done so.
/// Queues the work and does not wait for it. If compute() throws, the node stays pending and can be
/// computed again.
void compute(Node& node, Cut why = Cut::asked);
/// Decides which nodes of one context, stream and shape share a kernel, if one kernel can hold
/// them.
enum class Grouping : std::uint8_t {
  all,       ///< all nodes: the caller named them together
  siblings,  ///< nodes that read the same arrays; other pairs would need a new kernel each
};
/// Computes several nodes, as compute() does one node.
void compute(std::span<const NodeRef> nodes, Grouping grouping = Grouping::all,
             Cut why = Cut::asked);

/// Releases the host language's lock during a scope, so that other threads run. The thread needs a
/// reference of its own to every object that it uses in the scope.
class WithoutHostLock {
 public:
  WithoutHostLock() noexcept;
  ~WithoutHostLock();
  WithoutHostLock(const WithoutHostLock&) = delete;
  WithoutHostLock& operator=(const WithoutHostLock&) = delete;

 private:
  void* held_;
};

/// Computes the node of an array. Returns a reference, because another thread may give the array
/// another node meanwhile.
NodeRef computed(const Array& array);

/// A write into existing memory, which does not wait.
struct Write {
  std::string_view what;  ///< the operation, for errors
  Node& target;           ///< a pending target is computed first
  Node& value;            ///< its shape broadcasts to the target's, its dtype casts to the target's
  Node* mask;             ///< null, or bool: the target keeps its elements where the mask is false
  /// Null, or an offset for each element: the element is stored so many elements behind its own
  /// place, as codegen::Expression::scatter does. With an offset the target's layout may repeat
  /// elements.
  Node* offset = nullptr;
  /// Offsets are below this number, or of elements to leave out; 0: nothing is known of them, or
  /// elements have places of their own beside.
  std::int64_t places = 0;
  /// Nobody is expected to look at the value afterwards, although an array stands for it.
  bool is_value_done = false;
};
/// Computes the pending expressions that read the target's memory, then writes with one kernel, or
/// a few one after the other if places are many.
/// Throws InvalidState for read-only memory, InvalidArgument for arrays of another device or
/// context, and ShapeError.
void write(const Write& what);
/// Throws InvalidState for read-only memory.
void require_writable(const Node& target);
/// Writes the result of the operation `what` into the caller's array, cast as `same_kind` allows.
/// Throws DTypeError, ShapeError.
void store(std::string_view what, Node& value, Node& target, OutShape shape = OutShape::same);
/// Throws unless the dtype can hold the number of the host language. Arrays are cast without a
/// check, as NumPy casts them. Throws DTypeError for a complex number and a real dtype,
/// InvalidArgument for NaN and an integer dtype, OverflowError.
void require_number_of(const Operand& value, Scalar target);
/// Returns the node of a value that is assigned to elements of the dtype `target`. Throws
/// DTypeError if only one of the two is a record or if the records' dtypes differ; throws
/// OverflowError.
NodeRef value_node(const Operand& value, const DType& target);
/// Returns the array of a recorded node, and whether the node has to be computed at once.
std::pair<Array, bool> recorded_array(NodeRef node);
/// Returns the array of a recorded node, and computes the node if it has to be computed at once.
Array finished(NodeRef node);
/// Computes the pending nodes that read the memory. Call this before writing to the memory.
void before_write(Storage& storage);

}  // namespace treadle::array
