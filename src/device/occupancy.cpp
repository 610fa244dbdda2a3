// SPDX-License-Identifier: MIT
#include "treadle/device/occupancy.hpp"

#include <algorithm>
#include <cstdio>
#include <tuple>
#include <utility>

#include "treadle/device/device.hpp"

namespace treadle::device {
namespace {

/// What the numbers alone would allow; a device that does not tell one of them sets no limit by it.
OccupancyLimit limit_of(const Kernel& kernel, const Occupancy& found, std::size_t local_bytes) {
  const DeviceLimits& limits = kernel.device().info().limits;
  const KernelResources& needs = kernel.resources();
  const std::uint64_t of_group = needs.static_local_bytes + local_bytes;
  // Registers are given to whole sub-groups.
  const unsigned width = std::max(kernel.device().info().traits.sub_group_width, 1u);
  const std::uint64_t lanes = (found.group_items + width - 1) / width * std::uint64_t{width};
  OccupancyLimit nearest = OccupancyLimit::groups;
  std::uint64_t least = ~std::uint64_t{0};
  const auto look = [&](OccupancyLimit limit, std::uint64_t all, std::uint64_t of_one) {
    if (all != 0 && of_one != 0 && all / of_one < least)
      std::tie(nearest, least) = std::pair(limit, all / of_one);
  };
  look(OccupancyLimit::work_items, limits.compute_unit_items, lanes);
  look(OccupancyLimit::registers, limits.compute_unit_registers, needs.registers * lanes);
  look(OccupancyLimit::local_memory, limits.compute_unit_local_bytes, of_group);
  // Rounding (registers by 256, local memory by a kilobyte) takes one group at most and a quarter.
  const bool is_far = least > found.groups + 1 && least > found.groups + found.groups / 4;
  return is_far ? OccupancyLimit::groups : nearest;
}

std::string bytes(std::uint64_t count) { return std::to_string(count) + " bytes"; }

std::string needs_text(const Kernel& kernel) {
  const KernelResources& needs = kernel.resources();
  std::string text;
  const auto add = [&](bool is_told, const std::string& what) {
    if (is_told) text += (text.empty() ? "" : ", ") + what;
  };
  add(needs.registers != 0, std::to_string(needs.registers) + " registers");
  add(needs.private_bytes != 0,
      bytes(needs.private_bytes) + " of private memory (arrays and spilled registers)");
  if (text.empty()) text = "registers that the run-time does not tell";
  return "a work-item needs " + text + "\na group needs " + bytes(needs.static_local_bytes) +
         " of local memory, and has " + std::to_string(needs.max_group_items) +
         " work-items at most" +
         (needs.preferred_group_multiple > 1
              ? ", best a multiple of " + std::to_string(needs.preferred_group_multiple)
              : "") +
         "\n";
}

}  // namespace

std::string_view occupancy_limit_name(OccupancyLimit limit) noexcept {
  constexpr std::string_view names[] = {"work-items", "registers", "local memory", "groups"};
  return names[static_cast<std::size_t>(limit)];
}

std::optional<Occupancy> occupancy_of(const Kernel& kernel, unsigned group_items,
                                      std::size_t local_bytes) {
  const auto groups = kernel.groups_per_compute_unit(group_items, local_bytes);
  if (!groups) return {};
  Occupancy found{.group_items = group_items, .groups = *groups};
  if (const unsigned most = kernel.device().info().limits.compute_unit_items; most != 0)
    found.fraction = std::min(1.0, static_cast<double>(found.groups) * group_items / most);
  if (group_items != 0) found.limit = limit_of(kernel, found, local_bytes);
  return found;
}

std::vector<Occupancy> occupancies_of(const Kernel& kernel, std::size_t local_bytes) {
  std::vector<Occupancy> all;
  const unsigned most = kernel.max_group_items();
  const unsigned width = std::max(kernel.device().info().traits.sub_group_width, 1u);
  for (unsigned items = width; items != 0; items = items < most ? std::min(2 * items, most) : 0)
    if (const auto found = occupancy_of(kernel, items, local_bytes)) all.push_back(*found);
  return all;
}

std::string explain(const Kernel& kernel, std::size_t local_bytes) {
  const DeviceInfo& info = kernel.device().info();
  std::string text =
      "kernel " + kernel.name() + " on " + info.id + " (" + info.name + ")\n" + needs_text(kernel);
  const auto all = occupancies_of(kernel, local_bytes);
  if (all.empty())
    return text + "how many groups a compute unit holds is not told by " + info.runtime + "\n";
  text += "work-items  groups at a time  occupancy  limit\n";
  for (const Occupancy& each : all) {
    char line[96];
    std::snprintf(line, sizeof line, "%10u  %16u  %7.0f %%  %s\n", each.group_items, each.groups,
                  100 * each.fraction, occupancy_limit_name(each.limit).data());
    text += line;
  }
  return text;
}

}  // namespace treadle::device
