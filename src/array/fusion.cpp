// SPDX-License-Identifier: MIT
#include "array/fusion.hpp"

#include <algorithm>
#include <array>

#include "treadle/base/error.hpp"
#include "treadle/base/promotion.hpp"
#include "treadle/device/device.hpp"

namespace treadle::array {
namespace {

using codegen::Value;

/// `layout` over a larger index space; values may have more leading axes of length 1 than it.
Layout over(Layout layout, Extents shape) {
  while (layout.shape().size() > shape.size()) layout = layout.squeezed(0);
  return layout.broadcast_to(shape);
}

}  // namespace

bool needs_copy(const Node& leaf, const Node& target) {
  if (leaf.storage.get() != target.storage.get()) return false;
  const Layout seen = over(leaf.layout, target.layout.shape());
  switch (overlap(seen, leaf.dtype.size_bytes(), target.layout, target.dtype.size_bytes())) {
    case Overlap::none:
      return false;
    case Overlap::same:
      return !(leaf.dtype == target.dtype);
    case Overlap::partial:
      break;
  }
  return true;
}

Fusion::Fusion(Context& context, Extents shape)
    : context_(context), shape_(shape.begin(), shape.end()), mark_(context.next_mark()) {}

void Fusion::add_output(Ref<Storage> target, const Layout& layout, const DType& dtype) {
  outputs_.push_back({std::move(target), layout, dtype});
}

void Fusion::store(Node& node, Node* mask) {
  const Operand output = outputs_.back();
  Value value = value_of(node);
  if (output.dtype.scalar() != Scalar::structure)
    value = builder_.cast(value, output.dtype.scalar());
  if (mask != nullptr) {
    const Value old = leaf(output);
    const Value chosen = builder_.cast(value_of(*mask), Scalar::boolean);
    value = builder_.step(Op::where, output.dtype.scalar(), {chosen, value, old});
  }
  builder_.output(value);
}

Fusion::Operand Fusion::operand_of(const Node& leaf) const {
  return {leaf.storage, over(leaf.layout, shape_), leaf.dtype};
}

Value Fusion::leaf(Operand operand) {
  // Equal views are one leaf, whichever nodes they are of.
  for (std::size_t i = 0; i < leaves_.size(); ++i)
    if (!leaves_[i].is_gathered && leaves_[i].storage == operand.storage &&
        leaves_[i].layout == operand.layout && leaves_[i].dtype == operand.dtype)
      return leaf_values_[i];
  int in_place = -1;
  for (std::size_t i = 0; i < outputs_.size(); ++i)
    if (outputs_[i].storage == operand.storage && outputs_[i].layout == operand.layout &&
        outputs_[i].dtype == operand.dtype)
      in_place = static_cast<int>(i);
  const Value value = builder_.leaf(operand.dtype, in_place);
  leaves_.push_back(std::move(operand));
  leaf_values_.push_back(value);
  return value;
}

Value Fusion::gathered(Node& node) {
  const Value offset = value_of(*node.operands[1]);
  const Node& source = *node.operands[0];
  const Value value = builder_.gather(source.dtype, offset);
  leaves_.push_back({source.storage, over(source.layout, shape_), source.dtype, true});
  leaf_values_.push_back(value);
  return value;
}

Value Fusion::value_of(Node& node) {
  if (node.mark == mark_) return node.value;
  Value value = 0;
  const auto copied = std::ranges::find(copies_, &node, &std::pair<Node*, NodeRef>::first);
  if (copied != copies_.end()) {
    value = leaf(operand_of(*copied->second));
  } else if (node.is_leaf()) {
    value = leaf(operand_of(node));
  } else if (node.is_number()) {
    value = builder_.scalar(node.dtype.scalar());
    scalars_.push_back(node.number.as(node.dtype.scalar()));
  } else if (node.op == Op::iota) {
    value = builder_.position();
  } else if (node.op == Op::gather) {
    value = gathered(node);
  } else if (node.op == Op::cast) {
    value = value_of(*node.operands[0]);
    if (node.dtype.scalar() != Scalar::structure) value = builder_.cast(value, node.dtype.scalar());
  } else {
    std::array<OperandType, 3> types = {Scalar::boolean, Scalar::boolean, Scalar::boolean};
    for (unsigned i = 0; i < node.arity; ++i) types[i] = node.operands[i]->dtype.scalar();
    const OpDtypes dtypes = resolve(node.op, std::span(types.data(), node.arity));
    std::array<Value, 3> values = {};
    for (unsigned i = 0; i < node.arity; ++i)
      values[i] = builder_.cast(value_of(*node.operands[i]), dtypes.operands[i]);
    value = node.arity == 1 ? builder_.step(node.op, dtypes.result, {values[0]})
            : node.arity == 2
                ? builder_.step(node.op, dtypes.result, {values[0], values[1]})
                : builder_.step(node.op, dtypes.result, {values[0], values[1], values[2]});
  }
  node.mark = mark_;
  node.value = value;
  return value;
}

void Fusion::order(const StreamRef& stream) {
  for (const Operand& operand : leaves_) operand.storage->order_read(stream);
  for (const Operand& output : outputs_) output.storage->order_write(stream);
}

device::Location Fusion::Operand::location() const {
  if (!storage) return {};
  return storage->first_element(layout);
}

std::uint64_t Fusion::Operand::size_bytes() const {
  std::uint64_t bytes = dtype.size_bytes();
  for (std::size_t axis = 0; axis < layout.shape().size(); ++axis)
    if (layout.strides()[axis] != 0) bytes *= static_cast<std::uint64_t>(layout.shape()[axis]);
  return bytes;
}

template <class Use>
void Fusion::with_launch(Use use) const {
  const codegen::Expression& expression = builder_.expression();
  std::vector<kernel::ElementwiseArray> arrays;
  arrays.reserve(outputs_.size() + leaves_.size());
  const auto add = [&](const Operand& operand) {
    arrays.push_back({operand.location(), operand.layout.strides()});
  };
  for (const Operand& output : outputs_) add(output);
  for (std::size_t i = 0; i < leaves_.size(); ++i)
    if (expression.leaves[i].in_place < 0) add(leaves_[i]);
  use(kernel::ElementwiseLaunch{expression, shape_, arrays, scalars_});
}

KernelNote Fusion::note(const std::string& name, const std::string& text,
                        const codegen::Expression& expression) const {
  KernelNote made{&name, &text};
  for (const Operand& leaf : leaves_) made.bytes_read += leaf.size_bytes();
  for (const Operand& output : outputs_) made.bytes_written += output.size_bytes();
  made.instructions = expression.cost();
  for (const std::int64_t extent : shape_) made.instructions *= static_cast<std::uint64_t>(extent);
  return made;
}

KernelNote Fusion::run(device::Stream& stream) const {
  KernelNote made;
  with_launch([&](const kernel::ElementwiseLaunch& launch) {
    if (const auto* plan = kernel::launch_elementwise(stream, launch))
      made = note(plan->text.name, plan->text.text, launch.expression);
  });
  return made;
}

KernelNote Fusion::described() const {
  KernelNote made;
  with_launch([&](const kernel::ElementwiseLaunch& launch) {
    const auto& plan = kernel::plan_elementwise(context_.device(), launch);
    made = note(plan.text.name, plan.text.text, launch.expression);
  });
  return made;
}

}  // namespace treadle::array
