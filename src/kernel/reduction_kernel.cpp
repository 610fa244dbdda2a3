// SPDX-License-Identifier: MIT
#include "treadle/kernel/reduction_kernel.hpp"

#include <algorithm>
#include <numeric>

#include "launch_cache.hpp"
#include "reduction_slots.hpp"
#include "treadle/base/error.hpp"
#include "treadle/codegen/snippet.hpp"
#include "treadle/kernel/program.hpp"
#include "treadle/kernel/tiling.hpp"

namespace treadle::kernel {
namespace {

/// text() and compile() make the kernel for this number of elements, which is enough work for every
/// device.
constexpr std::int64_t many_elements = 1 << 24;

codegen::ReadReduction read(const std::shared_ptr<device::Device>& device,
                            std::vector<ReductionOutput> outputs, std::string_view arguments,
                            ReductionOptions& options) {
  codegen::TypeNames types = type_names(device, options.types, "a ReductionKernel");
  const codegen::Dialect& dialect = codegen::dialect_of(device->info().language);
  codegen::ReductionSnippet snippet{.parameters = declared_parameters(arguments, types, *device),
                                    .outputs = std::move(outputs),
                                    .name = codegen::entry_name(options.name),
                                    .preamble = std::move(options.preamble)};
  if (snippet.outputs.empty())
    throw InvalidArgument("reduction kernel " + snippet.name + " has no results",
                          "give at least one output");
  return {std::move(snippet), dialect, std::move(types)};
}

std::vector<codegen::ParameterSpec> result_parameters(const std::vector<ReductionOutput>& outputs) {
  std::vector<codegen::ParameterSpec> all;
  for (const ReductionOutput& output : outputs)
    all.push_back({codegen::ParameterSpec::Kind::vector, output.dtype, "result"});
  return all;
}

std::vector<ElementUse> reduction_uses(const codegen::ReductionSnippet& snippet,
                                       bool is_one_for_one) {
  std::vector<std::string> maps;
  for (const ReductionOutput& output : snippet.outputs) maps.push_back(output.map);
  std::vector<ElementUse> uses = element_uses(snippet.parameters, maps, snippet.preamble);
  if (is_one_for_one) make_one_for_one(uses, snippet.parameters, maps);
  return uses;
}

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
      flags_(std::move(options.flags)),
      read_(read(device_, std::move(outputs), arguments, options)),
      declared_(snippet().parameters, "reduction kernel " + options.name,
                reduction_uses(snippet(), options.is_one_for_one)),
      results_(result_parameters(snippet().outputs), "the results of " + declared_.kernel(),
               std::vector<ElementUse>(snippet().outputs.size(), ElementUse::every)),
      tiling_(tiling_of(*device_, options.schedule)),
      has_addresses_(codegen::dialect_of(device_->info().language).has_addresses),
      launches_(std::make_unique<LaunchCache>(kept_launches)) {}

ReductionKernel::~ReductionKernel() = default;

bool ReductionKernel::mentions_element(std::string_view name) const {
  return std::ranges::any_of(snippet().outputs, [&](const ReductionOutput& output) {
    return codegen::mentions_element(output.map, name);
  });
}

Indices ReductionKernel::Elements::indices() const {
  if (outer * inner == 1) return ElementRange{start, start + length * step, step}.indices();
  return {0, outer * length * inner - 1};
}

ReductionKernel::Elements ReductionKernel::many() { return {many_elements, 0, 1, 1, 1}; }

ReductionKernel::Elements ReductionKernel::along(const FoldedAxis& axis) {
  return {static_cast<std::int64_t>(axis.length), 0, static_cast<std::int64_t>(axis.inner),
          static_cast<std::int64_t>(axis.outer), static_cast<std::int64_t>(axis.inner)};
}

codegen::ReductionText ReductionKernel::generate(const codegen::ReductionClass& loop) const {
  return read_.generate(loop, tiling_);
}

std::vector<codegen::ParameterSpec> ReductionKernel::own_parameters() const {
  using Role = codegen::ReductionParameter::Role;
  using Spec = codegen::ParameterSpec;
  std::vector<Spec> all;
  for (const codegen::ReductionParameter& parameter : generate(lower(many()).loop).parameters) {
    const bool is_ticket = parameter.role == Role::tickets;
    const bool is_pointer =
        is_ticket || parameter.role == Role::pointer || parameter.role == Role::partials;
    all.push_back({is_pointer ? Spec::Kind::vector : Spec::Kind::scalar,
                   is_pointer && !is_ticket ? snippet().outputs[0].dtype : DType(parameter.dtype),
                   parameter.name});
  }
  return all;
}

std::string ReductionKernel::text() const { return generate(lower(many()).loop).text; }
std::string ReductionKernel::text(const FoldedAxis& axis) const {
  return generate(lower(along(axis)).loop).text;
}
unsigned ReductionKernel::group_size() const { return lower(many()).group_size; }

/// Lowers the loops: element i is at index i of its array, and results are contiguous.
codegen::ReductionLowering ReductionKernel::lower(const Elements& elements,
                                                  std::span<const ElementwiseArray> places) const {
  const auto size_of = [](const codegen::KernelOperand& operand) {
    return operand.is_memory() ? static_cast<std::int64_t>(operand.dtype.size_bytes()) : 1;
  };
  struct Strides {
    std::int64_t kept[2], folded[1];
  };
  std::vector<Strides> strides;
  for (const codegen::KernelOperand& operand : read_.operands()) {
    const std::int64_t size = size_of(operand), outer = operand.is_of_elements()
                                                            ? elements.length * elements.inner
                                                            : elements.inner;
    strides.push_back({{outer * size, size}, {elements.step * size}});
  }
  std::vector<codegen::ReducedLayout> layouts;
  for (std::size_t k = 0; k < read_.operands().size(); ++k) {
    const codegen::KernelOperand& operand = read_.operands()[k];
    // A handle without addresses stands for a whole allocation, and allocations are aligned.
    const device::Location at = places.empty() ? device::Location{} : places[k].location;
    layouts.push_back({strides[k].kept, strides[k].folded,
                       operand.is_memory() ? operand.dtype.size_bytes() : 0,
                       (has_addresses_ ? at.handle : 0) + at.offset, operand.is_of_elements()});
  }
  const std::int64_t kept[] = {elements.outer, elements.inner}, folded[] = {elements.length};
  return codegen::lower_reduction(kept, folded, layouts,
                                  read_.target(tiling_, device_->info().performance.compute_units));
}

const ReductionKernel::Form& ReductionKernel::form(const codegen::ReductionClass& wanted) {
  for (const Form& made : forms_)
    if (made.loop == wanted) return made;
  codegen::ReductionText made = generate(wanted);
  made.program = nullptr;  // only the text is needed later
  const Program program(device_, made.text, {.flags = flags_, .source_name = snippet().name});
  return forms_.emplace_back(Form{wanted, program.kernel(snippet().name), std::move(made)});
}

std::shared_ptr<const PreparedLaunch> ReductionKernel::prepare(
    const Elements& elements, std::span<const ElementwiseArray> places) {
  const codegen::ReductionLowering lowering = lower(elements, places);
  std::vector<std::size_t> arrays(places.size());
  std::iota(arrays.begin(), arrays.end(), std::size_t{0});
  const std::lock_guard lock(mutex_);
  const Form& made = form(lowering.loop);
  return std::make_shared<const PreparedLaunch>(
      ReductionSlots{.operands = read_.operands(),
                     .arrays = arrays,
                     .lowering = lowering,
                     .has_addresses = has_addresses_,
                     .is_text = true,
                     .start = elements.start,
                     .count = elements.length}
          .prepared(made.kernel, made.text, read_.bytes_of_partial()));
}

void ReductionKernel::compile() {
  const codegen::ReductionLowering lowering = lower(many());
  const std::lock_guard lock(mutex_);
  form(lowering.loop);
}

void ReductionKernel::launch_all(device::Stream& stream, const ElementRange& range,
                                 std::span<const UserArgument> results,
                                 std::span<const UserArgument> arguments,
                                 const device::Order& order) {
  launch(stream, {static_cast<std::int64_t>(range.count()), range.start, range.step, 1, 1}, results,
         arguments, order);
}

void ReductionKernel::launch_along(device::Stream& stream, const FoldedAxis& axis,
                                   std::span<const UserArgument> results,
                                   std::span<const UserArgument> arguments,
                                   const device::Order& order) {
  launch(stream, along(axis), results, arguments, order);
}

void ReductionKernel::check_results(const Elements& elements,
                                    std::span<const UserArgument> results) const {
  if (results.size() != results_.parameters().size())
    throw InvalidArgument(declared_.kernel() + " has " +
                              std::to_string(results_.parameters().size()) +
                              " results, and was given " + std::to_string(results.size()),
                          "pass memory for each output");
  results_.check(results, {0, elements.outer * elements.inner - 1}, device_.get());
}

/// The location of each operand's first element.
std::vector<ElementwiseArray> ReductionKernel::places_of(
    const Elements& elements, std::span<const UserArgument> results,
    std::span<const UserArgument> arguments) const {
  using Kind = codegen::KernelOperand::Kind;
  const auto start = static_cast<std::uint64_t>(elements.start);
  std::vector<ElementwiseArray> places;
  places.reserve(read_.operands().size());
  for (const codegen::KernelOperand& operand : read_.operands())
    places.push_back({operand.kind == Kind::output ? results[operand.index].location()
                      : operand.kind == Kind::leaf
                          ? arguments[operand.index].location() + start * operand.dtype.size_bytes()
                          : device::Location{},
                      {}});
  return places;
}

void ReductionKernel::launch(device::Stream& stream, const Elements& elements,
                             std::span<const UserArgument> results,
                             std::span<const UserArgument> arguments, const device::Order& order) {
  check_results(elements, results);
  ReadArguments declared = declared_.read(arguments, elements.indices(), *device_);
  if (elements.outer == 0 || elements.inner == 0) return;
  const std::vector<ElementwiseArray> places = places_of(elements, results, arguments);
  LaunchKey key(0, places, 0);
  const std::int64_t numbers[] = {elements.length, elements.start, elements.step, elements.outer,
                                  elements.inner};
  key.add(std::span<const std::int64_t>(numbers));
  const std::shared_ptr<const PreparedLaunch> prepared =
      launches_->find(key, [&] { return prepare(elements, places); });
  std::vector<device::Argument>& all = declared.all();
  if (prepared->workspace.tickets != 0) {
    // A pending expression that reads one of these arguments runs here, before this launch takes
    // the workspace: the expression may be a reduction, which needs the same workspace.
    all.insert(all.end(), results.begin(), results.end());
    stream.before_launch(*prepared->steps.front().kernel, all);
    all.erase(all.end() - static_cast<std::ptrdiff_t>(results.size()), all.end());
  }
  prepared->launch_behind(stream, all, places, order);
}

}  // namespace treadle::kernel
