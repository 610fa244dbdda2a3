// SPDX-License-Identifier: MIT
// One expression of a graph of nodes, with what its launch passes.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "array/context.hpp"
#include "array/node_notes.hpp"
#include "treadle/kernel/elementwise.hpp"

namespace treadle::array {

/// The nodes of one kernel, walked under the context's lock. A Fusion keeps the leaves alive, so
/// that the launch can be queued after the lock was given up.
class Fusion {
 public:
  /// `shape` is the index space. It is a view, of a node's shape, and must live as long.
  Fusion(Context& context, Extents shape);
  /// Ends the announced uses.
  ~Fusion();
  Fusion(const Fusion&) = delete;
  Fusion& operator=(const Fusion&) = delete;

  /// Adds an output, which lies in `target` as `layout` says; a `target` of null is not allocated
  /// yet. All three arguments must live until the launch. A leaf with the same elements in the same
  /// places is read through the output.
  void add_output(Storage* target, const Layout& layout, const DType& dtype) {
    outputs_.push_back({target, &layout, &dtype});
  }
  /// Stores the node's value in the output that was added last, cast to its dtype. Where the mask
  /// is false the output keeps its elements.
  void store(Node& node, Node* mask = nullptr);
  /// Stores each element of that output `offset` elements behind its place.
  void scatter(Node& offset) { builder_.scatter(value_of(offset)); }
  /// Reads `copied` where the graph reads `leaf`.
  void substitute(Node& leaf, NodeRef copied) { copies_.emplace_back(&leaf, std::move(copied)); }

  Context& context() const noexcept { return context_; }
  /// Whether the kernel depends on work that is announced and not queued yet; the lock is held.
  bool is_held_up() const;
  /// Orders the kernel after the work that it depends on, and announces it; the lock is held.
  void order(const StreamRef& stream);
  /// Queues the kernel; no lock is held.
  KernelNote run(device::Stream& stream) const;
  /// The note of the kernel, without a launch. Outputs need no memory. Blocks, and compiles the
  /// kernel if it is not compiled.
  KernelNote described() const;
  /// What the kernel is called.
  std::string name() const { return codegen::kernel_name(builder_.expression()); }

 private:
  friend class ComputationFusion;
  /// Visits each storage with what is done to it.
  template <class Visit>
  void for_each_use(Visit visit) const;
  struct Operand {
    Storage* storage;
    const Layout* layout;  // over the whole index space
    const DType* dtype;
    NodeRef kept = {};  // the leaf that has all three; null for outputs, which the caller keeps
    bool is_gathered = false;
    /// Whether both are the same elements in the same places.
    bool operator==(const Operand& other) const {
      return storage == other.storage && storage != nullptr && *layout == *other.layout &&
             *dtype == *other.dtype;
    }
    /// The place of its first element. Memory that is not allocated yet counts as aligned.
    device::Location location() const;
  };
  /// What a walk collects.
  struct Room {
    codegen::ExpressionBuilder builder;
    std::vector<Operand> outputs, leaves;
    std::deque<Layout> views;  // of leaves that are broadcast
    std::vector<codegen::Value> leaf_values;
    std::vector<ElementBytes> scalars;
    NodeNotes<codegen::Value> values;              // of nodes
    std::vector<kernel::ElementwiseArray> arrays;  // that the launch passes
  };
  /// A Room that this thread has used before, so that few walks allocate.
  static thread_local std::unique_ptr<Room> idle_room;
  static std::unique_ptr<Room> take_room();
  kernel::ElementwiseLaunch launch() const;
  codegen::Value value_of(Node& node);
  codegen::Value computed_value(Node& node);
  /// The node as an input of a computation.
  codegen::Value input(Node& node, const Computation& computation);
  Operand operand_of(Node& leaf);
  codegen::Value leaf(Operand operand);
  codegen::Value gathered(Node& node);

  Context& context_;
  Extents shape_;
  std::unique_ptr<Room> room_ = take_room();
  codegen::ExpressionBuilder& builder_ = room_->builder;
  std::vector<Operand>&outputs_ = room_->outputs, &leaves_ = room_->leaves;
  std::vector<ElementBytes>& scalars_ = room_->scalars;
  NodeNotes<codegen::Value>& values_ = room_->values;
  std::vector<std::pair<Node*, NodeRef>> copies_;
  bool is_announced_ = false;
};

/// Orders a Fusion or a ComputationFusion, gives up the lock and queues the kernel. If the fusion
/// is held up, waits and returns nothing: the caller makes the walk anew, because pending nodes may
/// be leaves now.
template <class Fused>
std::optional<KernelNote> try_run(Fused& fusion, const StreamRef& stream,
                                  std::unique_lock<ContextMutex>& lock) {
  const bool is_held_up = fusion.is_held_up();
  if (is_held_up) [[unlikely]]
    fusion.context().mutex.wait(fusion.context().changed);
  else
    fusion.order(stream);
  lock.unlock();
  if (is_held_up) return std::nullopt;
  return fusion.run(*stream);
}

/// Whether `leaf` must be copied before `target` is written: whether they share memory, but not
/// each element with the one at the same place.
bool needs_copy(const Node& leaf, const Node& target);

}  // namespace treadle::array
