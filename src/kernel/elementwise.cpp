// SPDX-License-Identifier: MIT
#include "treadle/kernel/elementwise.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "device/argument_room.hpp"
#include "plan_table.hpp"
#include "treadle/base/error.hpp"
#include "treadle/codegen/lowering.hpp"
#include "treadle/device/device.hpp"
#include "treadle/device/event.hpp"

namespace treadle::kernel {
namespace {

using codegen::ElementwiseParameter;
using Role = ElementwiseParameter::Role;

/// A launch, or a part of one that is too large: its extents, and where its arrays begin.
struct Part {
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> first;  ///< bytes behind each array's location; the first position
};

/// One launch on one device.
class Launcher {
 public:
  Launcher(device::Device& device, const ElementwiseLaunch& launch)
      : device_(device),
        launch_(launch),
        tiling_(codegen::tiling_of(launch.schedule.value_or(device.info().traits.schedule))),
        dialect_(codegen::dialect_of(device.info().language)),
        operands_(codegen::operands_of(launch.expression)) {
    require_fit();
    if (launch.expression.uses_position()) lay_out_position();
  }

  const ElementwisePlan& plan() {
    Part part = whole();
    codegen::Lowering space = lower(part);
    while (space.is_too_large) space = lower(part = split(part).first);
    return plan_for(space);
  }

  std::shared_ptr<const ElementwiseCall> call() {
    const Part part = whole();
    const codegen::Lowering space = lower(part);
    if (space.groups == 0 || space.is_too_large) return nullptr;
    return std::make_shared<const ElementwiseCall>(call_for(part, space));
  }

  const ElementwisePlan* run(device::Stream& stream, const device::Order& order) {
    const Part part = whole();
    const codegen::Lowering space = lower(part);
    if (space.groups > 0 && !space.is_too_large) return &queue(stream, part, space, order);
    for (const device::Event* event : order.after) stream.wait(*event);
    const ElementwisePlan* first = space.groups > 0 ? &run_part(stream, part) : nullptr;
    if (order.done != nullptr) stream.record(*order.done);
    return first;
  }

 private:
  void require_fit() const {
    const codegen::Expression& expression = launch_.expression;
    const std::size_t arrays = operands_.size() - (expression.uses_position() ? 1 : 0);
    const auto require = [](std::size_t given, std::size_t taken, const char* what) {
      if (given != taken)
        throw InvalidArgument("an elementwise launch was given " + std::to_string(given) + " " +
                                  what + ", and its expression has " + std::to_string(taken),
                              "pass outputs, then leaves that are not in place, then scalars");
    };
    require(launch_.arrays.size(), arrays, "arrays");
    require(launch_.scalars.size(), expression.scalars.size(), "scalars");
    for (const ElementwiseArray& array : launch_.arrays)
      require(array.strides.size(), launch_.extents.size(), "strides of an array");
  }

  /// The position counts as an operand whose elements are their own addresses.
  void lay_out_position() {
    position_strides_.resize(launch_.extents.size());
    std::int64_t step = 1;
    for (std::size_t axis = position_strides_.size(); axis-- > 0; step *= launch_.extents[axis])
      position_strides_[axis] = step;
  }

  Part whole() const {
    return {{launch_.extents.begin(), launch_.extents.end()},
            std::vector<std::int64_t>(operands_.size())};
  }
  bool is_position(std::size_t k) const { return k == launch_.arrays.size(); }
  std::span<const std::int64_t> strides(std::size_t k) const {
    return is_position(k) ? std::span<const std::int64_t>(position_strides_)
                          : launch_.arrays[k].strides;
  }
  std::size_t size_bytes(std::size_t k) const { return operands_[k].dtype.size_bytes(); }
  /// Of an array's element that the loop begins with, behind the array's first one.
  std::int64_t first_byte(const Part& part, const codegen::Lowering& space, std::size_t k) const {
    return part.first[k] + space.offsets[k] * static_cast<std::int64_t>(size_bytes(k));
  }

  codegen::Lowering lower(const Part& part) const {
    std::vector<codegen::OperandLayout> layouts;
    layouts.reserve(operands_.size());
    for (std::size_t k = 0; k < operands_.size(); ++k) {
      const device::Location at =
          is_position(k) ? device::Location{}
                         : launch_.arrays[k].location + static_cast<std::uint64_t>(part.first[k]);
      layouts.push_back({strides(k), is_position(k) ? 0 : size_bytes(k), at.handle + at.offset,
                         operands_[k].is_indirect});
      // A handle without addresses stands for an allocation, which is aligned.
      if (!dialect_.has_addresses) layouts.back().address = at.offset;
    }
    return codegen::lower(part.extents, layouts, launch_.expression.outputs.size(), tiling_);
  }

  /// Halves of the longest axis.
  std::pair<Part, Part> split(const Part& part) const {
    const auto longest = std::ranges::max_element(part.extents);
    const auto axis = static_cast<std::size_t>(longest - part.extents.begin());
    Part low = part, high = part;
    low.extents[axis] = *longest / 2;
    high.extents[axis] -= low.extents[axis];
    for (std::size_t k = 0; k < operands_.size(); ++k)
      high.first[k] += strides(k)[axis] * low.extents[axis];
    return {std::move(low), std::move(high)};
  }
  const ElementwisePlan& run_part(device::Stream& stream, const Part& part) const {
    const codegen::Lowering space = lower(part);
    if (!space.is_too_large) return queue(stream, part, space, {});
    const auto [low, high] = split(part);
    const ElementwisePlan& first = run_part(stream, low);
    run_part(stream, high);
    return first;
  }

  const ElementwisePlan& plan_for(const codegen::Lowering& space) const {
    std::string key = launch_.expression.key();
    space.loop.append_key(key);
    key += static_cast<char>(tiling_.schedule);
    return plans<ElementwisePlan>(device_).find(key, [&] { return make_plan(space.loop); });
  }
  std::shared_ptr<const ElementwisePlan> make_plan(const codegen::LoopClass& loop) const {
    launch_.expression.require_valid();
    codegen::ElementwiseText text =
        codegen::generate_elementwise(launch_.expression, loop, tiling_, dialect_);
    std::size_t bytes = 0;
    for (const ElementwiseParameter& parameter : text.parameters)
      bytes += is_pointer(parameter) ? sizeof(std::uint64_t) : DType(parameter.dtype).size_bytes();
    const auto [kernel, origin, seconds] = load_text(device_, text.text, text.name, bytes);
    return std::make_shared<ElementwisePlan>(
        ElementwisePlan{std::move(text), kernel, tiling_.group_size, origin, seconds});
  }
  static bool is_pointer(const ElementwiseParameter& parameter) {
    return parameter.role == Role::output || parameter.role == Role::leaf;
  }

  const ElementwisePlan& queue(device::Stream& stream, const Part& part,
                               const codegen::Lowering& space, const device::Order& order) const {
    const ElementwiseCall call = call_for(part, space);
    std::vector<device::Location> arrays;
    arrays.reserve(launch_.arrays.size());
    for (const ElementwiseArray& array : launch_.arrays) arrays.push_back(array.location);
    call.launch(stream, arrays, launch_.scalars, order);
    return *call.plan;
  }
  ElementwiseCall call_for(const Part& part, const codegen::Lowering& space) const {
    const ElementwisePlan& plan = plan_for(space);
    ElementwiseCall call{
        &plan, {.groups = static_cast<unsigned>(space.groups), .group_size = plan.group_size}, {}};
    call.slots.reserve(plan.text.parameters.size());
    for (const ElementwiseParameter& parameter : plan.text.parameters)
      call.slots.push_back(slot_for(parameter, part, space));
    return call;
  }

  ElementwiseCall::Slot slot_for(const ElementwiseParameter& parameter, const Part& part,
                                 const codegen::Lowering& space) const {
    using What = ElementwiseCall::Slot::What;
    const std::size_t k = operand_number(parameter);
    ElementwiseCall::Slot slot{.what = What::number, .index = static_cast<std::uint8_t>(k)};
    switch (parameter.role) {
      case Role::output:
      case Role::leaf:
        // Where there are no addresses the kernel adds the offset itself.
        slot.what = dialect_.has_addresses ? What::address : What::handle;
        slot.number = first_byte(part, space, k);
        return slot;
      case Role::output_offset:
      case Role::leaf_offset:
        slot.what = What::offset;
        slot.number = first_byte(part, space, k);
        slot.element = operands_[k].dtype;
        return slot;
      case Role::scalar:
        slot.what = What::scalar;
        slot.index = parameter.index;
        break;
      case Role::position:
        slot.number = part.first[k] + space.offsets[k];
        break;
      case Role::space:
        slot.number = static_cast<std::int64_t>(space.value(parameter.space));
        break;
    }
    const device::Argument value = scalar_argument(parameter.dtype, nullptr);
    slot.size_bytes = static_cast<std::uint8_t>(value.size_bytes());
    slot.kind = value.value_kind();
    return slot;
  }
  std::size_t operand_number(const ElementwiseParameter& parameter) const {
    if (parameter.role == Role::scalar || parameter.role == Role::space) return 0;
    const auto kind = parameter.role == Role::output || parameter.role == Role::output_offset
                          ? codegen::ElementwiseOperand::Kind::output
                      : parameter.role == Role::position
                          ? codegen::ElementwiseOperand::Kind::position
                          : codegen::ElementwiseOperand::Kind::leaf;
    const auto found = std::ranges::find_if(operands_, [&](const auto& operand) {
      return operand.kind == kind && operand.index == parameter.index;
    });
    return static_cast<std::size_t>(found - operands_.begin());
  }

  device::Device& device_;
  const ElementwiseLaunch& launch_;
  const codegen::Tiling& tiling_;
  const codegen::Dialect& dialect_;
  std::vector<codegen::ElementwiseOperand> operands_;
  std::vector<std::int64_t> position_strides_;
};

}  // namespace

void ElementwiseCall::launch(device::Stream& stream, std::span<const device::Location> arrays,
                             std::span<const ElementBytes> scalars,
                             const device::Order& order) const {
  const device::ArgumentRoom<device::Argument> arguments(slots.size());
  const device::ArgumentRoom<std::uint64_t> offsets(slots.size());  // what arguments are views of
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const Slot& slot = slots[i];
    const auto bytes = static_cast<std::uint64_t>(slot.number);
    const auto value = [&](const void* data) {
      return device::Argument(data, slot.size_bytes, slot.kind);
    };
    switch (slot.what) {
      case Slot::What::address:
        arguments[i] = arrays[slot.index] + bytes;
        break;
      case Slot::What::handle:
        arguments[i] = device::Location{arrays[slot.index].handle, 0};
        break;
      case Slot::What::offset:
        offsets[i] = element_offset(arrays[slot.index] + bytes, slot.element);
        arguments[i] = value(&offsets[i]);
        break;
      case Slot::What::scalar:
        arguments[i] = value(scalars[slot.index].data());
        break;
      case Slot::What::number:
        arguments[i] = value(&slot.number);
        break;
    }
  }
  stream.launch_arguments(plan->kernel, shape, {arguments.get(), slots.size()}, order);
}

const ElementwisePlan& plan_elementwise(device::Device& device, const ElementwiseLaunch& launch) {
  return Launcher(device, launch).plan();
}

std::shared_ptr<const ElementwiseCall> prepare_elementwise(device::Device& device,
                                                           const ElementwiseLaunch& launch) {
  return Launcher(device, launch).call();
}

const ElementwisePlan* launch_elementwise(device::Stream& stream, const ElementwiseLaunch& launch,
                                          const device::Order& order) {
  return Launcher(stream.device(), launch).run(stream, order);
}

}  // namespace treadle::kernel
