// SPDX-License-Identifier: MIT
#include "treadle/array/computation.hpp"

#include <algorithm>
#include <utility>

#include "array/access.hpp"
#include "array/context.hpp"
#include "array/evaluate.hpp"
#include "array/record.hpp"
#include "array/stages.hpp"
#include "treadle/array/evaluate.hpp"
#include "treadle/base/error.hpp"

namespace treadle::array {
namespace {

void require_count(const Computation& computation, const char* what, std::size_t given,
                   std::size_t most) {
  if (given == 0 || given > most)
    throw InvalidArgument(
        std::string(computation.name()) + " of " + std::to_string(given) + " " + what,
        "pass 1 to " + std::to_string(most));
}

}  // namespace

kernel::KernelNote Computation::described(device::Device&, const ComputationLaunch&) const {
  return {};
}

std::string Computation::title(const ComputationLaunch&) const { return std::string(name()); }

std::vector<Array> pending_results(std::shared_ptr<const Computation> computation,
                                   std::span<const Array> inputs,
                                   std::span<const ResultSpec> results) {
  if (computation == nullptr)
    throw InvalidArgument("results of a computation that is null", "pass one that was made");
  require_count(*computation, "inputs", inputs.size(), Node::most_operands);
  require_count(*computation, "results", results.size(), Node::most_results);
  for (const ResultSpec& result : results)
    if (computation->takes_epilogue() && result.shape != results.front().shape)
      throw InvalidArgument(std::string(computation->name()) +
                                " takes an epilogue and has results" + " of the shapes " +
                                shape_text(results.front().shape) + " and " +
                                shape_text(result.shape),
                            "give all results one shape, or take no epilogue");
  std::vector<NodeRef> nodes = record_computation(std::move(computation), inputs, results);
  std::vector<Array> made;
  made.reserve(nodes.size());
  bool at_once = false;
  for (NodeRef& node : nodes) {
    auto [array, is_at_once] = recorded_array(std::move(node));
    made.push_back(std::move(array));
    at_once |= is_at_once;
  }
  if (at_once) compute(Access::node(made.front()), is_lazy() ? Cut::escaped : Cut::eager);
  return made;
}

void set_maker(const Array& x, const kernel::KernelNote& note) {
  Node& node = Access::node(x);
  node.made_by = note;
  node.cut = Cut::called;
}

const Node* computation_below(const Node& node) {
  // The recursion is no deeper than Caps::steps.
  if (node.is_leaf() || node.computations == 0) return nullptr;
  if (node.computation != nullptr) return &node;
  for (unsigned i = 0; i < node.arity; ++i) {
    if (node.operands[i]->is_stage) continue;
    if (const Node* found = computation_below(*node.operands[i])) return found;
  }
  return nullptr;
}

std::shared_ptr<const Computation> computation_of(const Node& operand) {
  if (operand.computations_within() == 0) return nullptr;
  const std::lock_guard lock(operand.context->mutex);
  const Node* found = computation_below(operand);
  return found != nullptr ? found->computation : nullptr;
}

void find_stages(Node& node, bool is_asked, std::vector<NodeRef>& found) {
  if (node.is_leaf() || !(node.is_staged || node.is_stage)) return;
  if (node.is_stage && !is_asked) {
    found.emplace_back(&node);
    return;
  }
  const bool is_expression = node.computation == nullptr || node.computation->takes_prologue();
  for (unsigned i = 0; i < node.arity; ++i) {
    Node& operand = *node.operands[i];
    if (is_expression)
      find_stages(operand, false, found);
    else if (!operand.is_leaf())
      found.emplace_back(&operand);
  }
}

void compute_stages(Context& context, std::span<Node* const> nodes, const Node* asked) {
  for (;;) {
    std::vector<NodeRef> stages;
    {
      const std::lock_guard lock(context.mutex);
      for (Node* node : nodes)
        if (node != nullptr) find_stages(*node, node == asked, stages);
    }
    if (stages.empty()) return;
    for (const NodeRef& stage : stages) compute(*stage, Cut::staged);
  }
}

}  // namespace treadle::array
