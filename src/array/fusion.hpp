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

/// The nodes of one kernel, walked under the context's lock. The leaves are kept alive, so that the
/// launch may be queued after it was given up.
class Fusion {
 public:
  /// Over the index space `shape`, which is that of a node: it stays as long.
  Fusion(Context& context, Extents shape);
  /// Ends what was announced.
  ~Fusion();
  Fusion(const Fusion&) = delete;
  Fusion& operator=(const Fusion&) = delete;

  /// An output in memory that begins where `layout` says; `target` is its storage, null if there is
  /// none yet. All three stay until the launch. Leaves that are its elements, one to one, are read
  /// through it.
  void add_output(Storage* target, const Layout& layout, const DType& dtype) {
    outputs_.push_back({target, &layout, &dtype});
  }
  /// What the output added last is to be: the node's value, cast to the output's dtype; where the
  /// mask is false what it was.
  void store(Node& node, Node* mask = nullptr);
  /// That output is stored `offset` elements behind its places.
  void scatter(Node& offset) { builder_.scatter(value_of(offset)); }
  /// Reads `copied` where the graph reads `leaf`.
  void substitute(Node& leaf, NodeRef copied) { copies_.emplace_back(&leaf, std::move(copied)); }

  Context& context() const noexcept { return context_; }
  /// Whether other work that it depends on is announced and not queued yet; the lock is held.
  bool is_held_up() const;
  /// Orders the kernel after what it depends on, and announces it; the lock is held.
  void order(const StreamRef& stream);
  /// Queues the kernel; no lock is held.
  KernelNote run(device::Stream& stream) const;
  /// The same without a launch, and for outputs that have no memory yet; blocking, compiles the
  /// kernel if nobody did.
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
    NodeRef kept = {};  // the leaf, which has all three; an output is the caller's
    bool is_gathered = false;
    /// Whether it is the same elements.
    bool operator==(const Operand& other) const {
      return storage == other.storage && storage != nullptr && *layout == *other.layout &&
             *dtype == *other.dtype;
    }
    /// Of its first element; of memory that is to be allocated what is aligned as that.
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
  /// One that this thread has used before, so that few walks allocate.
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

/// Orders a Fusion or a ComputationFusion, and queues it when it has given the lock up. None if it
/// is held up: it has waited then, and the walk is to be made anew, for what was pending may have
/// memory now.
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

/// Whether writing elements of `target` while `leaf` is read gives anything else than reading all
/// of it before: they share memory, and not element by element.
bool needs_copy(const Node& leaf, const Node& target);

}  // namespace treadle::array
