// SPDX-License-Identifier: MIT
#include "device/launch_check.hpp"

#include <algorithm>
#include <utility>

#include "process/launch_ring.hpp"
#include "treadle/base/error.hpp"
#include "treadle/base/near_match.hpp"
#include "treadle/device/device.hpp"

namespace treadle::device {
namespace {

std::string bytes_text(std::size_t bytes) {
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

std::string kernel_text(const Kernel& kernel) { return "kernel \"" + kernel.name() + "\": "; }

std::string kind_text(ParameterKind kind) {
  switch (kind) {
    case ParameterKind::integer:
      return "an integer";
    case ParameterKind::floating:
      return "a floating-point number";
    case ParameterKind::memory:
      return "device memory";
    case ParameterKind::local:
      return "local memory";
    case ParameterKind::structure:
      return "a structure";
    case ParameterKind::unknown:
      break;
  }
  return "a value";
}

std::string argument_text(const Argument& argument) {
  if (argument.kind() == Argument::Kind::memory) return kind_text(ParameterKind::memory);
  if (argument.kind() == Argument::Kind::local) return kind_text(ParameterKind::local);
  return kind_text(argument.value_kind()) + " of " + bytes_text(argument.size_bytes());
}

[[noreturn]] void refuse_count(const Kernel& kernel, std::size_t given) {
  const auto& parameters = kernel.parameters();
  std::string text = kernel_text(kernel) + std::to_string(given) +
                     (given == 1 ? " argument" : " arguments") + " for " +
                     std::to_string(parameters.size()) +
                     (parameters.size() == 1 ? " parameter" : " parameters");
  if (given < parameters.size())
    text += "; the first missing one is parameter " + std::to_string(given) +
            parameter_text(parameters[given]);
  throw InvalidArgument(std::move(text));
}

std::string mismatch(const Kernel& kernel, std::size_t index, const Argument& argument) {
  return kernel_text(kernel) + "argument " + std::to_string(index) + " is " +
         argument_text(argument) + ", parameter " + std::to_string(index) +
         parameter_text(kernel.parameters()[index]) + " takes ";
}

[[noreturn]] void refuse_size(const Kernel& kernel, std::size_t index, const Argument& argument) {
  throw InvalidArgument(
      mismatch(kernel, index, argument) + bytes_text(kernel.parameters()[index].size_bytes),
      "pass a value of the parameter's own type");
}

[[noreturn]] void refuse_kind(const Kernel& kernel, std::size_t index, const Argument& argument) {
  const ParameterKind kind = kernel.parameters()[index].kind;
  throw DTypeError(mismatch(kernel, index, argument) + kind_text(kind),
                   kind == ParameterKind::local ? "pass Local{bytes}"
                                                : "pass a value of the parameter's own type");
}

bool kinds_fit(ParameterKind parameter, const Argument& argument) {
  const bool is_memory = argument.kind() == Argument::Kind::memory;
  if (argument.kind() == Argument::Kind::local) return parameter == ParameterKind::local;
  switch (parameter) {
    case ParameterKind::memory:
      return is_memory;
    case ParameterKind::local:
      return false;
    case ParameterKind::integer:
      return !is_memory && argument.value_kind() != ParameterKind::floating;
    case ParameterKind::floating:
      return !is_memory && argument.value_kind() != ParameterKind::integer;
    case ParameterKind::structure:
      return !is_memory;
    case ParameterKind::unknown:
      break;
  }
  return true;
}

void check_memory(const Kernel& kernel, std::size_t index, const Argument& argument,
                  const Device& device) {
  if (argument.device() != nullptr && argument.device() != &device)
    throw InvalidArgument(kernel_text(kernel) + "argument " + std::to_string(index) +
                          " is memory of " + argument.device()->info().id + ", the stream is of " +
                          device.info().id);
  const std::size_t alignment = device.info().limits.offset_alignment;
  if (alignment > 1 && argument.location().offset % alignment != 0)
    throw InvalidArgument(kernel_text(kernel) + "argument " + std::to_string(index) +
                              " begins at byte " + std::to_string(argument.location().offset) +
                              " of its allocation; " + device.info().id + " takes multiples of " +
                              std::to_string(alignment),
                          "pass the start of the memory, and the offset as a value");
}

void check_arguments(const Kernel& kernel, std::span<const Argument> arguments,
                     const Device& device) {
  const bool known = kernel.parameters_known();
  const auto& parameters = kernel.parameters();
  if (known && arguments.size() != parameters.size()) refuse_count(kernel, arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Argument& argument = arguments[i];
    if (argument.kind() == Argument::Kind::memory) check_memory(kernel, i, argument, device);
    if (!known) continue;
    const Parameter& parameter = parameters[i];
    if (!kinds_fit(parameter.kind, argument)) refuse_kind(kernel, i, argument);
    const bool has_size = parameter.size_bytes != 0 && argument.kind() != Argument::Kind::local;
    if (has_size && parameter.size_bytes != argument.size_bytes()) refuse_size(kernel, i, argument);
  }
}

[[noreturn]] void refuse_group_items(const Kernel& kernel, const LaunchShape& shape) {
  const KernelState& state = kernel.state();
  const unsigned device_limit = state.device->info().limits.max_group_items;
  std::string text = kernel_text(kernel) + "a group of " + extent_text(shape.group_size) + " = " +
                     std::to_string(shape.group_size.count()) + " work-items, the ";
  const bool is_of_kernel = state.resources.max_group_items < device_limit;
  text += is_of_kernel ? "kernel allows " : "device allows ";
  text += std::to_string(state.resources.max_group_items);
  if (is_of_kernel && !state.group_limit_reason.empty())
    text += " (" + state.group_limit_reason + ")";
  throw InvalidArgument(std::move(text), "launch more and smaller groups");
}

void check_extent(const Kernel& kernel, const char* what, const Extent& extent,
                  const Extent& limit) {
  const auto check = [&](char axis, unsigned size, unsigned allowed) {
    if (size > allowed)
      throw InvalidArgument(kernel_text(kernel) + what + "." + axis + " is " +
                            std::to_string(size) + ", the device allows " +
                            std::to_string(allowed));
  };
  check('x', extent.x, limit.x);
  check('y', extent.y, limit.y);
  check('z', extent.z, limit.z);
}

void check_shape(const Kernel& kernel, const LaunchShape& shape, const DeviceInfo& info) {
  if (shape.group_size.count() == 0)
    throw InvalidArgument(kernel_text(kernel) + "a group of " + extent_text(shape.group_size) +
                          " has no work-items");
  if (shape.group_size.count() > kernel.max_group_items()) refuse_group_items(kernel, shape);
  check_extent(kernel, "groups", shape.groups, info.limits.max_groups);
  check_extent(kernel, "group_size", shape.group_size, info.limits.max_group_size);
  if (shape.local_bytes != 0 && !info.traits.shape_local_memory)
    throw InvalidArgument(kernel_text(kernel) + "local_bytes is " +
                              std::to_string(shape.local_bytes) + ", and " + info.id +
                              " takes dynamic local memory as an argument",
                          "pass Local{bytes} for a __local pointer");
  if (shape.cooperative && !info.traits.cooperative_launch)
    throw NotSupported(kernel_text(kernel) + "it is launched as a cooperative one, and groups on " +
                           info.id + " (" + info.runtime + ") cannot meet",
                       "end the kernel where they would, and launch the rest as another");
}

/// Every kind of argument there is, without a value.
std::vector<Argument> all_kinds() {
  std::vector<Argument> all = {Location{}, Local{0}};
  for (const ParameterKind kind :
       {ParameterKind::unknown, ParameterKind::integer, ParameterKind::floating,
        ParameterKind::memory, ParameterKind::local, ParameterKind::structure})
    all.emplace_back(nullptr, 0, kind);
  return all;
}

LaunchPlan::Slot slot_for(const Parameter& parameter) {
  LaunchPlan::Slot slot{static_cast<std::uint32_t>(parameter.size_bytes), 0};
  for (const Argument& argument : all_kinds())
    if (kinds_fit(parameter.kind, argument)) slot.takes |= argument.mark();
  return slot;
}

LaunchPlan plan_for(const KernelState& kernel) {
  const DeviceInfo& info = kernel.device->info();
  const auto& parameters = kernel.parameters;
  LaunchPlan plan;
  plan.device = kernel.parameters_known ? kernel.device.get() : nullptr;
  plan.slots = std::make_unique<LaunchPlan::Slot[]>(parameters.size());
  plan.slot_count = static_cast<std::uint32_t>(parameters.size());
  std::ranges::transform(parameters, plan.slots.get(), slot_for);
  plan.max_groups = info.limits.max_groups;
  plan.max_group_size = info.limits.max_group_size;
  plan.max_group_items = kernel.resources.max_group_items;
  plan.offset_alignment =
      static_cast<unsigned>(std::max<std::size_t>(info.limits.offset_alignment, 1));
  plan.has_shape_local_memory = info.traits.shape_local_memory;
  plan.has_cooperative_launch = info.traits.cooperative_launch;
  return plan;
}

bool is_within(const Extent& extent, const Extent& limit) noexcept {
  return extent.x <= limit.x && extent.y <= limit.y && extent.z <= limit.z;
}

bool is_memory_for(const LaunchPlan& plan, const Argument& argument) noexcept {
  const bool is_own = argument.device() == nullptr || argument.device() == plan.device;
  // A division is slow, and nearly all memory is passed from its start.
  const std::uint64_t offset = argument.location().offset;
  return is_own && (offset == 0 || offset % plan.offset_alignment == 0);
}

/// Whether nothing is wrong. If not, or if it cannot be said so quickly, check_at_length() tells.
bool fits(const LaunchPlan& plan, const LaunchShape& shape, std::span<const Argument> arguments,
          const Device& device) noexcept {
  const std::uint64_t items = shape.group_size.count();
  if (plan.device != &device || plan.slot_count != arguments.size() || items == 0 ||
      items > plan.max_group_items || !is_within(shape.groups, plan.max_groups) ||
      !is_within(shape.group_size, plan.max_group_size) ||
      (shape.local_bytes != 0 && !plan.has_shape_local_memory) ||
      (shape.cooperative && !plan.has_cooperative_launch))
    return false;
  const LaunchPlan::Slot* slot = plan.slots.get();
  for (const Argument& argument : arguments) {
    const bool has_size = slot->size_bytes == 0 || slot->size_bytes == argument.size_bytes();
    if ((slot->takes & argument.mark()) == 0 || !has_size) return false;
    if (argument.kind() == Argument::Kind::memory && !is_memory_for(plan, argument)) return false;
    ++slot;
  }
  return true;
}

/// Throws what is wrong, if anything is.
[[gnu::cold]] void check_at_length(const Kernel& kernel, const LaunchShape& shape,
                                   std::span<const Argument> arguments, const Device& device) {
  if (&kernel.device() != &device)
    throw InvalidArgument(kernel_text(kernel) + "it is loaded on " + kernel.device().info().id +
                          ", the stream is of " + device.info().id);
  check_arguments(kernel, arguments, device);
  check_shape(kernel, shape, device.info());
}

}  // namespace

Kernel::Kernel(std::shared_ptr<KernelState> state)
    : lasting_name_(treadle::lasting_name(state->name)) {
  state->plan = plan_for(*state);
  state_ = std::move(state);
}

void Kernel::let_go_of_device() noexcept {
  Device* const device = state_->device.get();
  state_->device = std::shared_ptr<Device>(std::shared_ptr<void>(), device);
}

std::optional<unsigned> Kernel::groups_per_compute_unit(unsigned group_items,
                                                        std::size_t local_bytes) const {
  if (!device().info().traits.kernel_occupancy) return std::nullopt;
  if (group_items == 0 || group_items > max_group_items()) return 0;
  return state_->resident_groups(group_items, local_bytes);
}

std::string parameter_text(const Parameter& parameter) {
  if (parameter.name.empty()) return {};
  return " (" + (parameter.type.empty() ? "" : parameter.type + " ") + parameter.name + ")";
}

void check_launch(const Kernel& kernel, const LaunchShape& shape,
                  std::span<const Argument> arguments, const Device& device) {
  if (!fits(kernel.state().plan, shape, arguments, device)) [[unlikely]]
    check_at_length(kernel, shape, arguments, device);
}

void raise_unknown_kernel(std::string_view name, const std::vector<std::string>& names) {
  const auto quoted = [](const std::vector<std::string>& list) {
    std::string text;
    for (const std::string& one : list)
      text.append(text.empty() ? "\"" : ", \"").append(one) += '"';
    return text;
  };
  std::string text = "the module has no kernel \"" + std::string(name) + "\"";
  if (const auto nearest = near_matches(name, names); !nearest.empty())
    text += "; near it: " + quoted(nearest);
  else if (!names.empty() && names.size() <= 8)
    text += "; it has " + quoted(names);
  throw InvalidArgument(std::move(text));
}

}  // namespace treadle::device
