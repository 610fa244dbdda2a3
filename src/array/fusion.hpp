// SPDX-License-Identifier: MIT
// Makes one expression of a graph of nodes, and collects the arguments of its launch.
#pragma once

#include <array>
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
  /// `shape` is the index space. It is a view of a node's shape, which must outlive the Fusion.
  Fusion(Context& context, Extents shape);
  /// Ends the announced uses.
  ~Fusion();
  Fusion(const Fusion&) = delete;
  Fusion& operator=(const Fusion&) = delete;

  /// Adds an output with the memory `target` and the layout `layout`. A `target` of null is not
  /// allocated yet. All three arguments must live until the launch. If a leaf has the same elements
  /// in the same places, the kernel reads that leaf through the output.
  void add_output(Storage* target, const Layout& layout, const DType& dtype) {
    outputs_.push_back({target, &layout, &dtype});
  }
  /// Stores the node's value in the last output, cast to the output's dtype. The output keeps its
  /// elements where the mask is false.
  void store(Node& node, Node* mask = nullptr);
  /// Stores each element of the last output `offset` elements behind the element's place.
  void scatter(Node& offset) { builder_.scatter(value_of(offset)); }
  /// The kernel reads `copied` in place of `leaf`.
  void substitute(Node& leaf, NodeRef copied) { copies_.emplace_back(&leaf, std::move(copied)); }

  Context& context() const noexcept { return context_; }
  /// Whether the kernel depends on announced work that is not queued yet. The caller holds the
  /// lock.
  bool is_held_up() const;
  /// Orders the kernel after the work that it depends on, and announces the kernel's uses. The
  /// caller holds the lock.
  void order(const StreamRef& stream);
  /// Queues the kernel. The caller holds no lock.
  KernelNote run(device::Stream& stream) const;
  /// Returns the note of the kernel without launching the kernel. Outputs need no memory. Blocks
  /// while the kernel is compiled, if it has not been compiled yet.
  KernelNote described() const;
  /// The name of the kernel.
  std::string name() const { return codegen::kernel_name(builder_.expression()); }

 private:
  friend class ComputationFusion;
  /// Calls `visit` with each storage and the kernel's use of that storage.
  template <class Visit>
  void for_each_use(Visit visit) const;
  struct Operand {
    Storage* storage;
    const Layout* layout;  // broadcast to the whole index space
    const DType* dtype;
    NodeRef kept = {};  // the leaf that owns all three; null for an output
    bool is_gathered = false;
    /// Whether both are the same elements in the same places.
    bool operator==(const Operand& other) const {
      return storage == other.storage && storage != nullptr && *layout == *other.layout &&
             *dtype == *other.dtype;
    }
    /// The place of the operand's first element. Memory that is not allocated yet counts as
    /// aligned.
    device::Location location() const;
  };
  /// The lists that a walk fills.
  struct Room {
    codegen::ExpressionBuilder builder;
    std::vector<Operand> outputs, leaves;
    std::deque<Layout> views;  // layouts of leaves that are broadcast
    std::vector<codegen::Value> leaf_values;
    std::vector<ElementBytes> scalars;
    NodeNotes<codegen::Value> values;              // the value of each node
    std::vector<kernel::ElementwiseArray> arrays;  // the arguments of the launch
  };
  /// Rooms that this thread has used before, so that few walks allocate. One that ends a
  /// computation has a Room for each input, and its own.
  struct IdleRooms {
    std::array<std::unique_ptr<Room>, 4> rooms;
    std::size_t count = 0;
  };
  static thread_local IdleRooms idle_rooms;
  static std::unique_ptr<Room> take_room();
  kernel::ElementwiseLaunch launch() const;
  codegen::Value value_of(Node& node);
  codegen::Value computed_value(Node& node);
  /// The value of the node as an input of a computation.
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
/// is held up, try_run() waits and returns nothing. The caller then makes the walk anew, because
/// pending nodes may have become leaves.
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

/// Whether `leaf` must be copied before `target` is written. This is so if they share memory in any
/// other way than each element with the element at the same place.
bool needs_copy(const Node& leaf, const Node& target);

}  // namespace treadle::array
