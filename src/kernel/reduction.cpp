// SPDX-License-Identifier: MIT
#include "treadle/kernel/reduction.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "launch_cache.hpp"
#include "plan_table.hpp"
#include "reduction_slots.hpp"
#include "treadle/base/error.hpp"
#include "treadle/base/layout.hpp"
#include "treadle/device/device.hpp"
#include "treadle/kernel/tiling.hpp"

namespace treadle::kernel {
namespace {

using codegen::KernelOperand;
using codegen::ReductionParameter;
using Strides = std::vector<std::int64_t>;
using ReductionRole = ReductionParameter::Role;

/// One reduction on one device.
class Reducer {
 public:
  Reducer(device::Device& device, const ReductionLaunch& launch)
      : device_(device),
        launch_(launch),
        tiling_(tiling_of(device, launch.schedule)),
        dialect_(codegen::dialect_of(device.info().language)),
        operands_(codegen::operands_of(launch.expression)) {
    divide_axes();
    require_fit();
    lay_out();
    lowering_ = codegen::lower_reduction(
        kept_extents_, folded_extents_, layouts_,
        codegen::target_of(launch.expression, tiling_, device.info().performance.compute_units));
  }

  const ReductionPlan& plan() const {
    std::string key = launch_.expression.key();
    lowering_.loop.append_key(key);
    append_key(key, tiling_);
    return plans<ReductionPlan>(device_).find(key, [&] { return make_plan(); });
  }

  std::shared_ptr<const PreparedLaunch> prepared() const {
    require_elements();
    if (lowering_.groups == 0) return nullptr;
    const ReductionPlan& chosen = plan();
    PreparedLaunch made =
        ReductionSlots{operands_, arrays_, lowering_, dialect_.has_addresses}.prepared(
            chosen.kernel, chosen.text, codegen::bytes_of_partial(launch_.expression));
    made.note = note_of(chosen);
    return std::make_shared<const PreparedLaunch>(std::move(made));
  }

 private:
  void divide_axes() {
    is_folded_.resize(launch_.extents.size());
    for (const std::size_t axis : launch_.axes) {
      if (axis >= is_folded_.size() || is_folded_[axis])
        throw InvalidArgument("axis " + std::to_string(axis) + " of a reduction over " +
                                  std::to_string(is_folded_.size()) + " axes",
                              "name each axis once");
      is_folded_[axis] = true;
    }
    for (std::size_t axis = 0; axis < is_folded_.size(); ++axis)
      (is_folded_[axis] ? folded_extents_ : kept_extents_).push_back(launch_.extents[axis]);
  }

  void require_fit() const {
    const auto require = [](std::size_t given, std::size_t taken, const char* what) {
      if (given != taken)
        throw InvalidArgument("a reduction was given " + std::to_string(given) + " " + what +
                                  ", and has " + std::to_string(taken),
                              "pass leaves, then outputs, then leaves of the epilogue");
    };
    const auto arrays = std::ranges::count_if(operands_, &KernelOperand::is_memory);
    require(launch_.arrays.size(), static_cast<std::size_t>(arrays), "arrays");
    require(launch_.scalars.size(),
            launch_.expression.map.scalars.size() + launch_.expression.epilogue.scalars.size(),
            "scalars");
    std::size_t k = 0;
    for (const KernelOperand& operand : operands_) {
      if (!operand.is_memory()) continue;
      const auto& strides = launch_.arrays[k++].strides;
      require(strides.size(),
              operand.is_of_elements() ? launch_.extents.size() : kept_extents_.size(),
              "strides of an array");
      if (operand.kind != KernelOperand::Kind::output) continue;
      for (std::size_t axis = 0; axis < strides.size(); ++axis)
        if (strides[axis] == 0 && kept_extents_[axis] > 1)
          throw InvalidArgument("a result has stride 0 along axis " + std::to_string(axis) +
                                    " of length " + std::to_string(kept_extents_[axis]),
                                "write to memory that has an element for each result");
    }
  }

  void require_elements() const {
    if (std::ranges::find(folded_extents_, 0) == folded_extents_.end()) return;
    if (std::ranges::find(kept_extents_, 0) != kept_extents_.end()) return;
    for (const codegen::Fold fold : launch_.expression.folds)
      if (!codegen::has_neutral(fold))
        throw ShapeError(std::string(codegen::fold_name(fold)) + " of no elements",
                         "it has no value; reduce along axes that are not empty");
  }

  /// Collects the strides of each operand along the kept and the folded axes. A position is laid
  /// out like an operand whose elements equal their own addresses.
  void lay_out() {
    strides_.resize(2 * operands_.size());
    layouts_.reserve(operands_.size());
    arrays_.resize(operands_.size());
    std::size_t array = 0;
    for (std::size_t k = 0; k < operands_.size(); ++k) {
      const KernelOperand& operand = operands_[k];
      Strides &kept = strides_[2 * k], &folded = strides_[2 * k + 1];
      if (operand.is_of_elements()) {
        const Strides positions = operand.is_memory()
                                      ? Strides{}
                                      : positions_of(operand.kind == KernelOperand::Kind::position);
        const std::span<const std::int64_t> all =
            operand.is_memory() ? launch_.arrays[array].strides : positions;
        for (std::size_t axis = 0; axis < all.size(); ++axis)
          (is_folded_[axis] ? folded : kept).push_back(all[axis]);
      } else {
        kept.assign(launch_.arrays[array].strides.begin(), launch_.arrays[array].strides.end());
      }
      if (operand.is_memory()) arrays_[k] = array++;
      const device::Location at =
          operand.is_memory() ? launch_.arrays[arrays_[k]].location : device::Location{};
      // A handle without addresses stands for a whole allocation, and allocations are aligned.
      layouts_.push_back({kept, folded, operand.is_memory() ? operand.dtype.size_bytes() : 0,
                          (dialect_.has_addresses ? at.handle : 0) + at.offset,
                          operand.is_of_elements(), operand.is_indirect});
    }
  }
  /// The strides of the position in the whole space, or of the place along the folded axes.
  Strides positions_of(bool whole) const {
    Strides strides(launch_.extents.size());
    std::int64_t step = 1;
    for (std::size_t axis = strides.size(); axis-- > 0;) {
      if (!whole && !is_folded_[axis]) continue;
      strides[axis] = step;
      step *= launch_.extents[axis];
    }
    return strides;
  }

  std::shared_ptr<const ReductionPlan> make_plan() const {
    launch_.expression.require_valid();
    codegen::ReductionText text =
        codegen::generate_reduction(launch_.expression, lowering_.loop, tiling_, dialect_);
    text.program = nullptr;  // explain() needs only the text
    std::size_t bytes = 0;
    for (const ReductionParameter& parameter : text.parameters)
      bytes += is_pointer(parameter) ? sizeof(std::uint64_t) : DType(parameter.dtype).size_bytes();
    const auto [kernel, origin, seconds] = load_text(device_, text.text, text.name, bytes);
    return std::make_shared<ReductionPlan>(ReductionPlan{std::move(text), kernel, origin, seconds});
  }
  static bool is_pointer(const ReductionParameter& parameter) {
    return parameter.role == ReductionRole::pointer || parameter.role == ReductionRole::partials ||
           parameter.role == ReductionRole::tickets;
  }

  KernelNote note_of(const ReductionPlan& plan) const {
    KernelNote note{&plan.text.name, &plan.text.text};
    for (std::size_t k = 0; k < operands_.size(); ++k) {
      if (!operands_[k].is_memory()) continue;
      const std::uint64_t bytes =
          distinct_bytes(operands_[k].is_of_elements() ? launch_.extents : std::span(kept_extents_),
                         launch_.arrays[arrays_[k]].strides, operands_[k].dtype.size_bytes());
      (operands_[k].kind == KernelOperand::Kind::output ? note.bytes_written : note.bytes_read) +=
          bytes;
    }
    const auto count = [](Extents extents) {
      return static_cast<std::uint64_t>(element_count(extents));
    };
    note.instructions = launch_.expression.map.cost() * count(launch_.extents) +
                        launch_.expression.epilogue.cost() * count(kept_extents_);
    return note;
  }

  device::Device& device_;
  const ReductionLaunch& launch_;
  const codegen::Tiling& tiling_;
  const codegen::Dialect& dialect_;
  std::vector<KernelOperand> operands_;
  std::vector<bool> is_folded_;  ///< for each axis
  Strides kept_extents_, folded_extents_;
  std::vector<Strides> strides_;     ///< kept and folded strides of each operand
  std::vector<std::size_t> arrays_;  ///< the number of each operand's array in the launch
  std::vector<codegen::ReducedLayout> layouts_;
  codegen::ReductionLowering lowering_;
};

}  // namespace

std::int64_t ReductionSlots::first_element(std::size_t k) const {
  std::int64_t first = lowering.kept.offsets[k];
  if (operands[k].is_of_elements()) first += lowering.folded.offsets[k];
  return first;
}

PreparedLaunch::Slot ReductionSlots::slot_for(const ReductionParameter& parameter) const {
  using What = PreparedLaunch::Slot::What;
  const std::size_t k = parameter.index;
  PreparedLaunch::Slot slot{.what = What::number};
  const auto of_array = [&](What what) {
    slot.what = what;
    slot.index = static_cast<std::uint8_t>(arrays[k]);
    slot.number = first_element(k) * static_cast<std::int64_t>(operands[k].dtype.size_bytes());
    slot.element = operands[k].dtype;
  };
  switch (parameter.role) {
    case ReductionRole::pointer:
      // Without addresses the kernel adds the offset itself.
      of_array(has_addresses ? What::address : What::handle);
      return slot;
    case ReductionRole::partials:
    case ReductionRole::tickets:
      slot.what = parameter.role == ReductionRole::partials ? What::partials : What::tickets;
      return slot;
    case ReductionRole::offset:
      if (is_text && operands[k].is_of_elements())
        slot.number = start + first_element(k);
      else
        of_array(What::offset);
      break;
    case ReductionRole::first:
      slot.number = start + first_element(k);
      break;
    case ReductionRole::count:
      slot.number = count;
      break;
    case ReductionRole::scalar:
      slot.what = What::scalar;
      slot.index = static_cast<std::uint8_t>(k);
      slot.kind = scalar_argument(parameter.dtype, nullptr).value_kind();
      break;
    default:
      slot.number = static_cast<std::int64_t>(lowering.value(parameter));
      break;
  }
  slot.size_bytes = static_cast<std::uint8_t>(DType(parameter.dtype).size_bytes());
  return slot;
}

PreparedLaunch ReductionSlots::prepared(const device::Kernel& kernel,
                                        const codegen::ReductionText& text,
                                        std::size_t partial_bytes) const {
  PreparedLaunch made;
  if (lowering.loop.is_split)
    made.workspace = {lowering.groups * lowering.tile_partials * partial_bytes, lowering.tiles};
  PreparedLaunch::Step& step = made.steps.emplace_back(PreparedLaunch::Step{
      &kernel,
      {.groups = static_cast<unsigned>(lowering.groups), .group_size = lowering.group_size},
      {}});
  step.slots.reserve(text.parameters.size());
  for (const ReductionParameter& parameter : text.parameters)
    step.slots.push_back(slot_for(parameter));
  return made;
}

const ReductionPlan& plan_reduction(device::Device& device, const ReductionLaunch& launch) {
  return Reducer(device, launch).plan();
}

std::shared_ptr<const PreparedLaunch> prepare_reduction(device::Device& device,
                                                        const ReductionLaunch& launch) {
  return Reducer(device, launch).prepared();
}

KernelNote launch_reduction(device::Stream& stream, const ReductionLaunch& launch,
                            const device::Order& order) {
  LaunchKey key(device::slot_number<ReductionPlan>, launch.arrays, launch.scalars.size());
  key.text() += launch.expression.key();
  key.add(launch.extents);
  key.add(launch.axes);
  append_key(key.text(), tiling_of(stream.device(), launch.schedule));
  return launch_known(stream, launch, key, order,
                      [&] { return prepare_reduction(stream.device(), launch); });
}

}  // namespace treadle::kernel
