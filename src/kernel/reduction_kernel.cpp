// SPDX-License-Identifier: MIT
#include "treadle/kernel/reduction_kernel.hpp"

#include <algorithm>

#include "declared_arguments.hpp"
#include "plan_table.hpp"
#include "treadle/base/error.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/snippet.hpp"
#include "treadle/kernel/program.hpp"
#include "treadle/kernel/workspace.hpp"

namespace treadle::kernel {
namespace {

/// Groups for each compute unit at most: one work-item each, or a full one.
constexpr std::uint64_t most_groups_per_unit = 8, most_chunks_of_snippet = 4096;

codegen::TypeNames names_for(const std::shared_ptr<device::Device>& device,
                             const ReductionOptions& options) {
  if (device == nullptr) throw InvalidArgument("a ReductionKernel needs a device");
  codegen::TypeNames types(codegen::dialect_of(device->info().language));
  for (const auto& [name, dtype] : options.types) types.prefer(name, dtype);
  return types;
}

}  // namespace

ReductionKernel::ReductionKernel(std::shared_ptr<device::Device> device, DType dtype,
                                 ReductionTexts texts, ReductionOptions options)
    : device_(std::move(device)),
      types_(names_for(device_, options)),
      snippet_{.parameters = {},
               .dtype = std::move(dtype),
               .neutral = std::move(texts.neutral),
               .reduce = std::move(texts.reduce),
               .map = std::move(texts.map),
               .name = codegen::entry_name(options.name),
               .preamble = std::move(options.preamble)},
      flags_(std::move(options.flags)),
      schedule_(options.schedule.value_or(device_->info().traits.schedule)) {
  const bool has_addresses = codegen::dialect_of(device_->info().language).has_addresses;
  snippet_.parameters = codegen::parse_parameters(
      texts.arguments, types_, has_addresses ? codegen::Offsets::none : codegen::Offsets::passed);
  generate();
}

bool ReductionKernel::mentions_element(std::string_view name) const {
  return codegen::mentions_element(snippet_.map, name);
}

codegen::ReductionSnippetText ReductionKernel::generate() const {
  return codegen::generate_reduction_snippet(snippet_, codegen::tiling_of(schedule_),
                                             codegen::dialect_of(device_->info().language), types_);
}

const ReductionKernel::Form& ReductionKernel::form() {
  const std::lock_guard lock(mutex_);
  if (!form_) {
    const codegen::ReductionSnippetText made = generate();
    const Program program(device_, made.text, {.flags = flags_, .source_name = snippet_.name});
    form_.emplace(Form{program.kernel(snippet_.name), made.group_size, made.group_length});
  }
  return *form_;
}

void ReductionKernel::launch_arguments(device::Stream& stream, const ElementRange& range,
                                       const device::Argument& result,
                                       std::span<const device::Argument> arguments,
                                       const device::Order& order) {
  if (result.kind() != device::Argument::Kind::memory)
    throw InvalidArgument("the result of reduction kernel " + snippet_.name + " is no memory",
                          "pass a Buffer for it");
  DeclaredArguments declared(snippet_.parameters, "reduction kernel " + snippet_.name);
  declared.read(arguments, *device_);
  const Form& compiled = form();
  const device::DeviceInfo& info = device_->info();
  const std::uint64_t units = std::max(info.performance.compute_units, 1u);
  const std::uint64_t most =
      schedule_ == Schedule::wide ? units * most_groups_per_unit : most_chunks_of_snippet;
  const auto count = static_cast<std::int64_t>(range.count());
  const auto groups = static_cast<unsigned>(
      std::clamp<std::uint64_t>(range.count() / compiled.group_length, 1, most));
  const std::int64_t numbers[] = {count, range.start, range.step};
  const bool has_addresses = codegen::dialect_of(info.language).has_addresses;
  std::int64_t offset = 0;
  std::vector<device::Argument>& all = declared.all();
  for (const std::int64_t& number : numbers) all.emplace_back(number);
  if (has_addresses) {
    all.push_back(result);
  } else {
    offset = static_cast<std::int64_t>(element_offset(result.location(), snippet_.dtype));
    all.push_back(result.from_start());
    all.emplace_back(offset);
  }
  all.emplace_back(groups);
  // What was put off and reads an argument may be a reduction, which wants the same workspace.
  stream.before_launch(compiled.kernel, all);
  with_workspace(
      stream, {groups * snippet_.dtype.size_bytes(), 1}, [&](const Workspace& workspace) {
        all.emplace_back(workspace.partials);
        all.emplace_back(workspace.tickets);
        stream.launch_arguments(compiled.kernel,
                                {.groups = groups, .group_size = compiled.group_size}, all, order);
      });
}

}  // namespace treadle::kernel
