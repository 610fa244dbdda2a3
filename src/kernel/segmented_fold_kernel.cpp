// SPDX-License-Identifier: MIT
#include "treadle/kernel/segmented_fold_kernel.hpp"

#include <algorithm>
#include <limits>

#include "treadle/base/error.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/kernel/program.hpp"
#include "treadle/kernel/tiling.hpp"

namespace treadle::kernel {
namespace {

/// The user's declarations, followed by those of the arguments that every launch passes.
std::string with_own(const std::string& arguments, const std::string& item) {
  return arguments + (arguments.empty() ? "" : ", ") +
         "const long *treadle_starts, const long *treadle_ends, " + item + " *treadle_results";
}

/// The number of segments of a group on a processor: enough to be worth a group, but so few that
/// threads that finish early find more groups.
std::uint64_t interval_of(const FoldedSegments& segments, std::uint64_t units,
                          const codegen::Tiling& tiling) {
  const std::uint64_t count = segments.count * segments.rows,
                      mean = segments.indices / std::max<std::uint64_t>(segments.count, 1) + 1,
                      least = (tiling.least_interval + mean - 1) / mean,
                      share = count / (units * tiling.intervals_per_unit) + 1;
  const std::uint64_t step = tiling.interval_length;
  return (std::min(least, share) + step - 1) / step * step;
}

}  // namespace

SegmentedFoldKernel::SegmentedFoldKernel(std::shared_ptr<device::Device> device, const DType& dtype,
                                         SegmentedFoldTexts texts, SegmentedFoldOptions options)
    : device_(std::move(device)),
      types_(type_names(device_, options.types, "a SegmentedFoldKernel")),
      snippet_{.parameters = declared_parameters(with_own(texts.arguments, types_.name_of(dtype)),
                                                 types_, *device_),
               .dtype = dtype,
               .map = std::move(texts.map),
               .reduce = std::move(texts.reduce),
               .neutral = std::move(texts.neutral),
               .name = std::move(options.name),
               .preamble = std::move(options.preamble),
               .store = std::move(texts.store),
               .can_repeat = texts.can_repeat},
      // The arrays of starts and ends decide which indices are used.
      declared_(snippet_.parameters, "segmented fold " + snippet_.name,
                std::vector<ElementUse>(snippet_.parameters.size(), ElementUse::unknown)),
      flags_(std::move(options.flags)),
      tiling_(tiling_of(*device_, options.schedule)) {
  generate(1);
}

unsigned SegmentedFoldKernel::lanes_of(std::uint64_t mean_length) const {
  return codegen::segment_lanes(mean_length, tiling_);
}

codegen::SegmentedFoldText SegmentedFoldKernel::generate(unsigned lanes) const {
  codegen::SegmentedFoldText made = codegen::generate_segmented_fold(
      snippet_, lanes, tiling_, codegen::dialect_of(device_->info().language), types_);
  made.program = nullptr;
  return made;
}

const SegmentedFoldKernel::Form& SegmentedFoldKernel::form(unsigned lanes) {
  const std::lock_guard lock(mutex_);
  for (const auto& [own, form] : forms_)
    if (own == lanes) return *form;
  codegen::SegmentedFoldText made = generate(lanes);
  const Program program(device_, made.text, {.flags = flags_, .source_name = snippet_.name});
  auto form = std::make_unique<Form>(Form{made, program.kernel(made.name)});
  if (is_kept_by_device_) form->kernel.let_go_of_device();
  return *forms_.emplace_back(lanes, std::move(form)).second;
}

void SegmentedFoldKernel::let_go_of_device() {
  is_kept_by_device_ = true;
  device_ = std::shared_ptr<device::Device>(std::shared_ptr<void>(), device_.get());
}

void SegmentedFoldKernel::launch_arguments(device::Stream& stream, const FoldedSegments& segments,
                                           std::span<const UserArgument> arguments,
                                           const device::Order& order) {
  ReadArguments declared = declared_.read(arguments, {}, *device_);
  const Form& compiled =
      form(lanes_of(segments.indices / std::max<std::uint64_t>(segments.count, 1)));
  const auto row_count = static_cast<std::int64_t>(segments.count),
             count = static_cast<std::int64_t>(segments.count * segments.rows),
             length = static_cast<std::int64_t>(segments.indices);
  const std::uint64_t units = std::max<std::uint64_t>(device_->info().performance.compute_units, 1);
  const bool is_narrow = compiled.made.segments == 0;
  const std::uint64_t each = is_narrow ? interval_of(segments, units, tiling_)
                                       : compiled.made.segments,
                      groups = segments.count * segments.rows / each +
                               (segments.count * segments.rows % each != 0 ? 1 : 0);
  if (groups > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max()))
    throw InvalidArgument(
        declared_.kernel() + " of " + std::to_string(segments.count * segments.rows) + " segments",
        "fold fewer at a time");
  std::vector<device::Argument>& all = declared.all();
  const auto interval = static_cast<std::int64_t>(each);
  for (const std::int64_t* number : {&row_count, &count, &length})
    all.emplace_back(number, sizeof *number, device::ParameterKind::integer);
  if (is_narrow) all.emplace_back(&interval, sizeof interval, device::ParameterKind::integer);
  stream.launch_arguments(
      compiled.kernel,
      {.groups = static_cast<unsigned>(groups), .group_size = compiled.made.group_size}, all,
      order);
}

}  // namespace treadle::kernel
