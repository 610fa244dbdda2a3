// SPDX-License-Identifier: MIT
#include "array/fusion.hpp"

#include <algorithm>
#include <array>

#include "treadle/array/computation.hpp"
#include "treadle/base/error.hpp"
#include "treadle/base/promotion.hpp"
#include "treadle/device/device.hpp"

namespace treadle::array {
namespace {

using codegen::Value;

/// Broadcasts `layout` to a larger index space. `layout` may have more leading axes of length 1.
Layout over(Layout layout, Extents shape) {
  while (layout.shape().size() > shape.size()) layout = layout.squeezed(0);
  return layout.broadcast_to(shape);
}

}  // namespace

bool needs_copy(const Node& leaf, const Node& target) {
  const auto distance = target.storage->distance_to(*leaf.storage);
  if (!distance) return false;
  const Layout view = over(leaf.layout, target.layout.shape());
  const Layout seen(view.shape(), view.strides(), view.offset_bytes() + *distance);
  switch (overlap(seen, leaf.dtype.size_bytes(), target.layout, target.dtype.size_bytes())) {
    case Overlap::none:
      return false;
    case Overlap::same:
      // The kernel reads such a leaf through the target's own pointer.
      return !(leaf.dtype == target.dtype && leaf.storage == target.storage);
    case Overlap::partial:
      break;
  }
  return true;
}

thread_local Fusion::IdleRooms Fusion::idle_rooms;

std::unique_ptr<Fusion::Room> Fusion::take_room() {
  IdleRooms& idle = idle_rooms;
  return idle.count != 0 ? std::move(idle.rooms[--idle.count]) : std::make_unique<Room>();
}

Fusion::Fusion(Context& context, Extents shape) : context_(context), shape_(shape) {}

template <class Visit>
void Fusion::for_each_use(Visit visit) const {
  for (const Operand& leaf : leaves_) visit(*leaf.storage, device::MemoryUse::reads);
  for (const Operand& output : outputs_) visit(*output.storage, device::MemoryUse::writes);
}

Fusion::~Fusion() {
  if (is_announced_) {
    {
      const LockedAnyway lock(context_.mutex);
      for_each_use([](Storage& storage, auto use) { storage.end_announced(use); });
    }
    context_.changed.notify_all();
  }
  IdleRooms& idle = idle_rooms;
  if (idle.count == idle.rooms.size()) return;  // inner walks have left theirs: they are enough
  builder_.clear();
  outputs_.clear();
  leaves_.clear();
  room_->views.clear();
  room_->leaf_values.clear();
  scalars_.clear();
  values_.clear();
  idle.rooms[idle.count++] = std::move(room_);
}

void Fusion::store(Node& node, Node* mask) {
  const DType& dtype = *outputs_.back().dtype;
  Value value = value_of(node);
  if (dtype.scalar() != Scalar::structure) value = builder_.cast(value, dtype.scalar());
  if (mask != nullptr) {
    const Value old = leaf(outputs_.back());
    const Value chosen = builder_.cast(value_of(*mask), Scalar::boolean);
    value = builder_.step(Op::where, dtype.scalar(), {chosen, value, old});
  }
  builder_.output(value);
}

Fusion::Operand Fusion::operand_of(Node& leaf) {
  const Layout* layout = &leaf.layout;
  if (!std::ranges::equal(layout->shape(), shape_))
    layout = &room_->views.emplace_back(over(*layout, shape_));
  return {leaf.storage.get(), layout, &leaf.dtype, NodeRef(&leaf)};
}

Value Fusion::leaf(Operand operand) {
  // Equal views share one leaf, even if different nodes have these views.
  for (std::size_t i = 0; i < leaves_.size(); ++i)
    if (!leaves_[i].is_gathered && leaves_[i] == operand) return room_->leaf_values[i];
  int in_place = -1;
  for (std::size_t i = 0; i < outputs_.size(); ++i)
    if (outputs_[i] == operand) in_place = static_cast<int>(i);
  const Value value = builder_.leaf(*operand.dtype, in_place);
  leaves_.push_back(std::move(operand));
  room_->leaf_values.push_back(value);
  return value;
}

Value Fusion::gathered(Node& node) {
  const Value offset = value_of(*node.operands[1]);
  Operand source = operand_of(*node.operands[0]);
  source.is_gathered = true;
  const Value value = builder_.gather(*source.dtype, offset);
  leaves_.push_back(std::move(source));
  room_->leaf_values.push_back(value);
  return value;
}

Value Fusion::value_of(Node& node) {
  if (const Value* known = values_.find(node)) return *known;
  return values_.add(node, computed_value(node));
}

Value Fusion::input(Node& node, const Computation& computation) {
  // An input of a computation without a prologue is read from memory. Where the kernel is only
  // described, this memory need not exist.
  const Value value = computation.takes_prologue() ? value_of(node) : leaf(operand_of(node));
  if (node.dtype.scalar() == Scalar::structure) return value;
  return builder_.cast(value, computation.input_dtype(node.dtype).scalar());
}

Value Fusion::computed_value(Node& node) {
  Value value = 0;
  const auto copied = std::ranges::find(copies_, &node, &std::pair<Node*, NodeRef>::first);
  if (copied != copies_.end()) {
    value = leaf(operand_of(*copied->second));
  } else if (node.is_leaf() || node.is_stage) {  // a pending stage: the kernel is only described
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
  } else if (node.dtype.scalar() == Scalar::structure) {  // only where() makes records
    const Value chosen = builder_.cast(value_of(*node.operands[0]), Scalar::boolean);
    const Value first = value_of(*node.operands[1]), second = value_of(*node.operands[2]);
    value = builder_.step(Op::where, Scalar::structure, {chosen, first, second});
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
  return value;
}

bool Fusion::is_held_up() const {
  bool is_held_up = false;
  for_each_use([&](const Storage& storage, auto use) { is_held_up |= storage.is_held_up(use); });
  return is_held_up;
}

void Fusion::order(const StreamRef& stream) {
  for_each_use([&](Storage& storage, auto use) { storage.order(stream, use); });
  for_each_use([](Storage& storage, auto use) { storage.announce(use); });
  is_announced_ = true;
}

device::Location Fusion::Operand::location() const {
  return storage != nullptr ? storage->first_element(*layout) : device::Location{};
}

kernel::ElementwiseLaunch Fusion::launch() const {
  std::vector<kernel::ElementwiseArray>& arrays = room_->arrays;
  arrays.clear();
  const auto add = [&](const Operand& operand) {
    arrays.push_back({operand.location(), operand.layout->strides()});
  };
  for (const Operand& output : outputs_) add(output);
  // The kernel gets a pointer for each leaf that is not read through an output.
  const std::vector<codegen::LeafSpec>& specs = builder_.expression().leaves;
  const std::size_t parts = specs.size() - leaves_.size();  // leaves for computations' results
  for (std::size_t i = 0; i < leaves_.size(); ++i)
    if (specs[parts + i].in_place < 0) add(leaves_[i]);
  return {builder_.expression(), shape_, arrays, scalars_};
}

KernelNote Fusion::run(device::Stream& stream) const {
  return kernel::launch_elementwise(stream, launch());
}

KernelNote Fusion::described() const {
  const auto prepared = kernel::prepare_elementwise(context_.device(), launch());
  return prepared != nullptr ? prepared->note : KernelNote{};
}

}  // namespace treadle::array
