// SPDX-License-Identifier: MIT
#include "treadle/kernel/scan_kernel.hpp"

#include <algorithm>
#include <limits>

#include "declared_arguments.hpp"
#include "several_launches.hpp"
#include "treadle/base/error.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/snippet.hpp"
#include "treadle/kernel/program.hpp"
#include "treadle/kernel/tiling.hpp"

namespace treadle::kernel {

ScanKernel::ScanKernel(std::shared_ptr<device::Device> device, const DType& dtype, ScanTexts texts,
                       ScanOptions options)
    : device_(std::move(device)),
      types_(type_names(device_, options.types, "a ScanKernel")),
      snippet_{.parameters = {},
               .dtype = dtype,
               .input = std::move(texts.input),
               .scan = std::move(texts.scan),
               .neutral = std::move(texts.neutral),
               .output = std::move(texts.output),
               .segment_start = std::move(texts.segment_start),
               .fetches = std::move(texts.fetches),
               .index_dtype = options.index_dtype,
               .name = std::move(options.name),
               .preamble = std::move(options.preamble)},
      flags_(std::move(options.flags)),
      tiling_(tiling_of(
          *device_, options.is_sequential ? std::optional(Schedule::narrow) : options.schedule)),
      is_sequential_(options.is_sequential) {
  snippet_.parameters = declared_parameters(texts.arguments, types_, *device_);
  generate();
}

bool ScanKernel::mentions_element(std::string_view name) const {
  return codegen::mentions_element(snippet_.input, name);
}

codegen::ScanText ScanKernel::generate() const {
  return codegen::generate_scan(snippet_, tiling_, codegen::dialect_of(device_->info().language),
                                types_);
}

const ScanKernel::Form& ScanKernel::form() {
  const std::lock_guard lock(mutex_);
  if (!form_) {
    codegen::ScanText made = generate();
    const Program program(device_, made.text, {.flags = flags_, .source_name = snippet_.name});
    form_.emplace(
        Form{made, program.kernel(made.intervals), std::nullopt, program.kernel(made.outputs)});
    if (!made.totals.empty()) form_->totals = program.kernel(made.totals);
  }
  return *form_;
}

void ScanKernel::let_go_of_device() {
  form();
  form_->intervals.let_go_of_device();
  form_->outputs.let_go_of_device();
  if (form_->totals) form_->totals->let_go_of_device();
  device_ = std::shared_ptr<device::Device>(std::shared_ptr<void>(), device_.get());
}

void ScanKernel::launch_arguments(device::Stream& stream, std::uint64_t n,
                                  std::span<const device::Argument> arguments,
                                  const device::Order& order) {
  const bool is_short = snippet_.index_dtype == Scalar::int32;
  const std::uint64_t most = is_short ? std::numeric_limits<std::int32_t>::max()
                                      : std::numeric_limits<std::int64_t>::max();
  if (n > most)
    throw InvalidArgument("scan " + snippet_.name + " of " + std::to_string(n) +
                              " elements counts them in " + DType(snippet_.index_dtype).name(),
                          "make it with the index dtype int64");
  DeclaredArguments declared(snippet_.parameters, "scan " + snippet_.name);
  declared.read(arguments, *device_);
  const Form& compiled = form();
  const codegen::ScanText& made = compiled.made;
  const auto whole = static_cast<std::int64_t>(std::max<std::uint64_t>(n, 1));
  const Intervals intervals = is_sequential_ ? Intervals{whole, n > 0}
                                             : intervals_of(n, made.tile, tiling_, device_->info());
  const std::size_t item = std::max<std::size_t>(1, snippet_.dtype.size_bytes());
  const auto count = static_cast<std::size_t>(intervals.count);

  const std::int64_t length = intervals.length;
  const auto long_n = static_cast<std::int64_t>(n);
  const auto short_n = static_cast<std::int32_t>(n);
  std::vector<device::Argument>& all = declared.all();
  if (is_short)
    all.emplace_back(short_n);
  else
    all.emplace_back(long_n);
  all.emplace_back(length);
  all.emplace_back(intervals.count);
  std::vector<memory::Buffer> scratch;
  scratch.push_back(scratch_on(stream, n * item));
  scratch.push_back(scratch_on(stream, count * item));
  if (made.is_segmented) scratch.push_back(scratch_on(stream, count * sizeof(std::int64_t)));
  if (made.keeps_starts) scratch.push_back(scratch_on(stream, n));
  for (const memory::Buffer& buffer : scratch) all.emplace_back(buffer);

  LaunchesInTurn launches(stream, order);
  const auto launch = [&](const device::Kernel& kernel, std::size_t groups,
                          LaunchesInTurn::Place place = LaunchesInTurn::Place::before_others) {
    const device::LaunchShape shape = {.groups = static_cast<unsigned>(groups),
                                       .group_size = made.group_size};
    launches.then(
        [&](const device::Order& own) { stream.launch_arguments(kernel, shape, all, own); }, place);
  };
  launch(compiled.intervals, count);
  if (count > 1 && compiled.totals) launch(*compiled.totals, 1);
  launch(compiled.outputs, count, LaunchesInTurn::Place::last);
}

ScanTexts scan_of_array(const std::string& type, std::string scan,
                        std::optional<std::string> neutral) {
  return {.arguments = "const " + type + " *x, " + type + " *y",
          .input = "x[i]",
          .scan = std::move(scan),
          .output = neutral ? "y[i] = prev_item" : "y[i] = item",
          .neutral = neutral.value_or("")};
}

}  // namespace treadle::kernel
