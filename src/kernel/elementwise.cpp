// SPDX-License-Identifier: MIT
#include "treadle/kernel/elementwise.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "launch_cache.hpp"
#include "plan_table.hpp"
#include "treadle/base/error.hpp"
#include "treadle/codegen/lowering.hpp"
#include "treadle/device/device.hpp"
#include "treadle/kernel/tiling.hpp"

namespace treadle::kernel {
namespace {

using codegen::ElementwiseParameter;
using Role = ElementwiseParameter::Role;

/// A launch, or, if the launch is too large, a part of it: extents and the start of the arrays.
struct Part {
  std::vector<std::int64_t> extents;
  /// Bytes from each array's location to its first element; last, the first position.
  std::vector<std::int64_t> first;
};

/// One launch on one device.
class Launcher {
 public:
  Launcher(device::Device& device, const ElementwiseLaunch& launch)
      : device_(device),
        launch_(launch),
        tiling_(tiling_of(device, launch.schedule)),
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

  std::shared_ptr<const PreparedLaunch> prepared() {
    PreparedLaunch made;
    prepare(whole(), made);
    if (made.steps.empty()) return nullptr;
    write_figures(made.note);
    return std::make_shared<const PreparedLaunch>(std::move(made));
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

  /// The position is laid out like an operand whose elements equal their own addresses.
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
  /// The distance in bytes from an array's first element to the loop's first element: the lowering
  /// may reverse axes.
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
      // A handle without addresses stands for a whole allocation, and allocations are aligned.
      if (!dialect_.has_addresses) layouts.back().address = at.offset;
    }
    return codegen::lower(part.extents, layouts, launch_.expression.outputs.size(), tiling_);
  }

  /// Splits the longest axis into halves.
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
  /// Prepares a part. A part too large for one launch is split, and each half is prepared
  /// separately.
  void prepare(const Part& part, PreparedLaunch& made) const {
    const codegen::Lowering space = lower(part);
    if (space.is_too_large) {
      const auto [low, high] = split(part);
      prepare(low, made);
      return prepare(high, made);
    }
    if (space.groups == 0) return;
    const ElementwisePlan& plan = plan_for(space);
    if (made.steps.empty()) {
      made.note.name = &plan.text.name;
      made.note.text = &plan.text.text;
    }
    PreparedLaunch::Step& step = made.steps.emplace_back(PreparedLaunch::Step{
        &plan.kernel,
        {.groups = static_cast<unsigned>(space.groups), .group_size = plan.group_size},
        {}});
    step.slots.reserve(plan.text.parameters.size());
    for (const ElementwiseParameter& parameter : plan.text.parameters)
      step.slots.push_back(slot_for(parameter, part, space));
  }
  void write_figures(KernelNote& note) const {
    const codegen::Expression& expression = launch_.expression;
    const auto bytes_of = [&](std::size_t k) {
      return distinct_bytes(launch_.extents, launch_.arrays[k].strides, size_bytes(k));
    };
    for (std::size_t k = 0; k < launch_.arrays.size(); ++k)
      (operands_[k].kind == codegen::KernelOperand::Kind::output ? note.bytes_written
                                                                 : note.bytes_read) += bytes_of(k);
    for (const codegen::LeafSpec& leaf : expression.leaves)
      if (leaf.in_place >= 0) note.bytes_read += bytes_of(static_cast<std::size_t>(leaf.in_place));
    note.instructions = expression.cost();
    for (const std::int64_t extent : launch_.extents)
      note.instructions *= static_cast<std::uint64_t>(extent);
  }

  const ElementwisePlan& plan_for(const codegen::Lowering& space) const {
    std::string key = launch_.expression.key();
    space.loop.append_key(key);
    append_key(key, tiling_);
    return plans<ElementwisePlan>(device_).find(key, [&] { return make_plan(space.loop); });
  }
  std::shared_ptr<const ElementwisePlan> make_plan(const codegen::LoopClass& loop) const {
    launch_.expression.require_valid();
    codegen::ElementwiseText text =
        codegen::generate_elementwise(launch_.expression, loop, tiling_, dialect_);
    text.program = nullptr;  // explain() needs only the text
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

  PreparedLaunch::Slot slot_for(const ElementwiseParameter& parameter, const Part& part,
                                const codegen::Lowering& space) const {
    using What = PreparedLaunch::Slot::What;
    const std::size_t k = operand_number(parameter);
    PreparedLaunch::Slot slot{.what = What::number, .index = static_cast<std::uint8_t>(k)};
    switch (parameter.role) {
      case Role::output:
      case Role::leaf:
        // Without addresses the kernel adds the offset itself.
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
                          ? codegen::KernelOperand::Kind::output
                      : parameter.role == Role::position ? codegen::KernelOperand::Kind::position
                                                         : codegen::KernelOperand::Kind::leaf;
    const auto found = std::ranges::find_if(operands_, [&](const auto& operand) {
      return operand.kind == kind && operand.index == parameter.index;
    });
    return static_cast<std::size_t>(found - operands_.begin());
  }

  device::Device& device_;
  const ElementwiseLaunch& launch_;
  const codegen::Tiling& tiling_;
  const codegen::Dialect& dialect_;
  std::vector<codegen::KernelOperand> operands_;
  std::vector<std::int64_t> position_strides_;
};

}  // namespace

const ElementwisePlan& plan_elementwise(device::Device& device, const ElementwiseLaunch& launch) {
  return Launcher(device, launch).plan();
}

std::shared_ptr<const PreparedLaunch> prepare_elementwise(device::Device& device,
                                                          const ElementwiseLaunch& launch) {
  return Launcher(device, launch).prepared();
}

KernelNote launch_elementwise(device::Stream& stream, const ElementwiseLaunch& launch,
                              const device::Order& order) {
  LaunchKey key(device::slot_number<ElementwisePlan>, launch.arrays, launch.scalars.size());
  launch.expression.append_key(key.text());
  key.add(launch.extents);
  append_key(key.text(), tiling_of(stream.device(), launch.schedule));
  return launch_known(stream, launch, key, order,
                      [&] { return prepare_elementwise(stream.device(), launch); });
}

}  // namespace treadle::kernel
