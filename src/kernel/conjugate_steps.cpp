// SPDX-License-Identifier: MIT
#include "treadle/kernel/conjugate_steps.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "declared_kernel.hpp"
#include "matrix_arguments.hpp"
#include "plan_table.hpp"
#include "several_launches.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/kernel/tiling.hpp"

namespace treadle::kernel {

/// The kernels of one form, which do not keep the device alive.
struct ConjugatePlan {
  std::vector<DeclaredKernel> kernels;
};

namespace {

using codegen::ConjugateParts;

/// Elements of vectors that a step reads or writes for each row.
constexpr std::uint64_t vectors = 8;

unsigned power_below(std::uint64_t limit, unsigned wanted) {
  return static_cast<unsigned>(
      std::bit_floor(limit == 0 ? wanted : std::min<std::uint64_t>(limit, wanted)));
}

unsigned group_items(device::Device& device, const codegen::Tiling& tiling,
                     const ConjugateSteps& what, ConjugateParts parts) {
  const auto half = static_cast<unsigned>(
      std::bit_ceil(std::min<std::uint64_t>(what.product.rows, tiling.conjugate_lone_rows)) /
      tiling.conjugate_rows);
  if (tiling.schedule == Schedule::narrow || parts == ConjugateParts::three_kernels)
    return tiling.group_size;
  // NVIDIA's OpenCL allows kernels of so many registers the groups of the tiling, not the device's.
  const bool is_cuda = device.info().language == Language::cuda_c;
  // A tiling may have more as the fewest than as the most.
  const unsigned alone =
      what.lone_items != 0
          ? what.lone_items
          : std::min(std::max(half, tiling.conjugate_least_items), tiling.conjugate_lone_items);
  return power_below(is_cuda ? device.info().limits.max_group_items : tiling.group_size,
                     parts == ConjugateParts::one_group ? alone : tiling.conjugate_meeting_items);
}

/// Rows that each work-item of a lone group keeps; 0: they are too many, or the group is one of a
/// processor.
unsigned kept_rows(const codegen::Tiling& tiling, std::uint64_t rows, ConjugateParts parts,
                   unsigned items) {
  if (tiling.schedule == Schedule::narrow || parts != ConjugateParts::one_group) return 0;
  const auto each = static_cast<unsigned>(std::bit_ceil((rows + items - 1) / items));
  return each <= tiling.conjugate_kept_rows ? each : 0;
}

/// Rows of each group but the last, and how many groups there are.
Intervals rows_of_groups(const device::DeviceInfo& info, const codegen::Tiling& tiling,
                         std::uint64_t rows, ConjugateParts parts, unsigned items) {
  if (parts == ConjugateParts::one_group) return {static_cast<std::int64_t>(rows), 1};
  if (parts == ConjugateParts::three_kernels)
    return intervals_of(rows, std::max(items, tiling.interval_length), tiling, info);
  const std::uint64_t units = std::max(info.performance.compute_units, 1u);
  const std::uint64_t pieces = (rows + items - 1) / items, each = (pieces + units - 1) / units;
  return {static_cast<std::int64_t>(each * items),
          static_cast<std::int64_t>((pieces + each - 1) / each)};
}

const ConjugatePlan& conjugate_plan(device::Device& device, const codegen::ConjugateForm& form,
                                    const codegen::Tiling& tiling, unsigned items) {
  std::string key = matrix_key(form.matrix);
  append_key(key, tiling);
  for (const unsigned part : {static_cast<unsigned>(form.has_factor),
                              static_cast<unsigned>(form.parts), form.rows_each, items})
    key.append(" ").append(std::to_string(part));
  return plans<ConjugatePlan>(device).find(key, [&] {
    auto made = std::make_shared<ConjugatePlan>();
    made->kernels = declared_kernels(
        device, codegen::generate_conjugate_steps(form, tiling, items,
                                                  codegen::dialect_of(device.info().language)));
    return made;
  });
}

}  // namespace

codegen::ConjugateParts conjugate_parts(device::Device& device, const SparseProduct& product) {
  const device::DeviceInfo& info = device.info();
  const codegen::Tiling& tiling = tiling_of(device, product.schedule);
  if (tiling.schedule == Schedule::narrow) {
    const bool is_small = product.entries + vectors * product.rows <= tiling.conjugate_lone_work;
    return is_small ? ConjugateParts::one_group : ConjugateParts::three_kernels;
  }
  if (product.rows <= tiling.conjugate_lone_rows &&
      product.entries <= tiling.conjugate_lone_entries)
    return ConjugateParts::one_group;
  // Groups of the processor's CUDA device run one after the other where threads are few.
  const bool can_meet = info.kind == device::DeviceKind::gpu && info.traits.cooperative_launch &&
                        info.traits.forward_progress;
  return can_meet && product.rows <= tiling.conjugate_meeting_rows ? ConjugateParts::several_groups
                                                                   : ConjugateParts::three_kernels;
}

void launch_conjugate_steps(device::Stream& stream, const ConjugateSteps& what,
                            const ConjugateArguments& arguments, std::int64_t steps,
                            const device::Order& order) {
  device::Device& device = stream.device();
  const codegen::Tiling& tiling = tiling_of(device, what.product.schedule);
  const ConjugateParts parts = what.parts ? *what.parts : conjugate_parts(device, what.product);
  const unsigned items = group_items(device, tiling, what, parts);
  const codegen::ConjugateForm form{
      .matrix = what.product.form,
      .has_factor = what.has_factor,
      .parts = parts,
      .rows_each = kept_rows(tiling, what.product.rows, parts, items)};
  const ConjugatePlan& plan = conjugate_plan(device, form, tiling, items);
  const Intervals intervals =
      rows_of_groups(device.info(), tiling, what.product.rows, form.parts, items);
  // Sums of each group, and what groups that meet count.
  const std::size_t sum_bytes = static_cast<std::size_t>(intervals.count) * 3 * sizeof(double);
  const memory::Buffer between = scratch_on(stream, sum_bytes + sizeof(std::uint64_t));
  const device::Argument sums(between.location()), meeting(between.location() + sum_bytes);
  std::vector<UserArgument> all =
      matrix_arguments(form.matrix, {arguments.data, arguments.columns, arguments.starts,
                                     arguments.direction, arguments.product});
  all.insert(all.end(),
             {arguments.direction, arguments.product, arguments.residual, arguments.solution});
  if (what.has_factor) all.emplace_back(arguments.factor);
  all.insert(all.end(), {arguments.state, sums, meeting});
  const MatrixNumbers numbers(what.product);
  numbers.append_to(all);
  all.emplace_back(intervals.length);
  all.emplace_back(steps);
  LaunchesInTurn launches(stream, order);
  const auto launch = [&](const DeclaredKernel& kernel, bool is_last) {
    launches.then(
        [&](const device::Order& own) {
          kernel.launch(stream, all,
                        {.groups = static_cast<unsigned>(intervals.count),
                         .group_size = items,
                         .cooperative = form.parts == ConjugateParts::several_groups},
                        own);
        },
        is_last ? LaunchesInTurn::Place::last : LaunchesInTurn::Place::before_others);
  };
  if (form.parts == ConjugateParts::several_groups)
    launches.then([&](const device::Order& own) {
      const std::byte zero{};
      stream.fill(meeting.location(), {&zero, 1}, sizeof(std::uint32_t), own);
    });
  if (form.parts != ConjugateParts::three_kernels) return launch(plan.kernels.front(), true);
  for (std::int64_t step = 0; step < steps; ++step)
    for (const DeclaredKernel& kernel : plan.kernels)
      launch(kernel, step + 1 == steps && &kernel == &plan.kernels.back());
}

}  // namespace treadle::kernel
