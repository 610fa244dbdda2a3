// SPDX-License-Identifier: MIT
#include "treadle/kernel/scan_kernel.hpp"

#include <algorithm>
#include <limits>

#include "declared_arguments.hpp"
#include "treadle/base/error.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/snippet.hpp"
#include "treadle/device/event.hpp"
#include "treadle/kernel/program.hpp"
#include "treadle/memory/buffer.hpp"

namespace treadle::kernel {
namespace {

/// Intervals for each compute unit: wide as many groups as it holds, narrow a few, because they
/// take unequal times.
constexpr std::uint64_t wide_intervals_per_unit = 8, narrow_intervals_per_unit = 4;
/// Elements that are worth an interval.
constexpr std::uint64_t least_narrow_length = 1 << 13;

codegen::TypeNames scan_types(const std::shared_ptr<device::Device>& device,
                              const ScanOptions& options) {
  if (device == nullptr) throw InvalidArgument("a ScanKernel needs a device");
  codegen::TypeNames types(codegen::dialect_of(device->info().language));
  for (const auto& [name, dtype] : options.types) types.prefer(name, dtype);
  return types;
}

/// Launches that follow each other, also on a queue that its owner made out of order.
class LaunchesInTurn {
 public:
  LaunchesInTurn(device::Stream& stream, const device::Order& order)
      : stream_(stream), order_(order) {}
  void operator()(const device::Kernel& kernel, const device::LaunchShape& shape,
                  std::span<const device::Argument> arguments, bool is_last) {
    const device::Event* const before[] = {last_.get()};
    device::Order own{.after = last_ == nullptr ? order_.after : std::span(before)};
    std::shared_ptr<device::Event> done;
    if (is_last)
      own.done = order_.done;
    else if (!stream_.is_in_order())
      own.done = (done = stream_.device().make_event()).get();
    stream_.launch_arguments(kernel, shape, arguments, own);
    order_.after = {};
    last_ = std::move(done);
  }

 private:
  device::Stream& stream_;
  device::Order order_;
  std::shared_ptr<device::Event> last_;
};

/// Memory that goes when what uses it, queued on the stream, is done.
memory::Buffer scratch_on(device::Stream& stream, std::size_t size_bytes) {
  // The pool gives memory again in the order of its stream.
  if (stream.is_in_order()) return memory::Buffer::pooled(stream.shared_from_this(), size_bytes);
  return memory::Buffer(stream.device().shared_from_this(), size_bytes);
}

}  // namespace

ScanKernel::ScanKernel(std::shared_ptr<device::Device> device, const DType& dtype, ScanTexts texts,
                       ScanOptions options)
    : device_(std::move(device)),
      types_(scan_types(device_, options)),
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
      schedule_(options.is_sequential ? Schedule::narrow
                                      : options.schedule.value_or(device_->info().traits.schedule)),
      is_sequential_(options.is_sequential) {
  const bool has_addresses = codegen::dialect_of(device_->info().language).has_addresses;
  snippet_.parameters = codegen::parse_parameters(
      texts.arguments, types_, has_addresses ? codegen::Offsets::none : codegen::Offsets::passed);
  generate();
}

bool ScanKernel::mentions_element(std::string_view name) const {
  return codegen::mentions_element(snippet_.input, name);
}

codegen::ScanText ScanKernel::generate() const {
  return codegen::generate_scan(snippet_, codegen::tiling_of(schedule_),
                                codegen::dialect_of(device_->info().language), types_);
}

const ScanKernel::Form& ScanKernel::form() {
  const std::lock_guard lock(mutex_);
  if (!form_) {
    codegen::ScanText made = generate();
    const Program program(device_, made.text, {.flags = flags_, .source_name = snippet_.name});
    form_.emplace(Form{made, program.kernel(made.intervals), program.kernel(made.totals),
                       program.kernel(made.outputs)});
  }
  return *form_;
}

ScanKernel::Intervals ScanKernel::intervals_of(std::uint64_t n, unsigned tile) const {
  const std::uint64_t units = std::max(device_->info().performance.compute_units, 1u);
  const bool is_wide = schedule_ == Schedule::wide;
  const std::uint64_t most =
      is_sequential_ ? 1 : units * (is_wide ? wide_intervals_per_unit : narrow_intervals_per_unit);
  const std::uint64_t least = is_wide ? tile : least_narrow_length;
  const std::uint64_t length = std::max(least, (n + most - 1) / most);
  const std::uint64_t tiles = (length + tile - 1) / tile;
  return {static_cast<std::int64_t>(tiles * tile),
          static_cast<std::int64_t>((n + tiles * tile - 1) / (tiles * tile))};
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
  const Intervals intervals = intervals_of(n, made.tile);
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

  LaunchesInTurn launch(stream, order);
  const device::LaunchShape groups = {.groups = static_cast<unsigned>(count),
                                      .group_size = made.group_size};
  launch(compiled.intervals, groups, all, false);
  if (count > 1) launch(compiled.totals, {.groups = 1, .group_size = made.group_size}, all, false);
  launch(compiled.outputs, groups, all, true);
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
