// SPDX-License-Identifier: MIT
#include "treadle/kernel/elementwise_kernel.hpp"

#include <algorithm>

#include "launch_cache.hpp"
#include "treadle/base/error.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/device/event.hpp"
#include "treadle/kernel/program.hpp"
#include "treadle/kernel/tiling.hpp"

namespace treadle::kernel {
namespace {

using device::Argument;

codegen::TypeNames names_of(const device::Device& device, const ElementwiseOptions& options) {
  codegen::TypeNames types(codegen::dialect_of(device.info().language));
  for (const auto& [name, dtype] : options.types) types.add(name, dtype);
  return types;
}

const std::shared_ptr<device::Device>& there(const std::shared_ptr<device::Device>& device) {
  if (device == nullptr) throw InvalidArgument("an ElementwiseKernel needs a device");
  return device;
}

codegen::Snippet elementwise_snippet(std::vector<codegen::ParameterSpec> parameters,
                                     std::string operation, ElementwiseOptions& options) {
  return {.parameters = std::move(parameters),
          .operation = std::move(operation),
          .name = codegen::entry_name(options.name),
          .preamble = std::move(options.preamble),
          .loop_prep = std::move(options.loop_prep),
          .after_loop = std::move(options.after_loop)};
}

std::vector<ElementUse> elementwise_uses(const codegen::Snippet& snippet, bool is_one_for_one) {
  std::vector<ElementUse> uses = element_uses(snippet);
  if (is_one_for_one) make_one_for_one(uses, snippet.parameters, {snippet.operation});
  return uses;
}

}  // namespace

std::uint64_t ElementRange::count() const {
  if (step == 0) throw InvalidArgument("the step of a range of elements is 0");
  const std::int64_t span = step > 0 ? stop - start : start - stop;
  if (span <= 0) return 0;
  const auto length = static_cast<std::uint64_t>(step > 0 ? step : -step);
  return (static_cast<std::uint64_t>(span) + length - 1) / length;
}

Indices ElementRange::indices() const {
  const std::uint64_t all = count();
  if (all == 0) return {};
  const std::int64_t last = start + static_cast<std::int64_t>(all - 1) * step;
  return {std::min(start, last), std::max(start, last)};
}

ElementwiseKernel::ElementwiseKernel(std::shared_ptr<device::Device> device,
                                     std::string_view arguments, std::string operation,
                                     ElementwiseOptions options)
    : device_(there(device)),
      types_(names_of(*device_, options)),
      snippet_(elementwise_snippet(declared_parameters(arguments, types_, *device_),
                                   std::move(operation), options)),
      declared_(snippet_.parameters, "elementwise kernel " + options.name,
                elementwise_uses(snippet_, options.is_one_for_one)),
      flags_(std::move(options.flags)),
      tiling_(tiling_of(*device_, options.schedule)),
      launches_(std::make_unique<LaunchCache>(kept_launches)) {}
ElementwiseKernel::~ElementwiseKernel() = default;

bool ElementwiseKernel::mentions_element(std::string_view name) const {
  return codegen::mentions_element(snippet_.operation, name);
}

codegen::SnippetText ElementwiseKernel::generate(bool has_range, bool is_apart) const {
  codegen::Snippet snippet = snippet_;
  snippet.has_range = has_range;
  snippet.is_apart = is_apart;
  return codegen::generate_elementwise(snippet, tiling_,
                                       codegen::dialect_of(device_->info().language), types_);
}

/// Whether the first n elements of no two pointers overlap.
bool ElementwiseKernel::are_apart(std::span<const UserArgument> arguments, std::uint64_t n) const {
  const bool has_addresses = codegen::dialect_of(device_->info().language).has_addresses;
  const auto begin = [&](std::size_t i) {
    const device::Location& at = arguments[i].location();
    return at.offset + (has_addresses ? at.handle : 0);
  };
  const auto end = [&](std::size_t i) {
    return begin(i) + n * snippet_.parameters[i].dtype.size_bytes();
  };
  const auto is_memory = [&](std::size_t i) {
    return arguments[i].kind() == Argument::Kind::memory;
  };
  for (std::size_t i = 0; i < arguments.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      if (!is_memory(i) || !is_memory(j)) continue;
      if (!has_addresses && arguments[i].location().handle != arguments[j].location().handle)
        continue;
      if (begin(i) < end(j) && begin(j) < end(i)) return false;
    }
  return true;
}

const ElementwiseKernel::Form& ElementwiseKernel::form(bool has_range, bool is_apart) {
  const std::lock_guard lock(mutex_);
  std::optional<Form>& form = forms_[has_range ? 1 : 0][is_apart ? 1 : 0];
  if (!form) {
    const codegen::SnippetText made = generate(has_range, is_apart);
    const Program program(device_, made.text, {.flags = flags_, .source_name = snippet_.name});
    form.emplace(Form{program.kernel(snippet_.name), made.group_size, made.group_length});
    if (is_kept_by_device_) form->kernel.let_go_of_device();
  }
  return *form;
}

void ElementwiseKernel::let_go_of_device() {
  const std::lock_guard lock(mutex_);
  is_kept_by_device_ = true;
  for (auto& forms : forms_)
    for (std::optional<Form>& form : forms)
      if (form) form->kernel.let_go_of_device();
  device_ = std::shared_ptr<device::Device>(std::shared_ptr<void>(), device_.get());
}

void ElementwiseKernel::launch_arguments(device::Stream& stream, std::uint64_t n,
                                         std::span<const UserArgument> arguments,
                                         const device::Order& order) {
  const std::int64_t own[] = {static_cast<std::int64_t>(n)};
  run(stream, {0, own[0]}, own, arguments, order);
}

void ElementwiseKernel::launch_arguments(device::Stream& stream, const ElementRange& range,
                                         std::span<const UserArgument> arguments,
                                         const device::Order& order) {
  const std::int64_t own[] = {range.start, range.stop, range.step};
  run(stream, range, own, arguments, order);
}

void ElementwiseKernel::run(device::Stream& stream, const ElementRange& range,
                            std::span<const std::int64_t> own,
                            std::span<const UserArgument> arguments, const device::Order& order) {
  const std::uint64_t count = range.count();
  ReadArguments declared = declared_.read(arguments, range.indices(), *device_);
  const bool has_range = own.size() > 1;
  const bool is_apart =
      !has_range && tiling_.schedule == Schedule::wide && are_apart(arguments, count);
  LaunchKey key(0, {}, is_apart ? 1 : 0);
  key.add(own);
  launches_
      ->find(
          key,
          [&] {
            const Form& compiled = form(has_range, is_apart);
            const std::uint64_t length = compiled.group_length;
            PreparedLaunch::Step step{
                &compiled.kernel,
                {.groups = static_cast<unsigned>(count / length + (count % length != 0)),
                 .group_size = compiled.group_size},
                {}};
            for (const std::int64_t number : own)
              step.slots.push_back({.what = PreparedLaunch::Slot::What::number, .number = number});
            auto made = std::make_shared<PreparedLaunch>();
            made->steps.push_back(std::move(step));
            return made;
          })
      ->launch_behind(stream, declared.all(), {}, order);
}

}  // namespace treadle::kernel
