// SPDX-License-Identifier: MIT
// Runs a block region by region. Between two regions every thread waits at a barrier; `state` says
// which region each thread runs next.
//
// Together: while all threads go to the same region, one call runs it for all of them. That is
// every kernel whose barriers stand where CUDA wants them. Apart: when they do not (a loop that
// some leave early, warp barriers, a barrier in both branches), rounds. Each round releases, by the
// barrier a thread waits at:
//   (a) scheduling barriers: always;
//   (b) warp barriers: if no thread of the warp waits at (a);
//   (c) block barriers: if no thread of the block waits at (a) or (b).
// Exited threads count as arrived. Example, 64 threads, `if (t < 32) { __syncwarp(); }
// __syncthreads();`: after region 0, warp 0 waits at the warp barrier and warp 1 at the block
// barrier. Round 1 releases warp 0 by (b) and holds warp 1; then both wait at the block barrier,
// and the block is together again.
#include "cuda_cpu/runtime/region_scheduler.hpp"

#include <algorithm>
#include <cstring>

namespace treadle::cuda_cpu {
namespace {

constexpr unsigned warp_threads = 32;

bool all_equal(const std::uint8_t* state, unsigned count) {
  unsigned differences = 0;
  for (unsigned i = 0; i < count; ++i) differences |= static_cast<unsigned>(state[i] ^ state[0]);
  return differences == 0;
}

/// Runs regions for all threads from `region` on. True when all have exited, false when they have
/// parted.
bool run_together(const Kernel& kernel, unsigned region, void** arguments, BlockContext& block) {
  while (true) {
    const Region& now = kernel.regions[region];
    now.run_all(arguments, &block);
    unsigned next = region_exited;
    if (now.only_successor >= 0) {
      next = static_cast<unsigned>(now.only_successor);
    } else {
      if (now.uniform_exit == 0 && !all_equal(block.state, block.thread_count)) return false;
      next = block.state[0];
    }
    if (next == region_exited) return true;
    region = next;
  }
}

/// Fills `selected` with what this round releases. False when every thread has exited.
bool select_released(const BarrierKinds& kinds, BlockContext& block) {
  constexpr auto scheduling = static_cast<std::uint8_t>(BarrierKind::scheduling);
  constexpr auto whole_block = static_cast<std::uint8_t>(BarrierKind::block);
  const unsigned count = block.thread_count;
  const std::uint8_t* const state = block.state;
  std::uint8_t* const selected = block.selected;
  std::memcpy(selected, state, count);
  bool any_left = false, any_before_block = false;
  for (unsigned first = 0; first < count; first += warp_threads) {
    const unsigned end = std::min(count, first + warp_threads);
    bool at_scheduling = false;
    for (unsigned i = first; i < end; ++i) {
      if (state[i] == region_exited) continue;
      any_left = true;
      at_scheduling |= kinds[state[i]] == scheduling;
      any_before_block |= kinds[state[i]] != whole_block;
    }
    if (!at_scheduling) continue;
    for (unsigned i = first; i < end; ++i)
      if (state[i] != region_exited &&
          kinds[state[i]] == static_cast<std::uint8_t>(BarrierKind::warp))
        selected[i] = region_held;
  }
  if (any_before_block)
    for (unsigned i = 0; i < count; ++i)
      if (state[i] != region_exited && kinds[state[i]] == whole_block) selected[i] = region_held;
  return any_left;
}

/// Runs each region that some thread was released to, for those threads.
void run_released(const Kernel& kernel, void** arguments, BlockContext& block) {
  std::uint64_t present[4] = {0, 0, 0, 0};
  for (unsigned i = 0; i < block.thread_count; ++i)
    present[block.selected[i] >> 6] |= std::uint64_t{1} << (block.selected[i] & 63);
  for (unsigned region = 0; region < kernel.region_count; ++region)
    if ((present[region >> 6] >> (region & 63) & 1) != 0)
      kernel.regions[region].run_selected(arguments, &block);
}

}  // namespace

BarrierKinds barrier_kinds(const Kernel& kernel) {
  BarrierKinds kinds;
  kinds.fill(static_cast<std::uint8_t>(BarrierKind::block));
  for (unsigned region = 0; region < kernel.region_count; ++region)
    kinds[region] = kernel.regions[region].barrier;
  return kinds;
}

void run_regions(const Kernel& kernel, const BarrierKinds& kinds, void** arguments,
                 BlockContext& block) {
  if (run_together(kernel, 0, arguments, block)) return;
  while (select_released(kinds, block)) {
    run_released(kernel, arguments, block);
    if (!all_equal(block.state, block.thread_count)) continue;
    if (block.state[0] == region_exited || run_together(kernel, block.state[0], arguments, block))
      return;
  }
}

}  // namespace treadle::cuda_cpu
