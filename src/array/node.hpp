// SPDX-License-Identifier: MIT
// The nodes of arrays. A node is a view of storage (a leaf), a number, or a pending expression. A
// pending expression becomes a leaf when it is computed.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "array/storage.hpp"
#include "treadle/base/dtype.hpp"
#include "treadle/base/layout.hpp"
#include "treadle/base/number.hpp"
#include "treadle/base/op.hpp"
#include "treadle/kernel/prepared_launch.hpp"
#include "treadle/process/launch_site.hpp"

namespace treadle::array {

class Context;
class Computation;
using kernel::KernelNote;

/// Limits of a pending expression. Operands are computed before an expression exceeds a limit, so
/// that walks need only a small stack, and kernels take no more parameters than devices allow.
struct Caps {
  static constexpr unsigned steps = 64;
  static constexpr unsigned leaves = 24;
  static constexpr unsigned computations = 8;  ///< computations in one kernel, such as reductions
  /// An expression numbers instructions by a byte. The numbers above the limit are for storing
  /// results.
  static constexpr unsigned instructions = 220;
};

/// The state of a node. States change in this order; a failed computation sets `pending` again.
enum class NodeState : std::uint8_t {
  pending,    ///< an expression of its operands
  computing,  ///< a thread launches its kernel; others wait for it
  leaf,       ///< a view of storage; a leaf stays a leaf
};

/// Why a node was computed at that moment, and not within a larger kernel. explain() prints it.
enum class Cut : std::uint8_t {
  asked,      ///< its elements were asked for
  too_large,  ///< a larger expression would exceed Caps
  positions,  ///< Op::iota counts in the shape of its own array
  reduction,  ///< its results feed an expression of another shape, or another reduction
  escaped,    ///< code that the library does not see can reach an operand
  eager,      ///< set_lazy(false)
  overlap,    ///< a copy of memory that is about to be overwritten
  written,    ///< memory that it reads was about to be changed
  marked,     ///< its stream was marked or waited for
  indexed,    ///< Op::gather reads memory, and few computations take it
  staged,     ///< an operand or a result of a computation that takes no expression
  memory,     ///< memory was short, and the operands take more than the result
  repeated,   ///< a second kernel would have computed the node again
  called,     ///< a library of the host made it, see set_maker()
};

/// Shape, dtype and operands do not change while a node is pending. make_node() makes a node, and
/// removing the last reference destroys it.
/// its last reference.
class Node {
 public:
  Node() = default;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  // Memory of nodes that have ended on this thread is used again.
  static void* operator new(std::size_t size_bytes);
  static void operator delete(void* memory) noexcept;

  void add_reference() noexcept { shares_.fetch_add(reference, std::memory_order_relaxed); }
  void remove_reference() noexcept {
    if (is_last_reference()) destroy(this);
  }
  /// A handle is a reference by an Array. A search of the context's list finds only nodes with
  /// handles.
  void add_handle() noexcept { shares_.fetch_add(handle, std::memory_order_relaxed); }
  void remove_handle() noexcept {
    if (is_last_handle() || shares_.fetch_sub(handle, std::memory_order_acq_rel) == handle)
      destroy(this);
  }
  /// Turns a reference into a handle. From now on other threads may find and compute the node.
  void become_handle() noexcept {
    if (shares_.load(std::memory_order_relaxed) == reference)
      shares_.store(handle, std::memory_order_release);  // no other thread knows a new node
    else
      shares_.fetch_add(handle - reference, std::memory_order_release);
  }
  /// Counts the Arrays and nodes that refer to this node.
  std::uint32_t references() const noexcept {
    return static_cast<std::uint32_t>(shares_.load(std::memory_order_acquire));
  }
  /// Counts the Arrays that refer to this node.
  std::uint32_t handles() const noexcept {
    return static_cast<std::uint32_t>(shares_.load(std::memory_order_acquire) >> 32);
  }
  /// Adds a reference if the node has a handle: for threads that find the node in the list.
  bool find() noexcept {
    std::uint64_t count = shares_.load(std::memory_order_relaxed);
    while (count >= handle)
      if (shares_.compare_exchange_weak(count, count + reference, std::memory_order_acquire))
        return true;
    return false;
  }
  /// Adds a reference if an Array or a pending node refers to the node. The caller holds the
  /// context's lock.
  bool share() noexcept {
    if (find()) return true;
    if (parents != 0) add_reference();  // a parent drops its operands only under the lock
    return parents != 0;
  }
  /// Ask is_leaf() before reading `storage`.
  bool is_leaf() const noexcept { return state.load(std::memory_order_acquire) == NodeState::leaf; }
  /// The number of pending computations that the node adds to an expression. The number is too high
  /// if other threads have computed some of them; computation_below() tells whether any is left.
  unsigned computations_within() const noexcept { return is_leaf() || is_stage ? 0 : computations; }
  /// The allocator that results inherit from this node.
  const std::shared_ptr<Allocator>& allocator_now() const noexcept {
    return is_leaf() ? storage->allocator : allocator;
  }
  /// Whether all elements are one number.
  bool is_number() const noexcept { return op == Op::scalar; }

  std::atomic<NodeState> state = NodeState::pending;
  Op op = Op::leaf;
  std::uint8_t arity = 0;
  std::uint8_t computations = 0;  ///< includes the node's own; stages do not count
  std::uint16_t steps = 0;        ///< while pending: the steps of the node and of its operands
  std::uint16_t leaves = 0;       ///< likewise; a shared leaf counts twice
  /// Likewise: steps, leaves, and one number or cast for each operand.
  std::uint16_t instructions = 0;
  // The context's lock guards the members from here to `next`.
  std::uint32_t parents = 0;  ///< how often it is an operand of pending nodes
  /// `computed_in` is the number of the first kernel that computed the node without storing it.
  /// `passed_in` is the number of the first such kernel that could have stored the node. 0: none.
  std::uint32_t computed_in = 0, passed_in = 0;
  /// The next pending result of the same computation, in a ring. Null: there is no other result.
  Node* next_result = nullptr;
  bool is_listed = false;                     ///< whether the node is in the context's list
  Node *previous = nullptr, *next = nullptr;  ///< in this list

  KernelNote made_by;    ///< of a computed leaf; a view copies the note of its array
  Cut cut = Cut::asked;  ///< of a computed leaf

  // The following members are set when the node is made.
  LaunchSite origin = {};      ///< the user's source line, if the host language tells it
  bool is_positional = false;  ///< while pending: whether the node depends on Op::iota
  bool is_gathering = false;   ///< while pending: whether the node depends on Op::gather
  /// Whether the node is a result of a computation without an epilogue. Nodes above read a stage
  /// from memory.
  bool is_stage = false;
  /// While pending: whether find_stages() finds nodes that have to be computed before this node.
  bool is_staged = false;
  std::uint8_t result = 0;    ///< which result of its computation
  bool is_scalar = false;     ///< a result without axes, see Array::is_scalar()
  bool is_read_only = false;  ///< refuse changes of the leaf; views inherit this
  DType dtype = Scalar::float64;
  Layout layout;  ///< a pending node's layout begins at offset 0
  static constexpr std::size_t most_operands = 5, most_results = 8;
  std::array<Node*, most_operands> operands = {};
  Ref<Storage> storage;        ///< of a leaf
  Number number = false;       ///< the number of Op::scalar, cast to `dtype` for a launch
  StreamRef stream;            ///< the current stream at recording; null for a number
  Context* context = nullptr;  ///< `stream` keeps the device alive; null for a number
  /// While pending: the allocator of the result's memory. Null: the pool.
  std::shared_ptr<Allocator> allocator;
  /// The computation whose result this node is; null: the node is the result of `op`.
  std::shared_ptr<const Computation> computation;

 private:
  // The lower half counts references, including handles. The upper half counts handles.
  static constexpr std::uint64_t reference = 1, handle = std::uint64_t{1} << 32 | reference;
  /// Removes a reference. Returns whether it was the last: a node without a handle is not found in
  /// the list, so no thread can add a reference.
  bool is_last_reference() noexcept {
    return shares_.load(std::memory_order_acquire) == reference ||
           shares_.fetch_sub(reference, std::memory_order_acq_rel) == reference;
  }
  /// Whether the only reference is one handle. If so, takes the node from the list.
  bool is_last_handle() noexcept;
  static void destroy(Node* node) noexcept;
  friend class ContextMutex;
  /// Ends nodes that are linked by `next` and are on no list.
  static void end_unlisted(Node* first) noexcept;

  std::atomic<std::uint64_t> shares_ = reference;
};

using NodeRef = Ref<Node>;

}  // namespace treadle::array
