// SPDX-License-Identifier: MIT
#include "array/evaluate.hpp"

#include <algorithm>
#include <atomic>

#include "array/access.hpp"
#include "array/context.hpp"
#include "array/fusion.hpp"
#include "treadle/array/evaluate.hpp"

namespace treadle::array {
namespace {

std::atomic<bool> lazy = true;
thread_local int fusing_scopes = 0;

constexpr std::size_t most_outputs = 8;

/// Pending nodes of one context, stream and shape, which become leaves of one launch.
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
    return !nodes_.empty();
  }

  void launch(const std::vector<Ref<Storage>>& outputs) {
    if (nodes_.front()->layout.size() == 0) return;
    std::unique_lock lock(context_.mutex);
    Fusion fusion(context_, nodes_.front()->layout.shape());
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      fusion.add_output(outputs[i], nodes_[i]->layout, nodes_[i]->dtype);
      fusion.store(*nodes_[i], nullptr);
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

bool belong_together(const Node& a, const Node& b) {
  return a.context == b.context && a.stream == b.stream && a.layout.same_shape(b.layout);
}

}  // namespace

void compute(std::span<const NodeRef> nodes) {
  std::vector<std::vector<NodeRef>> groups;
  for (const NodeRef& node : nodes) {
    if (node->is_leaf()) continue;
    const auto group = std::ranges::find_if(groups, [&](const std::vector<NodeRef>& others) {
      return others.size() < most_outputs && belong_together(*others.front(), *node) &&
             std::ranges::find(others, node) == others.end();
    });
    if (group != groups.end())
      group->push_back(node);
    else
      groups.push_back({node});
  }
  for (std::vector<NodeRef>& group : groups) Group(std::move(group)).compute();
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
