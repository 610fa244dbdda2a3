// SPDX-License-Identifier: MIT
#include "treadle/kernel/selection.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "declared_kernel.hpp"
#include "plan_table.hpp"
#include "several_launches.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/selection.hpp"
#include "treadle/kernel/scan_kernel.hpp"
#include "treadle/kernel/tiling.hpp"

namespace treadle::kernel {

/// The kernels for one element size; they do not keep the device alive.
struct MaskedPlan {
  std::unique_ptr<ScanKernel> scan;    ///< wide
  std::vector<DeclaredKernel> narrow;  ///< a kernel that counts and a kernel that stores
};

namespace {

std::shared_ptr<const MaskedPlan> make_masked_plan(device::Device& device,
                                                   const MaskedElements& what) {
  const codegen::Dialect& dialect = codegen::dialect_of(device.info().language);
  auto plan = std::make_shared<MaskedPlan>();
  if (tiling_of(device, what.schedule).schedule == Schedule::narrow) {
    plan->narrow = declared_kernels(device, codegen::generate_masked(what.item_bytes, dialect));
    return plan;
  }
  plan->scan = std::make_unique<ScanKernel>(
      device.shared_from_this(), Scalar::int64, codegen::scan_of_mask(what.item_bytes, dialect),
      ScanOptions{.name = codegen::masked_name(what.item_bytes),
                  .schedule = what.schedule,
                  .is_apart = true});
  plan->scan->let_go_of_device();
  return plan;
}

void launch_narrow(device::Stream& stream, const MaskedPlan& plan, const MaskedElements& what,
                   const MaskedArguments& arguments, const device::Order& order) {
  const codegen::Tiling& tiling = tiling_of(stream.device(), what.schedule);
  const Intervals intervals =
      intervals_of(what.size, tiling.interval_length, tiling, stream.device().info());
  const memory::Buffer counts =
      scratch_on(stream, static_cast<std::size_t>(intervals.count) * sizeof(std::int64_t));
  const auto size = static_cast<std::int64_t>(what.size);
  const auto capacity = static_cast<std::int64_t>(what.capacity);
  const UserArgument counted[] = {arguments.mask, size, intervals.length, counts};
  const UserArgument stored[] = {arguments.mask,     arguments.elements,
                                 arguments.selected, arguments.count,
                                 capacity,           size,
                                 intervals.length,   counts};
  const auto groups = static_cast<std::uint64_t>(intervals.count);
  LaunchesInTurn launches(stream, order);
  launches.then(
      [&](const device::Order& own) { plan.narrow[0].launch(stream, counted, groups, 1, own); },
      LaunchesInTurn::Place::before_others);
  launches.then(
      [&](const device::Order& own) { plan.narrow[1].launch(stream, stored, groups, 1, own); },
      LaunchesInTurn::Place::last);
}

}  // namespace

void launch_masked(device::Stream& stream, const MaskedElements& what,
                   const MaskedArguments& arguments, const device::Order& order) {
  if (what.size == 0) {
    constexpr std::array<std::byte, sizeof(std::int64_t)> zero{};
    return stream.fill(arguments.count.location(), zero, 1, order);
  }
  device::Device& device = stream.device();
  std::string key = std::to_string(what.item_bytes) + " ";
  append_key(key, tiling_of(device, what.schedule));
  const MaskedPlan& plan =
      plans<MaskedPlan>(device).find(key, [&] { return make_masked_plan(device, what); });
  if (plan.scan == nullptr) return launch_narrow(stream, plan, what, arguments, order);
  const auto capacity = static_cast<std::int64_t>(what.capacity);
  const UserArgument all[] = {arguments.mask, arguments.elements, arguments.selected,
                              arguments.count, capacity};
  plan.scan->launch_arguments(stream, what.size, all, order);
}

}  // namespace treadle::kernel
