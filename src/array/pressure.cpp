// SPDX-License-Identifier: MIT
// Memory that only pending nodes keep alive. Eager evaluation would have freed this memory. So when
// the pool grows much, or the device refuses memory, nodes are computed whose results take less
// memory than they keep.
#include <algorithm>
#include <cstddef>
#include <exception>
#include <mutex>
#include <numeric>
#include <unordered_map>
#include <utility>
#include <vector>

#include "array/context.hpp"
#include "array/ending.hpp"
#include "array/evaluate.hpp"
#include "treadle/device/device.hpp"

namespace treadle::array {
namespace {

thread_local bool is_relieving = false;  // relieving allocates memory itself

/// Nodes that keep the same memory alive. The memory ends with the last of these nodes.
struct Keepers {
  std::vector<NodeRef> nodes;
  std::size_t kept_bytes = 0, result_bytes = 0;

  std::size_t gain() const { return kept_bytes > result_bytes ? kept_bytes - result_bytes : 0; }
};

/// Groups pending nodes by the memory that only they keep alive. The caller holds the context's
/// lock.
class Census {
 public:
  explicit Census(std::vector<NodeRef> nodes) : nodes_(std::move(nodes)), set_(nodes_.size()) {
    std::iota(set_.begin(), set_.end(), std::size_t{0});
    Ending ending;
    for (const NodeRef& node : nodes_) ending.let_go(*node);
    std::unordered_map<const Storage*, std::uint32_t> views;
    for (const Node* leaf : ending.leaves()) ++views[leaf->storage.get()];
    for (const auto& [storage, count] : views)
      if (storage->owners() == count && !storage->buffer.is_shared())
        kept_.emplace(storage, nodes_.size());
  }

  std::vector<Keepers> sorted() {
    for (std::size_t i = 0; i < nodes_.size() && !kept_.empty(); ++i) join(*nodes_[i], i);
    std::vector<Keepers> sets(nodes_.size());
    for (const auto& [storage, keeper] : kept_)
      sets[set_of(keeper)].kept_bytes += storage->buffer.size_bytes();
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const Node& node = *nodes_[i];
      Keepers& set = sets[set_of(i)];
      set.result_bytes += static_cast<std::size_t>(node.layout.size()) * node.dtype.size_bytes();
      set.nodes.push_back(std::move(nodes_[i]));
    }
    return sets;
  }

 private:
  /// Joins node `i` with the nodes that keep the same memory. The recursion is no deeper than
  /// Caps::steps.
  void join(const Node& node, std::size_t i) {
    for (unsigned k = 0; k < node.arity; ++k) {
      const Node& operand = *node.operands[k];
      if (!operand.is_leaf()) {
        join(operand, i);
      } else if (const auto kept = kept_.find(operand.storage.get()); kept != kept_.end()) {
        if (kept->second == nodes_.size()) kept->second = i;
        set_[set_of(i)] = set_of(kept->second);
      }
    }
  }
  std::size_t set_of(std::size_t i) {
    while (set_[i] != i) i = set_[i] = set_[set_[i]];
    return i;
  }

  std::vector<NodeRef> nodes_;
  std::vector<std::size_t> set_;  // the index of a node of the same set, or its own
  std::unordered_map<const Storage*, std::size_t> kept_;  // and the first node that keeps it
};

}  // namespace

std::size_t Context::relieve(std::size_t least_bytes) {
  std::vector<Keepers> sets;
  {
    const std::lock_guard lock(mutex);
    std::vector<NodeRef> nodes;
    for (Node* node = first_; node != nullptr; node = node->next)
      if (node->state.load(std::memory_order_relaxed) == NodeState::pending && node->find())
        nodes.push_back(NodeRef::adopt(node));
    sets = Census(std::move(nodes)).sorted();
  }
  std::erase_if(sets, [](const Keepers& set) { return set.gain() == 0; });
  const std::size_t gain =
      std::accumulate(sets.begin(), sets.end(), std::size_t{0},
                      [](std::size_t sum, const Keepers& set) { return sum + set.gain(); });
  if (gain < least_bytes) return gain;
  for (Keepers& set : sets) {
    try {
      compute(set.nodes, Grouping::siblings, Cut::memory);
    } catch (const std::exception&) {
      // The nodes stay pending: whoever computes them later gets the error.
    }
    set.nodes.clear();
  }
  return gain;
}

void Context::before_growth(std::size_t size_bytes) noexcept {
  constexpr std::size_t least_limit = std::size_t{64} << 20;
  const std::size_t limit =
      std::max(least_limit, static_cast<std::size_t>(device_.info().memory_bytes / 16));
  // Look at the nodes when they may keep as much memory as the limit. The estimate adds the bytes
  // that they kept at the last look (freed ones may be in use again) and all bytes allocated since.
  if ((growth_bytes_ += size_bytes) >= limit) growth_bytes_ = relieved(limit);
}

void Context::reclaim() noexcept { relieved(1); }

std::size_t Context::relieved(std::size_t least_bytes) noexcept {
  if (is_relieving) return 0;
  is_relieving = true;
  std::size_t gain = 0;
  try {
    gain = relieve(least_bytes);
  } catch (const std::exception&) {
    // If the host has no memory, do nothing.
  }
  is_relieving = false;
  return gain;
}

}  // namespace treadle::array
