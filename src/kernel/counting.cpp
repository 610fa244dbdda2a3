// SPDX-License-Identifier: MIT
// Counts are integers, which atomics add up in any order to the same. Floats are not: weights are
// sorted by their bins, and a scan with a segment for each bin adds them in an order that depends
// on their number alone. The last sum of a segment is that of its bin.
#include "treadle/kernel/counting.hpp"

#include <memory>
#include <string>

#include "plan_table.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/kernel/elementwise_kernel.hpp"
#include "treadle/kernel/scan_kernel.hpp"
#include "treadle/kernel/tiling.hpp"

namespace treadle::kernel {

/// Kernels that do not keep the device alive; one of them is there.
struct CountingPlan {
  std::unique_ptr<ElementwiseKernel> counts;
  std::unique_ptr<ScanKernel> sums;
};

namespace {

std::shared_ptr<const CountingPlan> make_counting_plan(device::Device& device) {
  auto plan = std::make_shared<CountingPlan>();
  plan->counts = std::make_unique<ElementwiseKernel>(
      device.shared_from_this(), "const uint *bins, uint *counts, uint bin_count",
      "const uint bin = bins[i];\nif (bin < bin_count) treadle_atomic_add(&counts[bin], 1u);",
      ElementwiseOptions{.name = "count_bins", .preamble = "#include \"treadle/dialect.h\"\n"});
  plan->counts->let_go_of_device();
  return plan;
}

std::shared_ptr<const CountingPlan> make_weighted_plan(device::Device& device) {
  auto plan = std::make_shared<CountingPlan>();
  const codegen::Dialect& dialect = codegen::dialect_of(device.info().language);
  plan->sums = std::make_unique<ScanKernel>(
      device.shared_from_this(), Scalar::float64,
      ScanTexts{
          .arguments = "const uint *bins, const double *weights, double *sums, long bin_count",
          .input = "weights[i]",
          .scan = "across_seg_boundary ? b : a + b",
          .output = "if ((i == N - 1 || bins[i] != bins[i + 1]) && bins[i] < bin_count) "
                    "sums[bins[i]] = item",
          .segment_start = "i == 0 || bins[i] != bins[i - 1]"},
      ScanOptions{.name = "sum_bins",
                  .preamble = dialect.exact_preamble,
                  .flags = dialect.exact_flags,
                  .is_apart = true});
  plan->sums->let_go_of_device();
  return plan;
}

const CountingPlan& counting_plan(device::Device& device, bool is_weighted) {
  std::string key = is_weighted ? "sums " : "counts ";
  append_key(key, tiling_of(device));
  return plans<CountingPlan>(device).find(
      key, [&] { return is_weighted ? make_weighted_plan(device) : make_counting_plan(device); });
}

}  // namespace

void launch_count(device::Stream& stream, std::uint64_t n, std::uint64_t bin_count,
                  const device::Argument& bins, const device::Argument& counts,
                  const device::Order& order) {
  const auto count = static_cast<std::uint32_t>(bin_count);
  const UserArgument all[] = {bins, counts, count};
  counting_plan(stream.device(), false).counts->launch_arguments(stream, n, all, order);
}

void launch_weighted(device::Stream& stream, std::uint64_t n, std::uint64_t bin_count,
                     const WeightedArguments& arguments, const device::Order& order) {
  const auto count = static_cast<std::int64_t>(bin_count);
  const UserArgument all[] = {arguments.bins, arguments.weights, arguments.sums, count};
  counting_plan(stream.device(), true).sums->launch_arguments(stream, n, all, order);
}

}  // namespace treadle::kernel
