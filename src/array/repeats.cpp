// SPDX-License-Identifier: MIT
#include "array/repeats.hpp"

#include <algorithm>
#include <utility>

#include "array/evaluate.hpp"
#include "array/folding.hpp"
#include "treadle/base/error.hpp"

namespace treadle::array {
namespace {

/// What takes no operands is computed faster than read.
bool is_computed(const Node* node) {
  return node != nullptr && !node->is_leaf() && node->arity != 0;
}

/// The walks for one kernel; none is deeper than Caps::steps.
class Walk {
 public:
  Walk(Context& context, const Computation& kernel) : context_(context), kernel_(kernel) {}

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
    mark_ = context_.next_mark();
    for (Node* node : kernel_.nodes)
      if (is_computed(node)) visit(*node);
  }
  template <class Visit>
  static void for_each_operand(const Node& node, Visit visit) {
    for (unsigned i = 0; i < node.arity; ++i)
      if (is_computed(node.operands[i])) visit(*node.operands[i]);
  }
  /// Whether this walk was here before.
  bool was_here(Node& node) const { return std::exchange(node.mark, mark_) == mark_; }
  bool is_earlier(std::uint32_t number) const { return number != 0 && number != kernel_.number; }

  /// How often each node is an operand here, and whether there is anything to decide.
  void count(Node& node, unsigned times) {
    if (was_here(node)) {
      node.left += times;
      return;
    }
    node.left = times;
    if (node.computed_in == 0) node.computed_in = kernel_.number;
    if (node.passed_in == 0 && can_be_output(node)) node.passed_in = kernel_.number;
    has_repeats_ |= is_earlier(node.computed_in);
    for_each_operand(node, [&](Node& operand) { count(operand, 1); });
  }

  /// Whether an earlier kernel has computed the node, or one below it, and it is not kept now.
  bool decide(Node& node) {
    if (was_here(node)) return node.left != 0;
    bool repeats = false;
    const bool is_needed = node.handles() != 0 || node.parents > node.left;
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
    node.left = repeats ? 1 : 0;
    return repeats;
  }
  bool has_room() const { return found_.outputs.size() < kernel_.room; }
  bool is_stored(const Node& node) const {
    if (!kernel_.is_stored) return false;
    if (std::ranges::find(kernel_.nodes, &node) != kernel_.nodes.end()) return true;
    return kernel_.beside == nullptr && node.handles() != 0 && folding_below(node) != nullptr;
  }
  bool can_be_output(const Node& node) const {
    return kernel_.beside != nullptr && node.handles() != 0 &&
           node.stream == kernel_.beside->stream &&
           node.layout.same_shape(kernel_.beside->layout) &&
           node.state.load() == NodeState::pending;
  }

  /// Nothing counts as computed by this kernel.
  void forget(Node& node) {
    if (was_here(node)) return;
    for (std::uint32_t* number : {&node.computed_in, &node.passed_in})
      if (*number == kernel_.number) *number = 0;
    for_each_operand(node, [&](Node& operand) { forget(operand); });
  }

  Context& context_;
  const Computation& kernel_;
  std::uint32_t mark_ = 0;
  bool has_repeats_ = false;
  Repeats found_;
};

}  // namespace

Repeats find_repeats(Context& context, const Computation& kernel) {
  return Walk(context, kernel).found();
}

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
      if (number == 0) number = context.next_mark();
      const Repeats repeats = find_repeats(context, {nodes, false, nullptr, 0, number});
      for (Node* node : repeats.before) before.emplace_back(node);
    }
    if (before.empty() || !compute_before(before)) return;
  }
}

}  // namespace treadle::array
