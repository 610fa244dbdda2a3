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
/// Of many tiles, so many times as many groups, because they take unequal times.
constexpr std::uint64_t tiles_per_group = 8;

}  // namespace

ReductionKernel::ReductionKernel(std::shared_ptr<device::Device> device, DType dtype,
                                 ReductionTexts texts, ReductionOptions options)
    : ReductionKernel(std::move(device),
                      {{std::move(dtype), std::move(texts.neutral), std::move(texts.reduce),
                        std::move(texts.map)}},
                      texts.arguments, std::move(options)) {}

ReductionKernel::ReductionKernel(std::shared_ptr<device::Device> device,
                                 std::vector<ReductionOutput> outputs, std::string_view arguments,
                                 ReductionOptions options)
    : device_(std::move(device)),
      types_(type_names(device_, options.types, "a ReductionKernel")),
      snippet_{.parameters = {},
               .outputs = std::move(outputs),
               .name = codegen::entry_name(options.name),
               .preamble = std::move(options.preamble)},
      flags_(std::move(options.flags)),
      schedule_(options.schedule.value_or(device_->info().traits.schedule)) {
  if (snippet_.outputs.empty())
    throw InvalidArgument("reduction kernel " + snippet_.name + " has no results",
                          "give at least one output");
  const bool has_addresses = codegen::dialect_of(device_->info().language).has_addresses;
  snippet_.parameters = codegen::parse_parameters(
      arguments, types_, has_addresses ? codegen::Offsets::none : codegen::Offsets::passed);
  generate({});
}

bool ReductionKernel::mentions_element(std::string_view name) const {
  return std::ranges::any_of(snippet_.outputs, [&](const ReductionOutput& output) {
    return codegen::mentions_element(output.map, name);
  });
}

codegen::ReductionSnippetText ReductionKernel::generate(
    const codegen::ReductionSnippetForm& form) const {
  return codegen::generate_reduction_snippet(snippet_, form, codegen::tiling_of(schedule_),
                                             codegen::dialect_of(device_->info().language), types_);
}

codegen::ReductionSnippetForm ReductionKernel::form_for(const FoldedAxis& axis) const {
  return codegen::form_of_snippet(axis.length, axis.inner, codegen::tiling_of(schedule_));
}

std::string ReductionKernel::text(const FoldedAxis& axis) const {
  return generate(form_for(axis)).text;
}

const ReductionKernel::Form& ReductionKernel::form(const codegen::ReductionSnippetForm& wanted) {
  const std::lock_guard lock(mutex_);
  for (const Form& made : forms_)
    if (made.form == wanted) return made;
  const codegen::ReductionSnippetText made = generate(wanted);
  const Program program(device_, made.text, {.flags = flags_, .source_name = snippet_.name});
  return forms_.emplace_back(Form{wanted, program.kernel(snippet_.name), made.group_size, made.tile,
                                  made.group_length, made.partial_bytes});
}

void ReductionKernel::launch_all(device::Stream& stream, const ElementRange& range,
                                 std::span<const device::Argument> results,
                                 std::span<const device::Argument> arguments,
                                 const device::Order& order) {
  launch({}, stream, {static_cast<std::int64_t>(range.count()), range.start, range.step, 1, 1},
         results, arguments, order);
}

void ReductionKernel::launch_along(device::Stream& stream, const FoldedAxis& axis,
                                   std::span<const device::Argument> results,
                                   std::span<const device::Argument> arguments,
                                   const device::Order& order) {
  launch(form_for(axis), stream,
         {static_cast<std::int64_t>(axis.length), 0, static_cast<std::int64_t>(axis.inner),
          axis.results(), axis.inner},
         results, arguments, order);
}

void ReductionKernel::require_memory(std::span<const device::Argument> results) const {
  if (results.size() != snippet_.outputs.size())
    throw InvalidArgument("reduction kernel " + snippet_.name + " has " +
                              std::to_string(snippet_.outputs.size()) + " results, and was given " +
                              std::to_string(results.size()),
                          "pass memory for each output");
  for (const device::Argument& result : results)
    if (result.kind() != device::Argument::Kind::memory)
      throw InvalidArgument("the result of reduction kernel " + snippet_.name + " is no memory",
                            "pass a Buffer for it");
}

/// Appends what the kernel takes for its results; `offsets` keeps what it refers to.
void ReductionKernel::append_results(std::vector<device::Argument>& all,
                                     std::vector<std::int64_t>& offsets,
                                     std::span<const device::Argument> results) const {
  const bool has_addresses = codegen::dialect_of(device_->info().language).has_addresses;
  offsets.reserve(results.size());
  for (std::size_t k = 0; k < results.size(); ++k) {
    if (has_addresses) {
      all.push_back(results[k]);
      continue;
    }
    offsets.push_back(static_cast<std::int64_t>(
        element_offset(results[k].location(), snippet_.outputs[k].dtype)));
    all.push_back(results[k].from_start());
    all.emplace_back(offsets.back());
  }
}

void ReductionKernel::launch(const codegen::ReductionSnippetForm& wanted, device::Stream& stream,
                             const Elements& elements, std::span<const device::Argument> results,
                             std::span<const device::Argument> arguments,
                             const device::Order& order) {
  require_memory(results);
  DeclaredArguments declared(snippet_.parameters, "reduction kernel " + snippet_.name);
  declared.read(arguments, *device_);
  if (elements.results == 0) return;
  const Form& compiled = form(wanted);
  const device::DeviceInfo& info = device_->info();
  const std::uint64_t units = std::max(info.performance.compute_units, 1u);
  const std::uint64_t most =
      schedule_ == Schedule::wide ? units * most_groups_per_unit : most_chunks_of_snippet;
  const std::uint64_t tiles = codegen::tiles_of_snippet(
      elements.results, elements.inner, compiled.tile, codegen::tiling_of(schedule_));
  // Results that are few share the device's groups; many are dealt round.
  const auto splits = static_cast<unsigned>(
      std::clamp<std::uint64_t>(static_cast<std::uint64_t>(elements.length) / compiled.group_length,
                                1, std::max<std::uint64_t>(1, most / tiles)));
  const auto groups =
      static_cast<unsigned>(splits > 1 ? tiles * splits : std::min(tiles, most * tiles_per_group));
  const std::int64_t numbers[] = {elements.length,
                                  elements.start,
                                  elements.step,
                                  static_cast<std::int64_t>(elements.results),
                                  static_cast<std::int64_t>(elements.inner),
                                  static_cast<std::int64_t>(tiles)};
  std::vector<std::int64_t> offsets;
  std::vector<device::Argument>& all = declared.all();
  for (const std::int64_t& number : numbers) all.emplace_back(number);
  append_results(all, offsets, results);
  all.emplace_back(groups);
  all.emplace_back(splits);
  // What was put off and reads an argument may be a reduction, which wants the same workspace.
  stream.before_launch(compiled.kernel, all);
  const std::uint64_t partials = splits > 1 ? std::uint64_t{groups} * compiled.tile : 1;
  const WorkspaceSize size = {partials * compiled.partial_bytes, splits > 1 ? tiles : 1};
  with_workspace(stream, size, [&](const Workspace& workspace) {
    all.emplace_back(workspace.partials);
    all.emplace_back(workspace.tickets);
    stream.launch_arguments(compiled.kernel, {.groups = groups, .group_size = compiled.group_size},
                            all, order);
  });
}

}  // namespace treadle::kernel
