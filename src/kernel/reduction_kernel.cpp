// SPDX-License-Identifier: MIT
#include "treadle/kernel/reduction_kernel.hpp"

#include <algorithm>

#include "declared_arguments.hpp"
#include "plan_table.hpp"
#include "treadle/base/error.hpp"
#include "treadle/codegen/snippet.hpp"
#include "treadle/kernel/program.hpp"
#include "treadle/kernel/tiling.hpp"
#include "treadle/kernel/workspace.hpp"

namespace treadle::kernel {
namespace {

/// Elements of which text() and compile() have the kernel: many.
constexpr std::int64_t many_elements = 1 << 24;

/// The arguments of one launch behind the user's.
class ReductionArguments {
 public:
  ReductionArguments(std::span<const codegen::ReductionOperand> operands,
                     const codegen::ReductionLowering& lowering, bool has_addresses,
                     std::int64_t first, std::int64_t elements)
      : start(first),
        count(elements),
        operands_(operands),
        lowering_(lowering),
        has_addresses_(has_addresses) {}

  /// Appends them to `all`; they are views of this object.
  void append(std::vector<device::Argument>& all, const codegen::ReductionText& text,
              std::span<const device::Location> places) {
    values_.resize(text.parameters.size());
    all.reserve(all.size() + values_.size());
    for (std::size_t i = 0; i < values_.size(); ++i)
      all.push_back(argument(text.parameters[i], places, values_[i]));
  }

  Workspace workspace;
  std::int64_t start;  ///< of positions, and of leaves behind the user's pointers
  std::int64_t count;  ///< elements of a result

 private:
  /// `places` are those of results.
  device::Argument argument(const codegen::ReductionParameter& parameter,
                            std::span<const device::Location> places, std::uint64_t& value) const {
    using Role = codegen::ReductionParameter::Role;
    const std::size_t k = parameter.index;
    const bool is_leaf = operands_[k].kind == codegen::ReductionOperand::Kind::leaf;
    switch (parameter.role) {
      case Role::partials:
        return workspace.partials;
      case Role::tickets:
        return workspace.tickets;
      case Role::pointer:
        // Where there are no addresses the kernel adds the offset itself.
        if (!has_addresses_) return device::Location{places[k].handle, 0};
        return place(places[k], k);
      case Role::count:
        value = static_cast<std::uint64_t>(count);
        break;
      case Role::first:
        value = static_cast<std::uint64_t>(start + first_element(k));
        break;
      case Role::offset:
        value = is_leaf ? static_cast<std::uint64_t>(start + first_element(k))
                        : element_offset(place(places[k], k), operands_[k].dtype);
        break;
      default:
        value = lowering_.value(parameter);
        break;
    }
    return {&value, DType(parameter.dtype).size_bytes(), device::ParameterKind::integer};
  }
  /// Elements behind where an operand begins, as the lowering turned its axes.
  std::int64_t first_element(std::size_t k) const {
    std::int64_t first = lowering_.kept.offsets[k];
    if (operands_[k].is_of_elements()) first += lowering_.folded.offsets[k];
    return first;
  }
  device::Location place(const device::Location& begin, std::size_t k) const {
    const auto size = static_cast<std::int64_t>(operands_[k].dtype.size_bytes());
    return begin + static_cast<std::uint64_t>(first_element(k) * size);
  }

  std::span<const codegen::ReductionOperand> operands_;
  const codegen::ReductionLowering& lowering_;
  bool has_addresses_;
  std::vector<std::uint64_t> values_;  ///< what arguments are views of
};

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
      tiling_(tiling_of(*device_, options.schedule)),
      dialect_(codegen::dialect_of(device_->info().language)) {
  if (snippet_.outputs.empty())
    throw InvalidArgument("reduction kernel " + snippet_.name + " has no results",
                          "give at least one output");
  snippet_.parameters = codegen::parse_parameters(
      arguments, types_,
      dialect_.has_addresses ? codegen::Offsets::none : codegen::Offsets::passed);
  codegen::require_valid(snippet_, types_);
  operands_ = codegen::operands_of(snippet_, dialect_, types_);
}

bool ReductionKernel::mentions_element(std::string_view name) const {
  return std::ranges::any_of(snippet_.outputs, [&](const ReductionOutput& output) {
    return codegen::mentions_element(output.map, name);
  });
}

ReductionKernel::Elements ReductionKernel::many() { return {many_elements, 0, 1, 1, 1}; }

ReductionKernel::Elements ReductionKernel::along(const FoldedAxis& axis) {
  return {static_cast<std::int64_t>(axis.length), 0, static_cast<std::int64_t>(axis.inner),
          static_cast<std::int64_t>(axis.outer), static_cast<std::int64_t>(axis.inner)};
}

codegen::ReductionText ReductionKernel::generate(const codegen::ReductionClass& loop) const {
  return codegen::generate_reduction(snippet_, loop, tiling_, dialect_, types_);
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
                   is_pointer && !is_ticket ? snippet_.outputs[0].dtype : DType(parameter.dtype),
                   parameter.name});
  }
  return all;
}

std::string ReductionKernel::text() const { return generate(lower(many()).loop).text; }
std::string ReductionKernel::text(const FoldedAxis& axis) const {
  return generate(lower(along(axis)).loop).text;
}
unsigned ReductionKernel::group_size() const { return lower(many()).group_size; }

/// Elements lie as their indices, and results one behind the other.
codegen::ReductionLowering ReductionKernel::lower(const Elements& elements,
                                                  std::span<const device::Location> places) const {
  const auto size_of = [](const codegen::ReductionOperand& operand) {
    return operand.is_memory() ? static_cast<std::int64_t>(operand.dtype.size_bytes()) : 1;
  };
  struct Strides {
    std::int64_t kept[2], folded[1];
  };
  std::vector<Strides> strides;
  for (const codegen::ReductionOperand& operand : operands_) {
    const std::int64_t size = size_of(operand), outer = operand.is_of_elements()
                                                            ? elements.length * elements.inner
                                                            : elements.inner;
    strides.push_back({{outer * size, size}, {elements.step * size}});
  }
  std::vector<codegen::ReducedLayout> layouts;
  for (std::size_t k = 0; k < operands_.size(); ++k) {
    const codegen::ReductionOperand& operand = operands_[k];
    // A handle without addresses stands for an allocation, which is aligned.
    const device::Location at = places.empty() ? device::Location{} : places[k];
    layouts.push_back(
        {strides[k].kept, strides[k].folded, operand.is_memory() ? operand.dtype.size_bytes() : 0,
         (dialect_.has_addresses ? at.handle : 0) + at.offset, operand.is_of_elements()});
  }
  const std::int64_t kept[] = {elements.outer, elements.inner}, folded[] = {elements.length};
  return codegen::lower_reduction(
      kept, folded, layouts,
      codegen::target_of(snippet_, tiling_, device_->info().performance.compute_units));
}

const ReductionKernel::Form& ReductionKernel::form(const codegen::ReductionClass& wanted) {
  for (const Form& made : forms_)
    if (made.loop == wanted) return made;
  codegen::ReductionText made = generate(wanted);
  const Program program(device_, made.text, {.flags = flags_, .source_name = snippet_.name});
  return forms_.emplace_back(Form{wanted, program.kernel(snippet_.name), std::move(made)});
}

/// A launch like the last one is not worked out again.
std::shared_ptr<const ReductionKernel::Prepared> ReductionKernel::prepare(
    const Elements& elements, std::span<const device::Location> places) {
  std::uint64_t alignments = 0;  // of the first sixteen; of more no launch is like another
  for (const device::Location& place : places)
    alignments = alignments << 4 | (place.handle + place.offset) % 16;
  const std::lock_guard lock(mutex_);
  if (recent_ != nullptr && recent_->elements == elements && recent_->alignments == alignments &&
      places.size() <= 16)
    return recent_;
  codegen::ReductionLowering lowering = lower(elements, places);
  const Form& made = form(lowering.loop);
  recent_ =
      std::make_shared<const Prepared>(Prepared{elements, alignments, std::move(lowering), made});
  return recent_;
}

void ReductionKernel::compile() {
  const codegen::ReductionLowering lowering = lower(many());
  const std::lock_guard lock(mutex_);
  form(lowering.loop);
}

void ReductionKernel::launch_all(device::Stream& stream, const ElementRange& range,
                                 std::span<const device::Argument> results,
                                 std::span<const device::Argument> arguments,
                                 const device::Order& order) {
  launch(stream, {static_cast<std::int64_t>(range.count()), range.start, range.step, 1, 1}, results,
         arguments, order);
}

void ReductionKernel::launch_along(device::Stream& stream, const FoldedAxis& axis,
                                   std::span<const device::Argument> results,
                                   std::span<const device::Argument> arguments,
                                   const device::Order& order) {
  launch(stream, along(axis), results, arguments, order);
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

/// Where the first element of each operand is.
std::vector<device::Location> ReductionKernel::places_of(
    const Elements& elements, std::span<const device::Argument> results,
    std::span<const device::Argument> arguments) const {
  using Kind = codegen::ReductionOperand::Kind;
  const auto start = static_cast<std::uint64_t>(elements.start);
  std::vector<device::Location> places;
  for (const codegen::ReductionOperand& operand : operands_)
    places.push_back(operand.kind == Kind::output ? results[operand.index].location()
                     : operand.kind == Kind::leaf
                         ? arguments[operand.index].location() + start * operand.dtype.size_bytes()
                         : device::Location{});
  return places;
}

void ReductionKernel::launch(device::Stream& stream, const Elements& elements,
                             std::span<const device::Argument> results,
                             std::span<const device::Argument> arguments,
                             const device::Order& order) {
  require_memory(results);
  DeclaredArguments declared(snippet_.parameters, "reduction kernel " + snippet_.name);
  declared.read(arguments, *device_);
  if (elements.outer == 0 || elements.inner == 0) return;
  const std::vector<device::Location> places = places_of(elements, results, arguments);
  const std::shared_ptr<const Prepared> prepared = prepare(elements, places);
  const codegen::ReductionLowering& lowering = prepared->lowering;
  const Form& compiled = prepared->form;
  std::vector<device::Argument>& all = declared.all();
  // What was put off and reads an argument may be a reduction, which wants the same workspace.
  all.insert(all.end(), results.begin(), results.end());
  stream.before_launch(compiled.kernel, all);
  all.erase(all.end() - static_cast<std::ptrdiff_t>(results.size()), all.end());
  ReductionArguments own(operands_, lowering, dialect_.has_addresses, elements.start,
                         elements.length);
  const auto queue = [&](const Workspace& workspace) {
    own.workspace = workspace;
    own.append(all, compiled.text, places);
    stream.launch_arguments(
        compiled.kernel,
        {.groups = static_cast<unsigned>(lowering.groups), .group_size = lowering.group_size}, all,
        order);
  };
  if (!lowering.loop.is_split) return queue({});
  with_workspace(stream,
                 {lowering.groups * lowering.tile_partials * codegen::bytes_of_partial(snippet_),
                  lowering.tiles},
                 queue);
}

}  // namespace treadle::kernel
