// SPDX-License-Identifier: MIT
#include "treadle/cuda/occupancy.hpp"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <exception>
#include <string>
#include <tuple>
#include <utility>

#include "cuda/argument_check.hpp"
#include "cuda/raw_attributes.hpp"
#include "treadle/base/error.hpp"
#include "treadle/cuda/function.hpp"
#include "treadle/cuda/launch_attributes.hpp"
#include "treadle/cuda/table.hpp"

namespace treadle::cuda {
namespace {

/// The driver counts in int.
int as_count(const char* call, const char* what, unsigned count, unsigned least) {
  if (count < least || count > INT_MAX)
    throw InvalidArgument(std::string(call) + ": " + what + " is " + std::to_string(count) +
                              ", and " + std::to_string(least) + " or more was expected",
                          "look for a subtraction that went below 0");
  return static_cast<int>(count);
}

std::string of_kernel(const Function& function) { return "kernel \"" + function.name() + "\""; }

/// What the driver's callback, which takes no data, asks: on the same thread, within the call.
struct SharedBytesQuestion {
  const std::function<std::size_t(unsigned)>* answer;
  std::exception_ptr thrown = nullptr;
};
thread_local SharedBytesQuestion* current_question = nullptr;

std::size_t answer_driver(int block_threads) {
  SharedBytesQuestion& question = *current_question;
  if (question.thrown) return 0;
  try {
    return (*question.answer)(static_cast<unsigned>(block_threads));
  } catch (...) {  // must not pass through the driver
    question.thrown = std::current_exception();
    return 0;
  }
}

BlockSuggestion ask_for_block(const Function& function, CUoccupancyB2DSize answer,
                              std::size_t shared_bytes, unsigned most_threads,
                              OccupancyFlags flags) {
  constexpr const char* call = "cuOccupancyMaxPotentialBlockSizeWithFlags";
  const int most = as_count(call, "most_threads", most_threads, 0);
  const Activation active(function.context());
  int grid = 0, block = 0;
  const int code = active.table().cuOccupancyMaxPotentialBlockSizeWithFlags(
      &grid, &block, function.raw(), answer, shared_bytes, most, static_cast<unsigned>(flags));
  if (answer != nullptr && current_question->thrown)
    std::rethrow_exception(current_question->thrown);
  check(active.table(), code, call, [&] { return of_kernel(function); });
  return {static_cast<unsigned>(block), static_cast<unsigned>(grid)};
}

std::uint64_t in_whole_units(std::uint64_t value, std::uint64_t unit) {
  return unit == 0 ? value : (value + unit - 1) / unit * unit;
}

[[noreturn]] void refuse(const char* what, std::uint64_t needed, std::uint64_t available) {
  throw InvalidArgument(std::string("too ") + what + ": a block needs " + std::to_string(needed) +
                            ", a multiprocessor has " + std::to_string(available),
                        "make the block smaller");
}

}  // namespace

unsigned max_active_blocks(const Function& function, unsigned block_threads,
                           std::size_t shared_bytes, OccupancyFlags flags) {
  constexpr const char* call = "cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags";
  const int threads = as_count(call, "block_threads", block_threads, 1);
  refuse_negative(call, "shared_bytes", shared_bytes);
  const Activation active(function.context());
  int blocks = 0;
  check(active.table(),
        active.table().cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
            &blocks, function.raw(), threads, shared_bytes, static_cast<unsigned>(flags)),
        call, [&] { return of_kernel(function); });
  return static_cast<unsigned>(blocks);
}

BlockSuggestion suggest_block(const Function& function, std::size_t shared_bytes,
                              unsigned most_threads, OccupancyFlags flags) {
  refuse_negative("cuOccupancyMaxPotentialBlockSizeWithFlags", "shared_bytes", shared_bytes);
  return ask_for_block(function, nullptr, shared_bytes, most_threads, flags);
}

BlockSuggestion suggest_block(const Function& function,
                              const std::function<std::size_t(unsigned)>& shared_bytes,
                              unsigned most_threads, OccupancyFlags flags) {
  if (!shared_bytes)
    throw InvalidArgument("suggest_block: shared_bytes is an empty function",
                          "pass the number of bytes if it is the same for all blocks");
  SharedBytesQuestion question{&shared_bytes};
  struct Asking {  // the callback may ask for another kernel
    explicit Asking(SharedBytesQuestion& now) : outer(std::exchange(current_question, &now)) {}
    ~Asking() { current_question = outer; }
    SharedBytesQuestion* outer;
  } asking(question);
  return ask_for_block(function, &answer_driver, 0, most_threads, flags);
}

std::size_t available_shared_bytes(const Function& function, unsigned blocks,
                                   unsigned block_threads) {
  constexpr const char* call = "cuOccupancyAvailableDynamicSMemPerBlock";
  const int block_count = as_count(call, "blocks", blocks, 1);
  const int threads = as_count(call, "block_threads", block_threads, 1);
  const Activation active(function.context());
  std::size_t bytes = 0;
  check(active.table(),
        active.table().cuOccupancyAvailableDynamicSMemPerBlock(&bytes, function.raw(), block_count,
                                                               threads),
        call, [&] { return of_kernel(function); });
  return bytes;
}

namespace {

template <class Slot>
unsigned ask_of_clusters(const char* call, Slot Table::* slot, const Function& function,
                         const LaunchConfig& config) {
  RawAttributes attributes(config);
  CUlaunchConfig raw{};
  raw.gridDimX = config.grid.x;
  raw.gridDimY = config.grid.y;
  raw.gridDimZ = config.grid.z;
  raw.blockDimX = config.block.x;
  raw.blockDimY = config.block.y;
  raw.blockDimZ = config.block.z;
  raw.sharedMemBytes = config.shared_bytes;
  raw.attrs = attributes.all().data();
  raw.numAttrs = static_cast<unsigned>(attributes.all().size());
  const Activation active(function.context());
  int number = 0;
  check(active.table(), (active.table().*slot)(&number, function.raw(), &raw), call,
        [&] { return of_kernel(function) + ", " + shape_text(config); });
  return static_cast<unsigned>(number);
}

}  // namespace

unsigned max_active_clusters(const Function& function, const LaunchConfig& config) {
  constexpr const char* call = "cuOccupancyMaxActiveClusters";
  if (config.attributes == nullptr || !config.attributes->cluster)
    throw InvalidArgument(std::string(call) + ": the launch has no clusters",
                          "set cluster in its attributes");
  return ask_of_clusters(call, &Table::cuOccupancyMaxActiveClusters, function, config);
}
unsigned max_cluster_blocks(const Function& function, const LaunchConfig& config) {
  return ask_of_clusters("cuOccupancyMaxPotentialClusterSize",
                         &Table::cuOccupancyMaxPotentialClusterSize, function, config);
}

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
      warps *
      in_whole_units(std::uint64_t{m.warp_threads} * needs.registers_per_thread, m.register_unit);
  const auto shared_bytes = in_whole_units(needs.shared_bytes, m.shared_unit_bytes);
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
