// SPDX-License-Identifier: MIT
#include "array/repeats.hpp"

#include <algorithm>
#include <utility>

#include "array/evaluate.hpp"
#include "array/node_notes.hpp"
#include "array/stages.hpp"
#include "treadle/base/error.hpp"

namespace treadle::array {
namespace {

/// Nodes without operands do not count, because computing such a node is faster than reading it.
bool is_computed(const Node* node) {
  return node != nullptr && !node->is_leaf() && node->arity != 0;
}

/// The walks for one kernel. No walk is deeper than Caps::steps.
class Walk {
 public:
  /// Reuses the thread's memory for notes, so only one walk may exist at a time.
  explicit Walk(const PlannedKernel& kernel) : kernel_(kernel), notes_(used_before()) {
    notes_.clear();
  }

  Repeats found() {
    for_each_node([&](Node& node) { count(node, 0); });
    if (!has_repeats_) return {};
    for_each_node([&](Node& node) { decide(node); });
    if (!found_.before.empty()) for_each_node([&](Node& node) { forget(node); });
    return std::move(found_);
  }

 private:
  template <class Visit>
  void for_each_node(Visit visit) {
    for (Node* node : kernel_.nodes)
      if (is_computed(node)) visit(*node);
  }
  template <class Visit>
  static void for_each_operand(const Node& node, Visit visit) {
    for (unsigned i = 0; i < node.arity; ++i)
      if (is_computed(node.operands[i])) visit(*node.operands[i]);
  }
  struct PassNote {
    unsigned times = 0;  // how often the node is an operand in this kernel
    bool is_decided = false, repeats = false, is_forgotten = false;
  };
  static NodeNotes<PassNote>& used_before() {
    static thread_local NodeNotes<PassNote> notes;
    return notes;
  }
  bool is_earlier(std::uint32_t number) const { return number != 0 && number != kernel_.number; }

  /// Counts how often each node is an operand here. Notes whether any node is computed again.
  void count(Node& node, unsigned times) {
    if (PassNote* const known = notes_.find(node)) {
      known->times += times;
      return;
    }
    notes_.add(node, {.times = times});
    if (node.computed_in == 0) node.computed_in = kernel_.number;
    if (node.passed_in == 0 && can_be_output(node)) node.passed_in = kernel_.number;
    has_repeats_ |= is_earlier(node.computed_in);
    for_each_operand(node, [&](Node& operand) { count(operand, 1); });
  }

  /// Whether the kernel computes again what an earlier kernel has computed, the node or a node
  /// below it, and the result is not stored now.
  bool decide(Node& node) {
    PassNote& note = *notes_.find(node);
    if (std::exchange(note.is_decided, true)) return note.repeats;
    bool repeats = false;
    const bool is_needed = node.handles() != 0 || node.parents > note.times;
    for_each_operand(node, [&](Node& operand) { repeats |= decide(operand); });
    const bool is_repeated = is_earlier(node.computed_in);
    const bool is_longer = repeats && !is_repeated;
    repeats |= is_repeated;
    if (is_stored(node)) {
      repeats = false;
    } else if ((is_longer || is_earlier(node.passed_in)) && can_be_output(node) && has_room()) {
      found_.outputs.push_back(&node);
      repeats = false;
    } else if (is_longer && is_needed) {
      found_.before.push_back(&node);
      repeats = false;
    }
    return note.repeats = repeats;
  }
  bool has_room() const { return found_.outputs.size() < kernel_.room; }
  bool is_stored(const Node& node) const {
    if (!kernel_.is_stored) return false;
    if (std::ranges::find(kernel_.nodes, &node) != kernel_.nodes.end()) return true;
    return kernel_.beside == nullptr && node.handles() != 0 && computation_below(node) != nullptr;
  }
  bool can_be_output(const Node& node) const {
    return kernel_.beside != nullptr && node.handles() != 0 &&
           node.stream == kernel_.beside->stream &&
           node.layout.same_shape(kernel_.beside->layout) &&
           node.state.load() == NodeState::pending;
  }

  /// Undoes the marks that say that this kernel computes the nodes.
  void forget(Node& node) {
    if (std::exchange(notes_.find(node)->is_forgotten, true)) return;
    for (std::uint32_t* number : {&node.computed_in, &node.passed_in})
      if (*number == kernel_.number) *number = 0;
    for_each_operand(node, [&](Node& operand) { forget(operand); });
  }

  const PlannedKernel& kernel_;
  NodeNotes<PassNote>& notes_;
  bool has_repeats_ = false;
  Repeats found_;
};

}  // namespace

Repeats find_repeats(const PlannedKernel& kernel) { return Walk(kernel).found(); }

bool compute_before(std::span<const NodeRef> nodes) {
  try {
    for (const NodeRef& node : nodes) compute(*node, Cut::repeated);
  } catch (const OutOfMemory&) {
    return false;
  }
  return true;
}

void keep_repeats(Context& context, std::span<Node* const> nodes) {
  const auto has_operations_below = [](const Node* node) {
    return node != nullptr && !node->is_leaf() && node->steps > 1;
  };
  if (std::ranges::none_of(nodes, has_operations_below)) return;
  for (std::uint32_t number = 0;;) {
    std::vector<NodeRef> before;
    {
      const std::lock_guard lock(context.mutex);
      if (number == 0) number = context.next_kernel();
      const Repeats repeats = find_repeats({nodes, false, nullptr, 0, number});
      for (Node* node : repeats.before) before.emplace_back(node);
    }
    if (before.empty() || !compute_before(before)) return;
  }
}

}  // namespace treadle::array
