// SPDX-License-Identifier: MIT
#include "treadle/kernel/array_scan.hpp"

#include <memory>
#include <span>
#include <string>

#include "plan_table.hpp"
#include "treadle/base/error.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/signature.hpp"
#include "treadle/kernel/scan_kernel.hpp"
#include "treadle/kernel/segmented_fold_kernel.hpp"
#include "treadle/kernel/tiling.hpp"

namespace treadle::kernel {

/// Does not keep the device alive: the device keeps the plan.
struct ArrayScanPlan {
  std::unique_ptr<ScanKernel> scan;
};
struct SegmentFoldPlan {
  std::unique_ptr<SegmentedFoldKernel> fold;
};

namespace {

const codegen::Dialect& dialect_for(const device::Stream& stream) {
  return codegen::dialect_of(stream.device().info().language);
}

/// The type of a truth value in memory is that of a byte.
std::string memory_type(Scalar dtype, const codegen::Dialect& dialect) {
  return codegen::TypeNames(dialect).name_of(dtype == Scalar::boolean ? Scalar::uint8 : dtype);
}
/// The type of a key in memory.
std::string key_type(Scalar dtype, const codegen::Dialect& dialect) {
  const ScalarKind kind = DType(dtype).kind();
  if (dtype == Scalar::float16 || kind == ScalarKind::complex || kind == ScalarKind::structure)
    throw DTypeError("keys of " + DType(dtype).name(), "pass real numbers, float16 as float32");
  return memory_type(dtype, dialect);
}

/// The plan of a key; its kernel is made at the first launch.
template <class Make>
ScanKernel& known(device::Stream& stream, std::string key, Make make) {
  device::Device& device = stream.device();
  append_key(key, tiling_of(device));
  return *plans<ArrayScanPlan>(device)
              .find(key,
                    [&] {
                      auto plan = std::make_shared<ArrayScanPlan>();
                      plan->scan = make(device.shared_from_this());
                      plan->scan->let_go_of_device();
                      return plan;
                    })
              .scan;
}

ScanOptions options_of(const AssociativeText& text, std::string name) {
  return {
      .name = std::move(name), .preamble = text.preamble, .flags = text.flags, .types = text.types};
}

/// The expression that tells whether a segment starts.
std::string start_text(const ArrayScan& scan) {
  switch (scan.segments) {
    case ScanSegments::none:
      return {};
    case ScanSegments::rows:
      return "i % length == 0";
    case ScanSegments::starts:
      return scan.is_reversed ? "i > 0 && starts[N - i] != 0" : "starts[i] != 0";
    case ScanSegments::keys:
      break;
  }
  return scan.is_reversed ? "i > 0 && keys[N - i] != keys[N - 1 - i]"
                          : "i > 0 && keys[i] != keys[i - 1]";
}

ScanTexts texts_of(const ArrayScan& scan, const AssociativeText& text,
                   const codegen::Dialect& dialect) {
  const std::string at = scan.is_reversed ? "[N - 1 - i]" : "[i]";
  const std::string element =
      scan.element_dtype ? memory_type(*scan.element_dtype, dialect) : text.item;
  ScanTexts made{.arguments = "const " + element + " *x, " + text.item + " *y",
                 .input = (scan.element_dtype ? "(" + text.item + ")x" : "x") + at,
                 .scan = text.combine,
                 .output = "y" + at + (scan.is_exclusive ? " = prev_item" : " = item"),
                 .neutral = scan.is_exclusive ? text.neutral : "",
                 .segment_start = start_text(scan)};
  if (scan.segments != ScanSegments::none)
    made.scan = "across_seg_boundary ? b : (" + text.combine + ")";
  if (scan.segments == ScanSegments::rows) made.arguments += ", long length";
  if (scan.segments == ScanSegments::starts)
    made.arguments += ", const " + key_type(Scalar::uint8, dialect) + " *starts";
  if (scan.segments == ScanSegments::keys)
    made.arguments += ", const " + key_type(scan.key_dtype, dialect) + " *keys";
  return made;
}

constexpr const char* another_key = "i == 0 || keys[i] != keys[i - 1]";

}  // namespace

void launch_array_scan(device::Stream& stream, const ArrayScan& scan,
                       const ArrayScanArguments& arguments, const device::Order& order) {
  const codegen::Dialect& dialect = dialect_for(stream);
  const AssociativeText text = associative_text(scan.operation, scan.dtype, dialect);
  if (scan.is_exclusive && text.neutral.empty())
    throw InvalidArgument(
        "an exclusive scan by \"" + text.combine + "\", without a neutral element",
        "pass what the first result is as `neutral`");
  std::string key = "scan ";
  for (const int form : {static_cast<int>(scan.segments), static_cast<int>(scan.key_dtype),
                         scan.element_dtype ? static_cast<int>(*scan.element_dtype) : -1,
                         scan.is_exclusive ? 1 : 0, scan.is_reversed ? 1 : 0})
    key += std::to_string(form) + " ";
  ScanKernel& kernel = known(stream, key + text.key, [&](std::shared_ptr<device::Device> device) {
    return std::make_unique<ScanKernel>(std::move(device), text.dtype,
                                        texts_of(scan, text, dialect),
                                        options_of(text, "scan_" + text.name));
  });
  const auto length = static_cast<std::int64_t>(scan.length);
  const std::uint64_t n = scan.rows * scan.length;
  const auto known_size = [&](const device::Argument& argument, const DType& dtype) {
    return UserArgument(
        argument, {.dtype = nullptr, .size = static_cast<std::int64_t>(n * dtype.size_bytes())});
  };
  const DType element_dtype = scan.element_dtype ? DType(*scan.element_dtype) : scan.dtype;
  const UserArgument all[] = {
      known_size(arguments.elements, element_dtype), known_size(arguments.results, scan.dtype),
      scan.segments == ScanSegments::rows ? UserArgument(length)
                                          : UserArgument(arguments.segments)};
  kernel.launch_arguments(stream, n,
                          std::span(all).first(scan.segments == ScanSegments::none ? 2 : 3), order);
}

void launch_key_runs(device::Stream& stream, const KeyRuns& runs, const KeyRunsArguments& arguments,
                     const device::Order& order) {
  const codegen::Dialect& dialect = dialect_for(stream);
  const std::string type = key_type(runs.key_dtype, dialect);
  ScanKernel& kernel = known(stream, "runs " + type, [&](std::shared_ptr<device::Device> device) {
    return std::make_unique<ScanKernel>(
        std::move(device), Scalar::int64,
        ScanTexts{
            .arguments = "const " + type + " *keys, " + type +
                         " *heads, long *places, long *count, long capacity",
            .input = another_key,
            .scan = "a + b",
            .output = "",
            .neutral = "0",
            .compactions = {{"heads", "keys[i]", "capacity"}, {"places", "i", "capacity + 1"}},
            .total = "count"},
        ScanOptions{.name = "runs", .is_apart = true});
  });
  const auto capacity = static_cast<std::int64_t>(runs.capacity);
  const UserArgument all[] = {arguments.keys, arguments.heads, arguments.places, arguments.count,
                              capacity};
  kernel.launch_arguments(stream, runs.size, all, order);
}

void launch_key_ranks(device::Stream& stream, const KeySums& sums,
                      const KeySumsArguments& arguments, const device::Order& order) {
  const std::string type = key_type(sums.key_dtype, dialect_for(stream));
  ScanKernel& kernel = known(stream, "ranks " + type, [&](std::shared_ptr<device::Device> device) {
    return std::make_unique<ScanKernel>(
        std::move(device), Scalar::int64,
        ScanTexts{.arguments = "const " + type + " *keys, long *ranks, long *count",
                  .input = std::string(another_key) + " ? 1 : 0",
                  .scan = "a + b",
                  .output = "ranks[i] = item - 1; if (i == N - 1) *count = item"},
        ScanOptions{.name = "ranks_of_keys", .is_apart = true});
  });
  const UserArgument all[] = {arguments.keys, arguments.ranks, arguments.count};
  kernel.launch_arguments(stream, sums.size, all, order);
}

void launch_key_sums(device::Stream& stream, const KeySums& sums, const KeySumsArguments& arguments,
                     const device::Order& order) {
  const codegen::Dialect& dialect = dialect_for(stream);
  const AssociativeText text = associative_text(sums.operation, sums.dtype, dialect);
  const std::string type = key_type(sums.key_dtype, dialect);
  ScanKernel& kernel = known(
      stream, "key sums " + type + " " + text.key, [&](std::shared_ptr<device::Device> device) {
        ScanOptions options = options_of(text, "sums_by_key_" + text.name);
        options.is_apart = true;
        return std::make_unique<ScanKernel>(
            std::move(device), text.dtype,
            ScanTexts{.arguments = "const " + type + " *keys, const " + text.item +
                                   " *values, const long *ranks, " + type + " *heads, " +
                                   text.item + " *sums, long capacity",
                      .input = "values[i]",
                      .scan = "across_seg_boundary ? b : (" + text.combine + ")",
                      .output = "if ((i == N - 1 || ranks[i] != ranks[i + 1]) && ranks[i] < "
                                "capacity) { heads[ranks[i]] = keys[i]; sums[ranks[i]] = item; }",
                      .segment_start = "i > 0 && ranks[i] != ranks[i - 1]"},
            std::move(options));
      });
  const auto capacity = static_cast<std::int64_t>(sums.capacity);
  const UserArgument all[] = {arguments.keys,  arguments.values, arguments.ranks,
                              arguments.heads, arguments.sums,   capacity};
  kernel.launch_arguments(stream, sums.size, all, order);
}

void launch_sorted_updates(device::Stream& stream, const SortedUpdates& updates,
                           const SortedUpdatesArguments& arguments, const device::Order& order) {
  const codegen::Dialect& dialect = dialect_for(stream);
  const AssociativeText text = associative_text(updates.operation, updates.dtype, dialect);
  ScanKernel& kernel =
      known(stream, "updates " + text.key, [&](std::shared_ptr<device::Device> device) {
        ScanOptions options = options_of(text, "updates_" + text.name);
        options.is_apart = true;
        return std::make_unique<ScanKernel>(
            std::move(device), text.dtype,
            ScanTexts{.arguments = "const long *places, const " + text.item + " *values, " +
                                   text.item + " *targets, long target_size",
                      .input = "values[i]",
                      .scan = "across_seg_boundary ? b : (" + text.combine + ")",
                      .output = "if ((i == N - 1 || places[i] != places[i + 1]) && places[i] >= 0 "
                                "&& places[i] < target_size) { " +
                                text.item +
                                " a = targets[places[i]], b = item; "
                                "targets[places[i]] = " +
                                text.combine + "; }",
                      .segment_start = "i > 0 && places[i] != places[i - 1]"},
            std::move(options));
      });
  const auto size = static_cast<std::int64_t>(updates.target_size);
  const UserArgument all[] = {arguments.places, arguments.values, arguments.targets, size};
  kernel.launch_arguments(stream, updates.size, all, order);
}

void launch_segment_fold(device::Stream& stream, const SegmentFold& fold,
                         const SegmentFoldArguments& arguments, const device::Order& order) {
  const AssociativeText text = associative_text(fold.operation, fold.dtype, dialect_for(stream));
  device::Device& device = stream.device();
  std::string key = "segments " + text.key;
  append_key(key, tiling_of(device));
  const SegmentFoldPlan& plan = plans<SegmentFoldPlan>(device).find(key, [&] {
    auto made = std::make_shared<SegmentFoldPlan>();
    made->fold = std::make_unique<SegmentedFoldKernel>(
        device.shared_from_this(), text.dtype,
        SegmentedFoldTexts{.arguments = "const " + text.item + " *x",
                           .map = "x[i]",
                           .reduce = text.combine,
                           .neutral = text.neutral},
        SegmentedFoldOptions{.name = "segments_" + text.name,
                             .preamble = text.preamble,
                             .flags = text.flags,
                             .types = text.types});
    made->fold->let_go_of_device();
    return made;
  });
  const UserArgument all[] = {arguments.elements, arguments.starts, arguments.ends,
                              arguments.results};
  plan.fold->launch_arguments(
      stream, {.count = fold.segments, .indices = fold.length, .rows = fold.rows}, all, order);
}

}  // namespace treadle::kernel
