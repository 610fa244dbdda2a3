// SPDX-License-Identifier: MIT
#include "treadle/kernel/counting.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "declared_kernel.hpp"
#include "plan_table.hpp"
#include "several_launches.hpp"
#include "treadle/base/error.hpp"
#include "treadle/codegen/counting.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/kernel/scan_kernel.hpp"
#include "treadle/kernel/tiling.hpp"

namespace treadle::kernel {

/// Kernels that do not keep the device alive; each plan has one of the two.
struct CountingPlan {
  std::optional<DeclaredKernel> counts;
  std::unique_ptr<ScanKernel> sums;
};

namespace {

std::shared_ptr<const CountingPlan> make_counting_plan(device::Device& device,
                                                       const codegen::CountForm& form,
                                                       const codegen::Tiling& tiling) {
  auto kernels = declared_kernels(
      device, codegen::generate_count(form, tiling, codegen::dialect_of(device.info().language)));
  auto plan = std::make_shared<CountingPlan>();
  plan->counts.emplace(std::move(kernels.front()));
  return plan;
}

/// The number of counters of a group for so many bins. There are few sizes, because each size needs
/// its own kernel text.
std::uint64_t own_counters(std::uint64_t bin_count, const codegen::Tiling& tiling) {
  const std::uint64_t room = tiling.bin_bytes / sizeof(std::uint32_t);
  const bool is_wide = tiling.schedule == Schedule::wide;
  if ((is_wide ? bin_count : bin_count + 1) > room) return 0;
  return is_wide ? std::min(room, std::bit_ceil(std::max<std::uint64_t>(bin_count, 256))) : room;
}

std::shared_ptr<const CountingPlan> make_weighted_plan(device::Device& device) {
  auto plan = std::make_shared<CountingPlan>();
  const codegen::Dialect& dialect = codegen::dialect_of(device.info().language);
  plan->sums = std::make_unique<ScanKernel>(device.shared_from_this(), Scalar::float64,
                                            codegen::bin_sums(dialect),
                                            ScanOptions{.name = "sum_bins",
                                                        .preamble = dialect.exact_preamble,
                                                        .flags = dialect.exact_flags,
                                                        .is_apart = true});
  plan->sums->let_go_of_device();
  return plan;
}

/// The distance of zero from the outermost edge that is furthest from zero, in bins.
double furthest_place(const EvenBins& even, std::uint64_t bin_count) {
  const double last = even.first + static_cast<double>(bin_count) / even.scale;
  return std::max(std::abs(even.first), std::abs(last)) * even.scale;
}

/// The distance of a place from an edge, in bins, below which the rounded edge itself decides. It
/// is twice the error of an edge plus the error of the place. A place in float32 comes from a
/// difference and a product of rounded numbers.
double margin_of(const EvenBins& even, std::uint64_t bin_count, Scalar dtype, bool is_single) {
  constexpr double single = std::numeric_limits<float>::epsilon();
  constexpr double twice = std::numeric_limits<double>::epsilon();
  const double count = static_cast<double>(bin_count), furthest = furthest_place(even, bin_count);
  const double of_edges = furthest * (dtype == Scalar::float32 ? single : twice);
  return is_single ? of_edges + (furthest + 4 * count) * single : of_edges + count * 16 * twice;
}

/// Whether float32 finds the places of float32 values so precisely that most are far from every
/// edge. GPUs convert to float64 and back at a sixteenth of the rate of float32 arithmetic.
bool is_found_in_single(const EvenBins& even, std::uint64_t bin_count, Scalar dtype) {
  constexpr double most = 1e30, least = 1e-30;  // far from the limits of float32
  return dtype == Scalar::float32 && even.scale < most && even.scale > least &&
         std::abs(even.first) < most && margin_of(even, bin_count, dtype, true) < 0.05;
}

/// The three numbers of a kernel that finds bins by rounding. Scale, shift and the place are
/// rounded once each, by half an epsilon, and so are the edges.
std::array<double, 3> numbers_for_rounding(const EvenBins& even, std::uint64_t bin_count) {
  const double margin = (2 * furthest_place(even, bin_count) + static_cast<double>(bin_count) + 1) *
                        std::numeric_limits<float>::epsilon();
  return {-even.first * even.scale - 0.5, even.scale, 0.5 - margin};
}

}  // namespace

void launch_count(device::Stream& stream, const Count& what, const CountArguments& arguments,
                  const device::Order& order) {
  const ScalarKind kind = DType(what.dtype).kind();
  const bool is_counted = what.even ? kind != ScalarKind::complex && what.dtype != Scalar::float16
                                    : kind != ScalarKind::complex && kind != ScalarKind::floating;
  if (!is_counted || what.dtype == Scalar::structure)
    throw DTypeError("a count of elements of " + DType(what.dtype).name(), "count integers");
  if (what.even.has_value() != arguments.edges.has_value())
    throw InvalidArgument("a count of values without the edges of their bins", "pass them");
  device::Device& device = stream.device();
  const codegen::Tiling& tiling = tiling_of(device, what.schedule);
  const bool is_single = what.even && is_found_in_single(*what.even, what.bin_count, what.dtype);
  const codegen::CountForm form{what.dtype, what.even.has_value(),
                                own_counters(what.bin_count, tiling), is_single};
  std::string key = "counts " + std::to_string(form.own_counters) + " ";
  key += {static_cast<char>(form.dtype), static_cast<char>(form.is_even),
          static_cast<char>(is_single)};
  append_key(key, tiling);
  const CountingPlan& plan = plans<CountingPlan>(device).find(
      key, [&] { return make_counting_plan(device, form, tiling); });
  const Intervals intervals =
      intervals_of(what.n, codegen::count_tile(form, tiling), tiling, device.info());
  const auto bin_count = static_cast<std::uint32_t>(what.bin_count);
  const std::uint32_t copies = std::bit_floor(
      std::clamp(static_cast<std::uint32_t>(form.own_counters / (what.bin_count + 1)), 1u,
                 std::max(tiling.counter_copies, 1u)));
  const auto n = static_cast<std::int64_t>(what.n);
  const EvenBins even = what.even.value_or(EvenBins{});
  const std::array<double, 3> places =
      codegen::finds_by_rounding(form, tiling)
          ? numbers_for_rounding(even, what.bin_count)
          : std::array{even.first, even.scale,
                       margin_of(even, what.bin_count, what.dtype, is_single)};
  const float singles[] = {static_cast<float>(places[0]), static_cast<float>(places[1]),
                           static_cast<float>(places[2])};
  std::vector<UserArgument> given{arguments.elements, arguments.counts};
  if (what.even) {
    given.emplace_back(*arguments.edges);
    for (std::size_t k = 0; k < std::size(places); ++k)
      is_single ? given.emplace_back(singles[k]) : given.emplace_back(places[k]);
  }
  given.insert(given.end(), {n, intervals.length, bin_count, copies});
  plan.counts->launch(stream, given, static_cast<std::uint64_t>(intervals.count), tiling.group_size,
                      order);
}

void launch_weighted(device::Stream& stream, std::uint64_t n, std::uint64_t bin_count,
                     const WeightedArguments& arguments, const device::Order& order) {
  const auto count = static_cast<std::int64_t>(bin_count);
  const UserArgument all[] = {arguments.bins, arguments.weights, arguments.sums, count};
  device::Device& device = stream.device();
  std::string key = "sums ";
  append_key(key, tiling_of(device));
  plans<CountingPlan>(device)
      .find(key, [&] { return make_weighted_plan(device); })
      .sums->launch_arguments(stream, n, all, order);
}

}  // namespace treadle::kernel
