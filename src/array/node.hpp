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

/// Most that a pending expression may hold; operands are evaluated before one would exceed it, so
/// that walks need no more than a small stack, and kernels no more parameters than devices take.
struct Caps {
  static constexpr unsigned steps = 64;
  static constexpr unsigned leaves = 24;
  static constexpr unsigned computations = 8;  ///< such as reductions, in one kernel
  /// An expression numbers them by a byte; what is left is for storing results.
  static constexpr unsigned instructions = 220;
};

/// Where a node is in its life. It goes one way, save that an evaluation that failed goes back.
enum class NodeState : std::uint8_t {
  pending,    ///< an expression of its operands
  computing,  ///< a thread launches its kernel; others wait for it
  leaf,       ///< a view of storage; never changes any more
};

/// Why a node was computed when it was, and not as a part of a larger kernel: explain() says it.
enum class Cut : std::uint8_t {
  asked,      ///< somebody looked
  too_large,  ///< the caps
  positions,  ///< Op::iota counts in the shape of its own array
  reduction,  ///< its results feed an expression of another shape, or another reduction
  escaped,    ///< an operand can be reached by code that the library does not see
  eager,      ///< set_lazy(false)
  overlap,    ///< a copy of what is about to be overwritten
  written,    ///< something that it reads was about to be changed
  marked,     ///< its stream was marked or waited for
  indexed,    ///< Op::gather reads memory, and few computations take it
  staged,     ///< a computation that takes no expression needs it, or gives it
  memory,     ///< memory was short, and it kept more than it takes
  repeated,   ///< a second kernel needed it
};

/// Shape, dtype and operands never change while it is pending. Made by make_node(), destroyed with
/// its last reference.
class Node {
 public:
  Node() = default;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  // Memory that this thread has used for others before, most of the time.
  static void* operator new(std::size_t size_bytes);
  static void operator delete(void* memory) noexcept;

  void add_reference() noexcept { shares_.fetch_add(reference, std::memory_order_relaxed); }
  void remove_reference() noexcept {
    if (is_last_reference()) destroy(this);
  }
  /// A reference of an Array's: a handle. Those who look for pending nodes leave others alone.
  void add_handle() noexcept { shares_.fetch_add(handle, std::memory_order_relaxed); }
  void remove_handle() noexcept {
    if (is_last_handle() || shares_.fetch_sub(handle, std::memory_order_acq_rel) == handle)
      destroy(this);
  }
  /// Makes a handle of a reference. Whoever sees it may compute the node, and let go of operands.
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
  /// One reference more, if an Array stands for it; for those who find it in the context's list.
  bool find() noexcept {
    std::uint64_t count = shares_.load(std::memory_order_relaxed);
    while (count >= handle)
      if (shares_.compare_exchange_weak(count, count + reference, std::memory_order_acquire))
        return true;
    return false;
  }
  /// The same, if an Array or a pending node keeps it; the context's lock is held.
  bool share() noexcept {
    if (find()) return true;
    if (parents != 0) add_reference();  // the parent cannot let go of it without the lock
    return parents != 0;
  }
  /// To be asked before `storage` is.
  bool is_leaf() const noexcept { return state.load(std::memory_order_acquire) == NodeState::leaf; }
  /// Pending computations in an expression that it is an operand of; more than there are, once
  /// others have computed one of them. computation_below() knows whether there is any.
  unsigned computations_within() const noexcept { return is_leaf() || is_stage ? 0 : computations; }
  /// What results inherit from it.
  const std::shared_ptr<Allocator>& allocator_now() const noexcept {
    return is_leaf() ? storage->allocator : allocator;
  }
  /// One number for all elements.
  bool is_number() const noexcept { return op == Op::scalar; }

  std::atomic<NodeState> state = NodeState::pending;
  Op op = Op::leaf;
  std::uint8_t arity = 0;
  std::uint8_t computations = 0;  ///< as leaves: itself among them, those of stages not
  std::uint16_t steps = 0;        ///< as long as it is pending: its own and its operands'
  std::uint16_t leaves = 0;       ///< likewise; those that are shared count twice
  /// Likewise: steps, leaves, and for each operand a number or a cast.
  std::uint16_t instructions = 0;
  // What follows is guarded by the context's lock.
  std::uint32_t parents = 0;  ///< pending nodes that it is an operand of, each time it is
  /// That of the first kernel that has computed it on its way to others, and of the first of them
  /// whose output it could have been; 0: none.
  std::uint32_t computed_in = 0, passed_in = 0;
  /// The pending results of its computation, in a ring; null: it is the only one.
  Node* next_result = nullptr;
  bool is_listed = false;                     ///< in the context's list of pending nodes
  Node *previous = nullptr, *next = nullptr;  ///< there

  KernelNote made_by;    ///< of a leaf that was computed
  Cut cut = Cut::asked;  ///< likewise

  // Set when it is made.
  LaunchSite origin = {};      ///< the user's line, where the host language tells
  bool is_positional = false;  ///< as long as it is pending: depends on Op::iota
  bool is_gathering = false;   ///< likewise: depends on Op::gather
  /// A result of a computation that takes no epilogue: what is above it reads it from memory.
  bool is_stage = false;
  /// As long as it is pending: something has to be computed before it. See find_stages().
  bool is_staged = false;
  std::uint8_t result = 0;  ///< which of those of its computation
  bool is_scalar = false;   ///< a result without axes, see Array::is_scalar()
  DType dtype = Scalar::float64;
  Layout layout;  ///< of the result, offsets included: pending ones begin at 0
  static constexpr std::size_t most_operands = 4, most_results = 8;
  std::array<Node*, most_operands> operands = {};
  Ref<Storage> storage;        ///< of a leaf
  Number number = false;       ///< of Op::scalar, converted to `dtype` when it is passed
  StreamRef stream;            ///< current when it was recorded; null for a number
  Context* context = nullptr;  ///< of its device, which `stream` keeps; null for a number
  /// As long as it is pending: where its memory comes from. Null: the pool.
  std::shared_ptr<Allocator> allocator;
  /// What makes it, where that is no operation on elements: `op` says nothing then.
  std::shared_ptr<const Computation> computation;

 private:
  // The lower half counts references, handles among them, the upper half handles.
  static constexpr std::uint64_t reference = 1, handle = std::uint64_t{1} << 32 | reference;
  /// Ends a reference. Nobody can add to the last one: without a handle it is not found.
  bool is_last_reference() noexcept {
    return shares_.load(std::memory_order_acquire) == reference ||
           shares_.fetch_sub(reference, std::memory_order_acq_rel) == reference;
  }
  /// Whether there is one handle and nothing else. Then it is not found any more.
  bool is_last_handle() noexcept;
  static void destroy(Node* node) noexcept;
  friend class ContextMutex;
  /// Ends nodes that are on no list, and are linked by `next`.
  static void end_unlisted(Node* first) noexcept;

  std::atomic<std::uint64_t> shares_ = reference;
};

using NodeRef = Ref<Node>;

}  // namespace treadle::array
