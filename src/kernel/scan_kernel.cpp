// SPDX-License-Identifier: MIT
#include "treadle/kernel/scan_kernel.hpp"

#include <algorithm>
#include <limits>

#include "launch_cache.hpp"
#include "several_launches.hpp"
#include "treadle/base/error.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/snippet.hpp"
#include "treadle/kernel/program.hpp"
#include "treadle/kernel/tiling.hpp"

namespace treadle::kernel {
namespace {

std::vector<ElementUse> scan_uses(const codegen::ScanSnippet& snippet,
                                  const std::vector<std::string>& one_for_one) {
  std::vector<std::string> texts = {snippet.input, snippet.output}, before_i;
  for (const codegen::ScanFetch& fetch : snippet.fetches)
    (fetch.offset == 0 ? texts : before_i).push_back(fetch.array + "[i]");
  std::vector<ElementUse> uses = element_uses(snippet.parameters, texts, snippet.preamble);
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const std::string& name = snippet.parameters[i].name;
    if (std::ranges::find(one_for_one, name) != one_for_one.end())
      uses[i] = ElementUse::one_for_one;
    else if (uses[i] == ElementUse::unknown &&
             std::ranges::find(before_i, name + "[i]") != before_i.end())
      uses[i] = ElementUse::all_but_last;
  }
  return uses;
}

}  // namespace

ScanKernel::ScanKernel(std::shared_ptr<device::Device> device, const DType& dtype, ScanTexts texts,
                       ScanOptions options)
    : device_(std::move(device)),
      types_(type_names(device_, options.types, "a ScanKernel")),
      snippet_{.parameters = declared_parameters(texts.arguments, types_, *device_),
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
      declared_(snippet_.parameters,
                options.called.empty() ? "scan " + snippet_.name : std::move(options.called),
                scan_uses(snippet_, texts.one_for_one)),
      flags_(std::move(options.flags)),
      tiling_(tiling_of(
          *device_, options.is_sequential ? std::optional(Schedule::narrow) : options.schedule)),
      is_sequential_(options.is_sequential),
      launches_(std::make_unique<LaunchCache>(kept_launches)) {
  generate();
}

ScanKernel::~ScanKernel() = default;

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
    made.program = nullptr;  // the text is kept, for text()
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
                                  std::span<const UserArgument> arguments,
                                  const device::Order& order) {
  const bool is_short = snippet_.index_dtype == Scalar::int32;
  const std::uint64_t most = is_short ? std::numeric_limits<std::int32_t>::max()
                                      : std::numeric_limits<std::int64_t>::max();
  if (n > most)
    throw InvalidArgument(declared_.kernel() + " of " + std::to_string(n) +
                              " elements counts them in " + DType(snippet_.index_dtype).name(),
                          "make it with the index dtype int64");
  ReadArguments declared =
      declared_.read(arguments, {0, static_cast<std::int64_t>(n) - 1}, *device_);
  LaunchKey key(0, {}, 0);
  key.add(std::span<const std::uint64_t>(&n, 1));
  launches_->find(key, [&] { return prepare(n); })
      ->launch_behind(stream, declared.all(), {}, order);
}

std::shared_ptr<const PreparedLaunch> ScanKernel::prepare(std::uint64_t n) {
  using Slot = PreparedLaunch::Slot;
  const Form& compiled = form();
  const codegen::ScanText& made = compiled.made;
  const auto whole = static_cast<std::int64_t>(std::max<std::uint64_t>(n, 1));
  const Intervals intervals = is_sequential_ ? Intervals{whole, n > 0}
                                             : intervals_of(n, made.tile, tiling_, device_->info());
  const std::size_t item = std::max<std::size_t>(1, snippet_.dtype.size_bytes());
  const auto count = static_cast<std::size_t>(intervals.count);

  auto launch = std::make_shared<PreparedLaunch>();
  launch->scratch = {n * item, count * item};
  if (made.is_segmented) launch->scratch.push_back(count * sizeof(std::int64_t));
  if (made.keeps_starts) launch->scratch.push_back(n);
  const auto number = [](std::int64_t value, std::size_t size_bytes) {
    return Slot{.what = Slot::What::number,
                .size_bytes = static_cast<std::uint8_t>(size_bytes),
                .number = value};
  };
  std::vector<Slot> slots = {
      number(static_cast<std::int64_t>(n), DType(snippet_.index_dtype).size_bytes()),
      number(intervals.length, 8), number(intervals.count, 8)};
  for (std::size_t i = 0; i < launch->scratch.size(); ++i)
    slots.push_back({.what = Slot::What::scratch, .index = static_cast<std::uint8_t>(i)});
  const auto add = [&](const device::Kernel& kernel, std::size_t groups) {
    launch->steps.push_back(
        {&kernel, {.groups = static_cast<unsigned>(groups), .group_size = made.group_size}, slots});
  };
  add(compiled.intervals, count);
  if (count > 1 && compiled.totals) add(*compiled.totals, 1);
  add(compiled.outputs, count);
  return launch;
}

ScanTexts scan_of_array(const std::string& type, std::string scan,
                        std::optional<std::string> neutral) {
  return {.arguments = "const " + type + " *x, " + type + " *y",
          .input = "x[i]",
          .scan = std::move(scan),
          .output = neutral ? "y[i] = prev_item" : "y[i] = item",
          .neutral = neutral.value_or(""),
          .one_for_one = {"x", "y"}};
}

}  // namespace treadle::kernel
