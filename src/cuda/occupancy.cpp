// SPDX-License-Identifier: MIT
#include "treadle/cuda/occupancy.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>

#include "treadle/base/error.hpp"

namespace treadle::cuda {
namespace {

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return unit == 0 ? value : (value + unit - 1) / unit * unit;
}

[[noreturn]] void refuse(const char* what, std::uint64_t needed, std::uint64_t available) {
  throw InvalidArgument(std::string("too ") + what + ": a block needs " + std::to_string(needed) +
                            ", a multiprocessor has " + std::to_string(available),
                        "make the block smaller");
}

}  // namespace

Multiprocessor Multiprocessor::of(const Device& device) {
  const auto ask = [&](DeviceAttribute attribute, unsigned otherwise) {
    try {
      const int value = device.attribute(attribute);
      return value > 0 ? static_cast<unsigned>(value) : otherwise;
    } catch (const DeviceError&) {
      return otherwise;  // a driver that is older than the attribute
    }
  };
  Multiprocessor m;
  m.block_threads = ask(DeviceAttribute::max_threads_per_block, m.block_threads);
  m.warp_threads = ask(DeviceAttribute::warp_size, m.warp_threads);
  m.warps =
      std::max(1u, ask(DeviceAttribute::max_threads_per_multiprocessor, m.warps * m.warp_threads) /
                       m.warp_threads);
  m.blocks = ask(DeviceAttribute::max_blocks_per_multiprocessor, m.blocks);
  m.registers = ask(DeviceAttribute::max_registers_per_multiprocessor, m.registers);
  m.shared_bytes = ask(DeviceAttribute::max_shared_memory_per_multiprocessor, m.shared_bytes);
  return m;
}

Occupancy occupancy(const Multiprocessor& m, const BlockNeeds& needs) {
  if (m.warp_threads == 0 || m.warps == 0)
    throw InvalidArgument("warp_threads = " + std::to_string(m.warp_threads) +
                              ", warps = " + std::to_string(m.warps) +
                              ": a multiprocessor has at least one of each",
                          "Multiprocessor::of(device) asks a device");
  if (needs.threads == 0)
    throw InvalidArgument("threads = 0: a block has at least one thread", "pass its size");
  if (needs.threads > m.block_threads) refuse("many threads", needs.threads, m.block_threads);
  const auto warps = (needs.threads + m.warp_threads - 1) / m.warp_threads;
  if (warps > m.warps) refuse("many threads", needs.threads, m.warps * m.warp_threads);
  const auto registers =
      warps * round_up(std::uint64_t{m.warp_threads} * needs.registers_per_thread, m.register_unit);
  const auto shared_bytes = round_up(needs.shared_bytes, m.shared_unit_bytes);
  if (registers > m.registers) refuse("many registers", registers, m.registers);
  if (shared_bytes > m.shared_bytes) refuse("much shared memory", shared_bytes, m.shared_bytes);

  Occupancy result;
  result.limits = {{m.blocks, OccupancyLimit::blocks}, {m.warps / warps, OccupancyLimit::warps}};
  const auto add = [&](std::uint64_t available, std::uint64_t needed, OccupancyLimit by) {
    if (needed > 0) result.limits.push_back({static_cast<unsigned>(available / needed), by});
  };
  add(m.registers, registers, OccupancyLimit::registers);
  add(m.shared_bytes, shared_bytes, OccupancyLimit::shared_memory);
  const auto smallest = *std::min_element(
      result.limits.begin(), result.limits.end(), [](const auto& a, const auto& b) {
        return std::tie(a.blocks, a.by) < std::tie(b.blocks, b.by);
      });
  result.blocks = smallest.blocks;
  result.limited_by = smallest.by;
  result.warps = result.blocks * warps;
  result.fraction = static_cast<double>(result.warps) / m.warps;
  return result;
}

}  // namespace treadle::cuda
