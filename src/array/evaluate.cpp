// SPDX-License-Identifier: MIT
#include "array/evaluate.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <tuple>
#include <utility>
#include <vector>

#include "array/access.hpp"
#include "array/computation_fusion.hpp"
#include "array/context.hpp"
#include "array/fusion.hpp"
#include "array/repeats.hpp"
#include "array/result_memory.hpp"
#include "array/stages.hpp"
#include "treadle/array/computation.hpp"
#include "treadle/array/evaluate.hpp"

namespace treadle::array {
namespace {

std::atomic<bool> lazy = true;
thread_local int fusing_scopes = 0;
HostLock host_lock = {nullptr, nullptr};

constexpr std::size_t most_outputs = Node::most_results;

/// Pending nodes of one context, stream and shape that become leaves by one launch. Either all
/// nodes are operations on elements, or all depend on computations that go together. The group
/// reserves its memory in advance, so that steps that must not fail allocate nothing.
class Group {
 public:
  /// Moves the references out of `nodes`, of which there are at most `most_outputs`.
  Group(std::span<NodeRef> nodes, Cut why)
      : count_(nodes.size()),
        why_(why),
        context_(*nodes.front()->context),
        stream_(nodes.front()->stream) {
    std::ranges::move(nodes, nodes_.begin());
  }

  void compute() {
    const WithoutHostLock released;
    if (!claim()) return;
    const device::LeaveDeferred leave;  // new memory, which nobody reads yet
    try {
      const std::size_t found = result_memory(nodes(), outputs_, asked_);
      if (found < count_) give_back(found);
      launch();
    } catch (...) {
      give_back();
      throw;
    }
  }

 private:
  /// Drops the nodes that other threads have computed, and marks the rest as being computed by this
  /// thread. Returns false if no node is left.
  bool claim() {
    for (bool has_memory = true;;) {
      std::vector<NodeRef> stages, before;
      {
        std::unique_lock lock(context_.mutex);
        context_.mutex.wait(context_.changed, [&] {
          return std::ranges::none_of(nodes(), [](const NodeRef& node) {
            return node->state.load(std::memory_order_acquire) == NodeState::computing;
          });
        });
        for (const NodeRef& node : nodes()) find_stages(*node, true, stages);
        const Repeats repeats = stages.empty() ? repeats_on_the_way() : Repeats{};
        if (has_memory)
          for (Node* node : repeats.before) before.emplace_back(node);
        if (stages.empty() && before.empty()) {
          take(repeats.outputs);
          break;
        }
      }
      for (const NodeRef& stage : stages) array::compute(*stage, Cut::staged);
      if (stages.empty()) has_memory = compute_before(before);
    }
    // The caller must not hold the lock: a leaf that loses its last reference here takes the lock.
    const auto done = std::ranges::remove_if(nodes(), &Node::is_leaf, &NodeRef::operator*);
    for (NodeRef& node : done) node = {};
    count_ -= done.size();
    return count_ != 0;
  }

  Repeats repeats_on_the_way() {
    if (number_ == 0) number_ = context_.next_kernel();
    std::array<Node*, most_outputs> asked = {};
    std::ranges::transform(nodes(), asked.begin(), &NodeRef::get);
    const bool has_computations = std::ranges::any_of(
        nodes(), [](const NodeRef& node) { return computation_below(*node) != nullptr; });
    return find_repeats({std::span(asked).first(count_), true,
                         has_computations ? nullptr : asked[0], most_outputs - count_, number_});
  }

  /// Marks the nodes and the repeated ones: from now on no other thread computes them.
  void take(std::span<Node* const> repeats) {
    for (const NodeRef& node : nodes())
      if (!node->is_leaf()) node->state.store(NodeState::computing, std::memory_order_relaxed);
    const std::size_t wanted = count_;
    for (std::size_t i = 0; i < wanted; ++i) add_seen(*nodes_[i]);
    for (Node* node : repeats) add(*node);
    asked_ = wanted - static_cast<std::size_t>(std::ranges::count_if(
                          nodes().first(wanted), &Node::is_leaf, &NodeRef::operator*));
  }
  void add(Node& node) {
    nodes_[count_++] = NodeRef(&node);
    node.state.store(NodeState::computing);
  }

  /// Stores the nodes between the computations and the results if arrays stand for these nodes.
  /// This kernel has their values, and another kernel would run the computation again. Such nodes
  /// have the results' shape. Two kinds of nodes may have any shape: nodes whose computations other
  /// threads have computed meanwhile, and other results of a computation.
  void add_seen(Node& node) {
    if (count_ == most_outputs || computation_below(node) == nullptr) return;
    const bool is_wanted = node.handles() != 0 || is_dear_to_others(node);
    if (is_wanted && node.state.load() == NodeState::pending) add(node);
    if (node.computation != nullptr) return add_results(node);
    for (unsigned i = 0; i < node.arity; ++i)
      if (!node.operands[i]->is_stage) add_seen(*node.operands[i]);
  }
  /// Whether pending nodes outside of this group would run the computation again, and the
  /// computation takes no prologue. Such a computation costs more than a pass over the elements.
  bool is_dear_to_others(const Node& node) const {
    if (node.computation == nullptr || node.computation->takes_prologue() || node.parents < 2)
      return false;
    std::vector<const Node*> seen;
    std::uint32_t uses = 0;
    for (std::size_t i = 0; i < count_; ++i) count_uses(*nodes_[i], node, seen, uses);
    return uses < node.parents;
  }
  static void count_uses(const Node& from, const Node& of, std::vector<const Node*>& seen,
                         std::uint32_t& uses) {
    if (from.is_leaf() || std::ranges::find(seen, &from) != seen.end()) return;
    seen.push_back(&from);
    for (unsigned i = 0; i < from.arity; ++i) {
      if (from.operands[i] == &of) ++uses;
      count_uses(*from.operands[i], of, seen, uses);
    }
  }
  void add_results(const Node& node) {
    if (node.next_result == nullptr) return;
    for (Node* other = node.next_result; other != &node; other = other->next_result) {
      if (count_ == most_outputs) return;
      if (other->state.load() != NodeState::pending || !other->share()) continue;
      nodes_[count_++] = NodeRef::adopt(other);
      other->state.store(NodeState::computing);
    }
  }

  void launch() {
    // The results of one computation may differ in shape, and some may have no elements.
    const auto is_empty = [](const NodeRef& node) { return node->layout.size() == 0; };
    if (std::ranges::all_of(nodes(), is_empty)) return publish();
    const Extents shape = nodes_.front()->layout.shape();
    for (bool is_queued = false; !is_queued;) {
      std::unique_lock lock(context_.mutex);
      const bool has_computations = std::ranges::any_of(
          nodes(), [](const NodeRef& node) { return computation_below(*node) != nullptr; });
      is_queued = has_computations ? launch(ComputationFusion(context_, shape, nodes()), lock)
                                   : launch(Fusion(context_, shape), lock);
    }
  }
  template <class Fused>
  bool launch(Fused fusion, std::unique_lock<ContextMutex>& lock) {
    for (std::size_t i = 0; i < count_; ++i) {
      fusion.add_output(outputs_[i].get(), nodes_[i]->layout, nodes_[i]->dtype);
      fusion.store(*nodes_[i]);
    }
    const auto note = try_run(fusion, stream_, lock);
    if (!note) return false;
    note_ = *note;
    // The use stays announced until publish(): no other walk may read the memory that is
    // overwritten.
    publish();
    return true;
  }

  void publish() noexcept {
    std::array<Node*, most_outputs * Node::most_operands> operands = {};
    auto operand = operands.begin();  // dropped after the lock is given up
    {
      std::unique_lock lock(context_.mutex);
      for (std::size_t i = 0; i < count_; ++i) {
        Node& node = *nodes_[i];
        context_.unlist(node);
        for (unsigned k = 0; k < node.arity; ++k) *operand++ = node.operands[k];
        node.arity = 0;
        // The count of donated memory still includes the readers that are about to end.
        outputs_[i]->pending.fetch_add(node.parents, std::memory_order_relaxed);
        node.storage = std::move(outputs_[i]);
        node.made_by = note_;
        node.cut = i < asked_ || node.computations != 0 ? why_ : Cut::repeated;
        node.state.store(NodeState::leaf, std::memory_order_release);
      }
    }
    context_.changed.notify_all();
    for (auto ended = operands.begin(); ended != operand; ++ended) (*ended)->remove_reference();
  }

  /// Makes the nodes from `first` on pending again, so that other threads may compute them.
  void give_back(std::size_t first = 0) {
    {
      const std::lock_guard lock(context_.mutex);
      for (const NodeRef& node : nodes().subspan(first)) node->state.store(NodeState::pending);
    }
    context_.changed.notify_all();
    for (NodeRef& node : nodes().subspan(first)) node = {};
    count_ = first;
  }

  std::span<NodeRef> nodes() { return {nodes_.data(), count_}; }

  std::array<NodeRef, most_outputs> nodes_;
  std::size_t count_;
  std::size_t asked_ = 0;  // how many were asked for; the kernel stores the others, too
  std::uint32_t number_ = 0;
  std::array<Ref<Storage>, most_outputs> outputs_;
  Cut why_;
  KernelNote note_;
  Context& context_;
  StreamRef stream_;
};

/// Nodes that may become one kernel.
class Siblings {
 public:
  /// Adds a node if one kernel can hold all nodes. The caller holds the context's lock.
  bool take(const NodeRef& node, Grouping grouping) {
    if (!nodes_.empty() && !fits(*node)) return false;
    const Node* const below = computation_below(*node);
    const auto computation = below != nullptr ? below->computation : nullptr;
    if (!nodes_.empty() && !goes_with(computation.get(), *node)) return false;
    const std::size_t before = seen_.size();
    bool is_related = false;
    see(*node, is_related);
    const bool is_welcome = nodes_.empty() || is_related || grouping == Grouping::all;
    if (!is_welcome || (!nodes_.empty() && is_too_large())) {
      seen_.resize(before);
      return false;
    }
    nodes_.push_back(node);
    computation_ = computation;
    computations_ += node->computations;
    return true;
  }
  void compute(Cut why) { Group(nodes_, why).compute(); }

 private:
  bool fits(const Node& node) const {
    const Node& first = *nodes_.front();
    return nodes_.size() < most_outputs && first.context == node.context &&
           first.stream == node.stream && first.layout.same_shape(node.layout) &&
           std::ranges::find(nodes_, &node, &NodeRef::get) == nodes_.end();
  }
  /// Without an epilogue, a launch has the results of one recording.
  bool goes_with(const Computation* computation, const Node& node) const {
    if (computation == nullptr || computation_ == nullptr) return computation == computation_.get();
    if (!computation->takes_epilogue() && !is_recorded_with(*nodes_.front(), node)) return false;
    return computation_->goes_with(*computation) &&
           computations_ + node.computations <= Caps::computations;
  }
  /// Whether both are results of one recording of a computation.
  static bool is_recorded_with(const Node& one, const Node& other) {
    const Node* result = one.next_result;
    while (result != nullptr && result != &one && result != &other) result = result->next_result;
    return result == &other;
  }
  bool is_too_large() const {
    const auto leaves = static_cast<std::size_t>(std::ranges::count_if(seen_, &Node::is_leaf));
    std::size_t instructions = seen_.size();
    for (const Node* node : seen_) instructions += node->arity;  // leaves have none
    return leaves > Caps::leaves || seen_.size() - leaves > Caps::steps ||
           instructions > Caps::instructions;
  }
  void see(const Node& node, bool& is_related) {
    if (node.context == nullptr) return;  // a number
    if (std::ranges::find(seen_, &node) != seen_.end()) {
      is_related = true;
      return;
    }
    seen_.push_back(&node);
    for (unsigned i = 0; i < node.arity; ++i) see(*node.operands[i], is_related);
  }

  std::vector<NodeRef> nodes_;
  std::vector<const Node*> seen_;                   // the group's nodes and all nodes below
  std::shared_ptr<const Computation> computation_;  // null: operations on elements alone
  unsigned computations_ = 0;                       // a shared computation counts twice
};

}  // namespace

void compute(std::span<const NodeRef> nodes, Grouping grouping, Cut why) {
  if (nodes.size() == 1) return compute(*nodes.front(), why);
  std::vector<Siblings> groups;
  for (const NodeRef& node : nodes) {
    const std::lock_guard lock(node->context->mutex);
    if (node->is_leaf()) continue;
    const auto taken = [&](Siblings& group) { return group.take(node, grouping); };
    if (std::ranges::none_of(groups, taken)) groups.emplace_back().take(node, grouping);
  }
  for (Siblings& group : groups) group.compute(why);
}

void compute(Node& node, Cut why) {
  if (node.is_leaf()) return;
  NodeRef one(&node);
  Group(std::span(&one, 1), why).compute();
}

NodeRef computed(const Array& array) {
  NodeRef node(&Access::node(array));
  compute(*node);
  return node;
}

WithoutHostLock::WithoutHostLock() noexcept
    : held_(host_lock.release != nullptr ? host_lock.release() : nullptr) {}
WithoutHostLock::~WithoutHostLock() {
  if (held_ != nullptr) host_lock.acquire(held_);
}
void set_host_lock(const HostLock& lock) noexcept { host_lock = lock; }

void evaluate(List<Array> arrays) {
  if (arrays.size() == 1) return compute(Access::node(arrays.front()));
  std::vector<NodeRef> nodes;
  for (const Array& array : arrays) nodes.emplace_back(&Access::node(array));
  compute(nodes);
}

bool is_lazy() noexcept { return lazy.load(std::memory_order_relaxed); }
bool set_lazy(bool value) noexcept { return lazy.exchange(value); }

Fusing::Fusing() noexcept { ++fusing_scopes; }
Fusing::~Fusing() { --fusing_scopes; }
bool is_fusing() noexcept { return fusing_scopes != 0; }

}  // namespace treadle::array
