// SPDX-License-Identifier: MIT
#include "array/computation_fusion.hpp"

#include <algorithm>
#include <utility>

#include "array/stages.hpp"

namespace treadle::array {

ComputationFusion::ComputationFusion(Context& context, Extents results,
                                     std::span<const NodeRef> nodes)
    : epilogue_(context, results) {
  // The first leaves of the epilogue are the computation's results.
  for (const NodeRef& node : nodes) collect(*node);
}

void ComputationFusion::collect(Node& node) {
  if (computation_below(node) == nullptr || epilogue_.values_.find(node) != nullptr) return;
  if (node.computation == nullptr) {
    for (unsigned i = 0; i < node.arity; ++i)
      if (!node.operands[i]->is_stage) collect(*node.operands[i]);
    return;
  }
  epilogue_.values_.add(node, part_of(node).leaf);
}

ComputationFusion::Part& ComputationFusion::part_of(Node& node) {
  const Computation& computation = *node.computation;
  if (computation_ == nullptr) {
    computation_ = node.computation;
    for (unsigned i = 0; i < node.arity; ++i)
      inputs_[input_count_++].emplace(context(), node.operands[i]->layout.shape());
  }
  Part made{.node = &node, .values = {}, .leaf = {}};
  for (unsigned i = 0; i < node.arity; ++i)
    made.values[i] = inputs_[i]->input(*node.operands[i], computation);
  for (Part& part : parts_)
    if (part.node->result == node.result && part.node->computation->equals(computation) &&
        part.values == made.values)
      return part;
  for (unsigned i = 0; i < node.arity; ++i) inputs_[i]->builder_.output(made.values[i]);
  made.leaf = epilogue_.builder_.leaf(node.dtype);
  return parts_.emplace_back(std::move(made));
}

bool ComputationFusion::is_held_up() const {
  for (std::size_t i = 0; i < input_count_; ++i)
    if (inputs_[i]->is_held_up()) return true;
  return epilogue_.is_held_up();
}

void ComputationFusion::order(const StreamRef& stream) {
  for (std::size_t i = 0; i < input_count_; ++i) inputs_[i]->order(stream);
  epilogue_.order(stream);
}

template <class Use>
auto ComputationFusion::with_launch(Use use) const {
  std::vector<ComputationLaunch::Part> parts;
  parts.reserve(parts_.size());
  for (const Part& part : parts_)
    parts.push_back({part.node->computation.get(), part.node->result, part.node->layout.shape()});
  std::vector<kernel::ElementwiseLaunch> inputs;
  inputs.reserve(input_count_);
  for (std::size_t i = 0; i < input_count_; ++i) inputs.push_back(inputs_[i]->launch());
  return use(ComputationLaunch{parts, inputs, epilogue_.launch()});
}

KernelNote ComputationFusion::run(device::Stream& stream) const {
  return with_launch([&](const auto& launch) { return computation_->run(stream, launch); });
}

KernelNote ComputationFusion::described() const {
  return with_launch(
      [&](const auto& launch) { return computation_->described(context().device(), launch); });
}

std::string ComputationFusion::name() const {
  return with_launch([&](const auto& launch) { return computation_->title(launch); });
}

}  // namespace treadle::array
