// SPDX-License-Identifier: MIT
// What arrays are made of. A node is a view of storage (a leaf), a number, or a pending expression
// that turns into a leaf in place when it is evaluated.
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

/// Limits of a pending expression. Operands are evaluated before an expression exceeds a limit, so
/// that walks need only a small stack, and kernels no more parameters than devices take.
struct Caps {
  static constexpr unsigned steps = 64;
  static constexpr unsigned leaves = 24;
  static constexpr unsigned computations = 8;  ///< such as reductions, in one kernel
  /// An expression numbers instructions by a byte; the other numbers are for storing results.
  static constexpr unsigned instructions = 220;
};

/// The state of a node. States follow in this order; a failed evaluation goes back to `pending`.
enum class NodeState : std::uint8_t {
  pending,    ///< an expression of its operands
  computing,  ///< a thread launches its kernel; others wait for it
  leaf,       ///< a view of storage; never changes any more
};

/// Why a node was computed when it was, and not as a part of a larger kernel: explain() says it.
enum class Cut : std::uint8_t {
  asked,      ///< its elements were asked for
  too_large,  ///< a larger expression would exceed Caps
  positions,  ///< Op::iota counts in the shape of its own array
  reduction,  ///< its results feed an expression of another shape, or another reduction
  escaped,    ///< an operand can be reached by code that the library does not see
  eager,      ///< set_lazy(false)
  overlap,    ///< a copy of what is about to be overwritten
  written,    ///< memory that it reads was about to be changed
  marked,     ///< its stream was marked or waited for
  indexed,    ///< Op::gather reads memory, and few computations take it
  staged,     ///< an operand or a result of a computation that takes no expression
  memory,     ///< memory was short, and its operands take more than its result
  repeated,   ///< a second kernel would have computed it again
  called,     ///< a library of the host made it, see set_maker()
};

/// Shape, dtype and operands never change while it is pending. Made by make_node(), destroyed with
/// its last reference.
class Node {
 public:
  Node() = default;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  // Most of the time memory of nodes that have ended on this thread.
  static void* operator new(std::size_t size_bytes);
  static void operator delete(void* memory) noexcept;

  void add_reference() noexcept { shares_.fetch_add(reference, std::memory_order_relaxed); }
  void remove_reference() noexcept {
    if (is_last_reference()) destroy(this);
  }
  /// A handle is a reference of an Array. Only nodes with handles are found in the context's list.
  void add_handle() noexcept { shares_.fetch_add(handle, std::memory_order_relaxed); }
  void remove_handle() noexcept {
    if (is_last_handle() || shares_.fetch_sub(handle, std::memory_order_acq_rel) == handle)
      destroy(this);
  }
  /// Makes a handle of a reference. From now on other threads may find and compute the node.
  void become_handle() noexcept {
    if (shares_.load(std::memory_order_relaxed) == reference)
      shares_.store(handle, std::memory_order_release);  // a new one: nobody else knows it
    else
      shares_.fetch_add(handle - reference, std::memory_order_release);
  }
  /// Arrays and nodes that keep it.
  std::uint32_t references() const noexcept {
    return static_cast<std::uint32_t>(shares_.load(std::memory_order_acquire));
  }
  /// Arrays that stand for it.
  std::uint32_t handles() const noexcept {
    return static_cast<std::uint32_t>(shares_.load(std::memory_order_acquire) >> 32);
  }
  /// Adds a reference if an Array stands for the node: for threads that find it in the list.
  bool find() noexcept {
    std::uint64_t count = shares_.load(std::memory_order_relaxed);
    while (count >= handle)
      if (shares_.compare_exchange_weak(count, count + reference, std::memory_order_acquire))
        return true;
    return false;
  }
  /// Adds a reference if an Array or a pending node keeps the node; the context's lock is held.
  bool share() noexcept {
    if (find()) return true;
    if (parents != 0) add_reference();  // the parent cannot let go of it without the lock
    return parents != 0;
  }
  /// To be asked before `storage` is.
  bool is_leaf() const noexcept { return state.load(std::memory_order_acquire) == NodeState::leaf; }
  /// How many pending computations the node brings into an expression. The count is too high when
  /// other threads have computed some of them: computation_below() knows whether there is any.
  unsigned computations_within() const noexcept { return is_leaf() || is_stage ? 0 : computations; }
  /// The allocator that results inherit from the node.
  const std::shared_ptr<Allocator>& allocator_now() const noexcept {
    return is_leaf() ? storage->allocator : allocator;
  }
  /// One number for all elements.
  bool is_number() const noexcept { return op == Op::scalar; }

  std::atomic<NodeState> state = NodeState::pending;
  Op op = Op::leaf;
  std::uint8_t arity = 0;
  std::uint8_t computations = 0;  ///< counted as leaves are, its own included, stages' not
  std::uint16_t steps = 0;        ///< while it is pending: its own and its operands'
  std::uint16_t leaves = 0;       ///< likewise; shared leaves count twice
  /// Likewise: steps, leaves, and for each operand a number or a cast.
  std::uint16_t instructions = 0;
  // The context's lock guards the members from here to `next`.
  std::uint32_t parents = 0;  ///< how often it is an operand of pending nodes
  /// The number of the first kernel that has computed the node without storing it, and of the first
  /// such kernel that could have stored the node; 0: none.
  std::uint32_t computed_in = 0, passed_in = 0;
  /// The pending results of its computation, in a ring; null: it is the only one.
  Node* next_result = nullptr;
  bool is_listed = false;                     ///< in the context's list of pending nodes
  Node *previous = nullptr, *next = nullptr;  ///< in this list

  KernelNote made_by;    ///< of a leaf that was computed; a view has what its array has
  Cut cut = Cut::asked;  ///< likewise

  // These are set when the node is made.
  LaunchSite origin = {};      ///< the user's line, where the host language tells
  bool is_positional = false;  ///< while it is pending: whether it depends on Op::iota
  bool is_gathering = false;   ///< likewise: whether it depends on Op::gather
  /// A result of a computation that takes no epilogue: nodes above it read it from memory.
  bool is_stage = false;
  /// While it is pending: whether other nodes have to be computed before it. See find_stages().
  bool is_staged = false;
  std::uint8_t result = 0;    ///< which result of its computation
  bool is_scalar = false;     ///< a result without axes, see Array::is_scalar()
  bool is_read_only = false;  ///< of a leaf: changes are refused; its views inherit it
  DType dtype = Scalar::float64;
  Layout layout;  ///< of the result; that of a pending node begins at offset 0
  static constexpr std::size_t most_operands = 4, most_results = 8;
  std::array<Node*, most_operands> operands = {};
  Ref<Storage> storage;        ///< of a leaf
  Number number = false;       ///< of Op::scalar, converted to `dtype` when it is passed
  StreamRef stream;            ///< current when it was recorded; null for a number
  Context* context = nullptr;  ///< of its device, which `stream` keeps; null for a number
  /// While it is pending: the allocator of its memory. Null: the pool.
  std::shared_ptr<Allocator> allocator;
  /// The computation that makes the node; null: `op` does.
  std::shared_ptr<const Computation> computation;

 private:
  // The lower half counts references, handles among them, the upper half handles.
  static constexpr std::uint64_t reference = 1, handle = std::uint64_t{1} << 32 | reference;
  /// Ends a reference. No thread can add one to the last: a node without a handle is not found.
  bool is_last_reference() noexcept {
    return shares_.load(std::memory_order_acquire) == reference ||
           shares_.fetch_sub(reference, std::memory_order_acq_rel) == reference;
  }
  /// Whether there is one handle and no other reference. Then the node is found no more.
  bool is_last_handle() noexcept;
  static void destroy(Node* node) noexcept;
  friend class ContextMutex;
  /// Ends nodes that are on no list, and are linked by `next`.
  static void end_unlisted(Node* first) noexcept;

  std::atomic<std::uint64_t> shares_ = reference;
};

using NodeRef = Ref<Node>;

}  // namespace treadle::array
