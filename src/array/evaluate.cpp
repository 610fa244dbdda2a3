// SPDX-License-Identifier: MIT
#include "array/evaluate.hpp"

#include <algorithm>
#include <atomic>

#include "array/access.hpp"
#include "array/context.hpp"
#include "array/fusion.hpp"
#include "array/reduction_fusion.hpp"
#include "treadle/array/evaluate.hpp"

namespace treadle::array {
namespace {

std::atomic<bool> lazy = true;
thread_local int fusing_scopes = 0;

constexpr std::size_t most_outputs = 8;

/// Pending nodes of one context, stream and shape, which become leaves of one launch: all of them
/// operations on elements, or all made of reductions that go together.
class Group {
 public:
  explicit Group(std::vector<NodeRef> nodes)
      : nodes_(std::move(nodes)),
        context_(*nodes_.front()->context),
        stream_(nodes_.front()->stream) {}

  void compute() {
    if (!claim()) return;
    try {
      std::vector<Ref<Storage>> outputs;
      for (const NodeRef& node : nodes_)
        outputs.push_back(Storage::dense(stream_, node->layout, node->dtype));
      launch(outputs);
      publish(outputs);
    } catch (...) {
      give_back();
      throw;
    }
  }

 private:
  /// Leaves what others have computed, and keeps them from computing the rest. False if there is
  /// nothing to do.
  bool claim() {
    std::unique_lock lock(context_.mutex);
    context_.changed.wait(lock, [&] {
      return std::ranges::none_of(nodes_, [](const NodeRef& node) {
        return node->state.load(std::memory_order_acquire) == NodeState::computing;
      });
    });
    std::erase_if(nodes_, [](const NodeRef& node) { return node->is_leaf(); });
    for (const NodeRef& node : nodes_) node->state.store(NodeState::computing);
    const std::size_t wanted = nodes_.size();
    for (std::size_t i = 0; i < wanted; ++i) add_seen(*nodes_[i]);
    return !nodes_.empty();
  }

  /// What arrays stand for on the way from folds to results is kept: it is there already, and
  /// would take another pass over all elements.
  void add_seen(Node& node) {
    if (folding_below(node) == nullptr || nodes_.size() == most_outputs) return;
    if (node.handles.load() != 0 && node.state.load() == NodeState::pending) {
      nodes_.emplace_back(&node);
      node.state.store(NodeState::computing);
    }
    if (node.folding != nullptr) return;
    for (unsigned i = 0; i < node.arity; ++i) add_seen(*node.operands[i]);
  }

  void launch(const std::vector<Ref<Storage>>& outputs) {
    if (nodes_.front()->layout.size() == 0) return;
    const Extents shape = nodes_.front()->layout.shape();
    std::unique_lock lock(context_.mutex);
    std::shared_ptr<const Folding> folding;
    for (std::size_t i = 0; i < nodes_.size() && folding == nullptr; ++i)
      folding = folding_below(*nodes_[i]);
    if (folding == nullptr)
      launch(Fusion(context_, shape), outputs, lock);
    else
      launch(ReductionFusion(context_, std::move(folding), shape, nodes_), outputs, lock);
  }
  template <class Fused>
  void launch(Fused fusion, const std::vector<Ref<Storage>>& outputs,
              std::unique_lock<std::mutex>& lock) {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      fusion.add_output(outputs[i], nodes_[i]->layout, nodes_[i]->dtype);
      fusion.store(*nodes_[i]);
    }
    fusion.order(stream_);
    lock.unlock();
    fusion.run(*stream_);
  }

  void publish(std::vector<Ref<Storage>>& outputs) {
    std::vector<NodeRef> operands;  // let go when the lock is
    {
      std::unique_lock lock(context_.mutex);
      for (std::size_t i = 0; i < nodes_.size(); ++i) {
        Node& node = *nodes_[i];
        context_.unlist(node, lock);
        for (unsigned k = 0; k < node.arity; ++k)
          operands.push_back(NodeRef::adopt(node.operands[k]));
        node.arity = 0;
        outputs[i]->pending.store(node.parents, std::memory_order_relaxed);
        node.storage = std::move(outputs[i]);
        node.state.store(NodeState::leaf, std::memory_order_release);
      }
    }
    context_.changed.notify_all();
  }

  /// Others may try again.
  void give_back() {
    {
      const std::lock_guard lock(context_.mutex);
      for (const NodeRef& node : nodes_) node->state.store(NodeState::pending);
    }
    context_.changed.notify_all();
  }

  std::vector<NodeRef> nodes_;
  Context& context_;
  StreamRef stream_;
};

/// Nodes that are to be computed together.
struct Together {
  std::vector<NodeRef> nodes;
  std::shared_ptr<const Folding> folding;  // null: operations on elements alone
  unsigned steps = 0, leaves = 0, folds = 0;

  bool takes(const NodeRef& node, const Folding* other) const {
    const Node &a = *nodes.front(), &b = *node;
    if (a.context != b.context || a.stream != b.stream || !a.layout.same_shape(b.layout))
      return false;
    if ((folding == nullptr) != (other == nullptr)) return false;
    if (folding != nullptr && !folding->goes_with(*other)) return false;
    // What is shared is counted twice: the sums are bounds.
    return nodes.size() < most_outputs && steps + b.steps <= Caps::steps &&
           leaves + b.leaves <= Caps::leaves && folds + b.folds <= Caps::folds &&
           std::ranges::find(nodes, node) == nodes.end();
  }
  void add(const NodeRef& node) {
    nodes.push_back(node);
    steps += node->steps;
    leaves += node->leaves;
    folds += node->folds;
  }
};

}  // namespace

void compute(std::span<const NodeRef> nodes) {
  std::vector<Together> groups;
  for (const NodeRef& node : nodes) {
    if (node->is_leaf()) continue;
    auto folding = folding_of(*node);
    auto group = std::ranges::find_if(
        groups, [&](const Together& others) { return others.takes(node, folding.get()); });
    if (group == groups.end()) {
      group = groups.emplace(groups.end());
      group->folding = std::move(folding);
    }
    group->add(node);
  }
  for (Together& group : groups) Group(std::move(group.nodes)).compute();
}

void compute(Node& node) {
  if (node.is_leaf()) return;
  const NodeRef one(&node);
  compute(std::span(&one, 1));
}

void evaluate(std::span<const Array> arrays) {
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
