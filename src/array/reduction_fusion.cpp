// SPDX-License-Identifier: MIT
#include "array/reduction_fusion.hpp"

#include <deque>
#include <utility>

namespace treadle::array {

std::shared_ptr<const Folding> folding_below(const Node& node) {
  // No deeper than Caps::steps.
  if (node.folds_within() == 0) return nullptr;
  if (node.folding != nullptr) return node.folding;
  for (unsigned i = 0; i < node.arity; ++i)
    if (auto found = folding_below(*node.operands[i])) return found;
  return nullptr;
}

std::shared_ptr<const Folding> folding_of(const Node& node) {
  if (node.folds_within() == 0) return nullptr;
  const std::lock_guard lock(node.context->mutex);
  return folding_below(node);
}

ReductionFusion::ReductionFusion(Context& context, std::shared_ptr<const Folding> folding,
                                 Extents results, std::span<const NodeRef> nodes)
    : folding_(std::move(folding)), map_(context, folding_->extents), epilogue_(context, results) {
  // The generator wants what was folded to be the first leaves of the epilogue.
  for (const NodeRef& node : nodes) fold(*node);
}

void ReductionFusion::fold(Node& node) {
  if (node.folds_within() == 0 || node.mark == epilogue_.mark_) return;
  if (node.folding == nullptr) {
    for (unsigned i = 0; i < node.arity; ++i) fold(*node.operands[i]);
    return;
  }
  const Folding& folding = *node.folding;
  const codegen::Value mapped =
      map_.builder_.cast(map_.value_of(*node.operands[0]), folding.accumulator);
  std::size_t k = 0;
  while (k < folds_.size() && (folds_[k] != folding.fold || mapped_[k] != mapped)) ++k;
  if (k == folds_.size()) {
    map_.builder_.output(mapped);
    folds_.push_back(folding.fold);
    mapped_.push_back(mapped);
    folded_.push_back(epilogue_.builder_.leaf(folding.result()));
  }
  node.mark = epilogue_.mark_;
  node.value = folded_[k];
}

bool ReductionFusion::is_held_up() const { return map_.is_held_up() || epilogue_.is_held_up(); }

void ReductionFusion::order(const StreamRef& stream) {
  map_.order(stream);
  epilogue_.order(stream);
}

template <class Use>
void ReductionFusion::with_launch(Use use) const {
  const codegen::ReductionExpression expression = this->expression();
  std::vector<kernel::ElementwiseArray> arrays;
  std::deque<std::vector<std::int64_t>> kept;  // what arrays are views of
  const auto add = [&](const Fusion::Operand& operand, Extents strides) {
    arrays.push_back({operand.location(), strides});
  };
  const auto add_result = [&](const Fusion::Operand& operand) {
    std::vector<std::int64_t>& strides = kept.emplace_back();
    for (std::size_t axis = 0; axis < operand.layout->strides().size(); ++axis)
      if (!folding_->keeps_axes || !folding_->is_folded(axis))
        strides.push_back(operand.layout->strides()[axis]);
    add(operand, strides);
  };
  for (const Fusion::Operand& leaf : map_.leaves_) add(leaf, leaf.layout->strides());
  for (const Fusion::Operand& output : epilogue_.outputs_) add_result(output);
  for (const Fusion::Operand& leaf : epilogue_.leaves_) add_result(leaf);
  std::vector<std::size_t> axes;
  for (std::size_t axis = 0; axis < folding_->extents.size(); ++axis)
    if (folding_->is_folded(axis)) axes.push_back(axis);
  std::vector<ElementBytes> scalars = map_.scalars_;
  scalars.insert(scalars.end(), epilogue_.scalars_.begin(), epilogue_.scalars_.end());
  use(kernel::ReductionLaunch{expression, folding_->extents, axes, arrays, scalars});
}

KernelNote ReductionFusion::run(device::Stream& stream) const {
  KernelNote made;
  with_launch([&](const auto& launch) { made = kernel::launch_reduction(stream, launch); });
  return made;
}

KernelNote ReductionFusion::described() const {
  KernelNote made;
  with_launch([&](const auto& launch) {
    const auto prepared = kernel::prepare_reduction(context().device(), launch);
    if (prepared != nullptr) made = prepared->note;
  });
  return made;
}

}  // namespace treadle::array
