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
      snippet_{
          .parameters = declared_parameters(texts.arguments, types_, *device_),
          .dtype = dtype,
          .input = std::move(texts.input),
          .scan = std::move(texts.scan),
          .neutral = std::move(texts.neutral),
          .output = texts.compactions.empty()
                        ? std::move(texts.output)
                        : codegen::compacting_output(texts.compactions, texts.total,
                                                     codegen::dialect_of(device_->info().language)),
          .segment_start = std::move(texts.segment_start),
          .fetches = std::move(texts.fetches),
          .index_dtype = options.index_dtype,
          .name = std::move(options.name),
          .preamble = std::move(options.preamble),
          .compactions = std::move(texts.compactions),
          .total = std::move(texts.total),
          .one_for_one = texts.one_for_one},
      declared_(snippet_.parameters,
                options.called.empty() ? "scan " + snippet_.name : std::move(options.called),
                scan_uses(snippet_, texts.one_for_one)),
      flags_(std::move(options.flags)),
      tiling_(tiling_of(
          *device_, options.is_sequential ? std::optional(Schedule::narrow) : options.schedule)),
      is_sequential_(options.is_sequential),
      looks_back_(!is_sequential_ && device_->info().traits.atomics_64 &&
                  options.looks_back.value_or(device_->info().traits.forward_progress &&
                                              tiling_.schedule == Schedule::wide) &&
                  codegen::can_look_back(snippet_, codegen::dialect_of(device_->info().language))),
      usual_(generate(looks_back_)),
      pairs_(pairs(texts.one_for_one, options.is_apart)),
      launches_(std::make_unique<LaunchCache>(kept_launches)) {}

ScanKernel::~ScanKernel() = default;

bool ScanKernel::mentions_element(std::string_view name) const {
  return codegen::mentions_element(snippet_.input, name);
}

bool ScanKernel::takes_element(std::string_view name) const {
  return mentions_element(name) || codegen::mentions_element(snippet_.output, name) ||
         codegen::mentions_element(snippet_.segment_start, name) ||
         std::ranges::any_of(snippet_.fetches,
                             [&](const codegen::ScanFetch& fetch) { return fetch.array == name; });
}

codegen::ScanText ScanKernel::generate(bool looks_back) const {
  codegen::ScanSnippet snippet = snippet_;
  snippet.looks_back = looks_back;
  codegen::ScanText made = codegen::generate_scan(
      snippet, tiling_, codegen::dialect_of(device_->info().language), types_);
  made.program = nullptr;  // text() needs only the text
  return made;
}

std::vector<ScanKernel::Pair> ScanKernel::pairs(const std::vector<std::string>& one_for_one,
                                                bool is_apart) const {
  if (is_apart) return {};
  const std::vector<codegen::ScanAccess> accesses = codegen::scan_accesses(snippet_);
  std::vector<Pair> all;
  const auto is_one_for_one = [&](std::size_t i) {
    return std::ranges::find(one_for_one, snippet_.parameters[i].name) != one_for_one.end();
  };
  for (std::size_t read = 0; read < accesses.size(); ++read)
    for (std::size_t written = 0; written < accesses.size(); ++written)
      if (accesses[read].is_read && accesses[written].may_be_written)
        all.push_back({read, written, accesses[read].is_read_at_i,
                       accesses[written].is_written_at_i,
                       accesses[read].is_read_at_i || is_one_for_one(read),
                       accesses[written].is_written_at_i || is_one_for_one(written)});
  return all;
}

namespace {

/// A range of memory; `end` is 0 if it is unknown.
struct Span {
  std::uint64_t handle, begin, end;
};
Span span_of(const UserArgument& argument, bool is_within_n, std::uint64_t n, std::size_t item,
             bool has_addresses) {
  const device::Location place = argument.location();
  const UserArgument::Elements& known = argument.elements();
  // With addresses, a handle may point to any place in an allocation.
  Span span{has_addresses ? 0 : place.handle, (has_addresses ? place.handle : 0) + place.offset, 0};
  if (is_within_n)
    span.end = span.begin + n * item;
  else if (known.size >= 0)
    span.end = span.begin + static_cast<std::uint64_t>(known.size) *
                                (known.dtype == nullptr ? 1 : known.dtype->size_bytes());
  return span;
}
bool are_apart(const Span& a, const Span& b) {
  if (a.handle != b.handle) return true;
  const bool is_before = a.end != 0 && a.end <= b.begin, is_behind = b.end != 0 && b.end <= a.begin;
  return is_before || is_behind;
}

}  // namespace

/// Whether no output may write memory that the input of another element is read from.
bool ScanKernel::may_be_one_pass(const device::Stream& stream, std::uint64_t n,
                                 std::span<const UserArgument> arguments) const {
  if (!looks_back_ || !stream.is_in_order()) return false;
  const bool has_addresses = codegen::dialect_of(device_->info().language).has_addresses;
  return std::ranges::all_of(pairs_, [&](const Pair& pair) {
    const UserArgument &read = arguments[pair.read], &written = arguments[pair.written];
    const auto item = [&](std::size_t i) { return snippet_.parameters[i].dtype.size_bytes(); };
    const bool is_same_element = pair.is_read_at_i && pair.is_written_at_i &&
                                 item(pair.read) == item(pair.written) &&
                                 read.location() == written.location();
    return is_same_element ||
           (pair.read != pair.written &&
            are_apart(
                span_of(read, pair.is_read_within_n, n, item(pair.read), has_addresses),
                span_of(written, pair.is_written_within_n, n, item(pair.written), has_addresses)));
  });
}

const ScanKernel::Form& ScanKernel::form(bool looks_back) {
  const std::lock_guard lock(mutex_);
  std::optional<Form>& own = looks_back ? one_pass_ : passes_;
  if (own) return *own;
  codegen::ScanText made = looks_back == looks_back_ ? usual_ : generate(looks_back);
  const Program program(device_, made.text, {.flags = flags_, .source_name = snippet_.name});
  Form form{made, program.kernel(made.intervals), {}, {}};
  if (!made.totals.empty()) form.totals = program.kernel(made.totals);
  if (!made.outputs.empty()) form.outputs = program.kernel(made.outputs);
  if (is_kept_by_device_) {
    form.intervals.let_go_of_device();
    if (form.totals) form.totals->let_go_of_device();
    if (form.outputs) form.outputs->let_go_of_device();
  }
  return own.emplace(std::move(form));
}

void ScanKernel::let_go_of_device() {
  is_kept_by_device_ = true;
  form(looks_back_);
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
  const std::uint64_t looks_back = may_be_one_pass(stream, n, arguments) ? 1 : 0;
  LaunchKey key(0, {}, 0);
  const std::uint64_t numbers[] = {n, looks_back};
  key.add(std::span<const std::uint64_t>(numbers));
  const std::shared_ptr<const PreparedLaunch> prepared =
      launches_->find(key, [&] { return prepare(n, looks_back != 0); });
  // A pending expression that reads one of these arguments runs here, before this launch takes the
  // workspace: the expression may be a scan, which needs the same workspace.
  if (prepared->workspace.is_used())
    stream.before_launch(*prepared->steps.front().kernel, declared.all());
  prepared->launch_behind(stream, declared.all(), {}, order);
}

namespace {

PreparedLaunch::Slot number_slot(std::int64_t value, std::size_t size_bytes) {
  return {.what = PreparedLaunch::Slot::What::number,
          .size_bytes = static_cast<std::uint8_t>(size_bytes),
          .number = value};
}

}  // namespace

std::shared_ptr<const PreparedLaunch> ScanKernel::prepare_one_pass(std::uint64_t n) {
  using What = PreparedLaunch::Slot::What;
  const Form& compiled = form(true);
  const codegen::ScanText& made = compiled.made;
  const std::uint64_t tiles = n / made.tile + (n % made.tile != 0);
  if (tiles > std::numeric_limits<std::int32_t>::max()) return prepare(n, false);
  const codegen::ScanRoom room = codegen::scan_room(made, tiles);
  auto launch = std::make_shared<PreparedLaunch>();
  launch->workspace = {.partial_bytes = 0, .tickets = 0, .words = room.words};
  std::vector<PreparedLaunch::Slot> slots = {
      number_slot(static_cast<std::int64_t>(n), DType(snippet_.index_dtype).size_bytes()),
      number_slot(static_cast<std::int64_t>(tiles), 8),
      {.what = What::word_count},
      {.what = What::words}};
  if (made.keeps_items) {
    launch->scratch = {room.slots * std::max<std::size_t>(1, snippet_.dtype.size_bytes())};
    slots.push_back({.what = What::scratch, .index = 0});
  }
  launch->steps.push_back({&compiled.intervals,
                           {.groups = static_cast<unsigned>(tiles), .group_size = made.group_size},
                           std::move(slots)});
  return launch;
}

std::shared_ptr<const PreparedLaunch> ScanKernel::prepare(std::uint64_t n, bool looks_back) {
  using Slot = PreparedLaunch::Slot;
  if (looks_back) return prepare_one_pass(n);
  const Form& compiled = form(false);
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
  std::vector<Slot> slots = {
      number_slot(static_cast<std::int64_t>(n), DType(snippet_.index_dtype).size_bytes()),
      number_slot(intervals.length, 8), number_slot(intervals.count, 8)};
  for (std::size_t i = 0; i < launch->scratch.size(); ++i)
    slots.push_back({.what = Slot::What::scratch, .index = static_cast<std::uint8_t>(i)});
  const auto add = [&](const device::Kernel& kernel, std::size_t groups) {
    launch->steps.push_back(
        {&kernel, {.groups = static_cast<unsigned>(groups), .group_size = made.group_size}, slots});
  };
  add(compiled.intervals, count);
  if (count > 1 && compiled.totals) add(*compiled.totals, 1);
  add(*compiled.outputs, count);
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
