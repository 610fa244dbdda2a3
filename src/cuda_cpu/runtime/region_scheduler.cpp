// SPDX-License-Identifier: MIT
// Runs a block region by region. Between two regions every thread waits at a barrier; `state` says
// which region each thread runs next.
//
// Converged: while all threads go to the same region, one call runs it for all of them. That is the
// case for every kernel whose barriers are all in uniform control flow. Diverged (a loop that some
// threads leave early, warp barriers, a barrier in both branches): the block runs in rounds. Each
// round releases threads by the kind of barrier they wait at:
//   (a) scheduling barriers: always;
//   (b) named_warp and whole_warp: when all the lanes named wait there and name the same lanes;
//   (c) converge: if no thread of the warp waits at (a), and no lanes met by (b): those in front of
//       the first such region only, so that lanes which took a detour catch up;
//   (d) tile barriers: if every thread of the tile waits at one and names this size;
//   (e) block barriers: if every thread of the block waits at one.
// Exited threads count as arrived. If no rule releases a thread, masks name lanes that never
// arrive: threads go on without them, as on GPUs before Volta. Then (f): a block whose threads all
// wait at grid barriers is suspended until the launch resumes it.
//
// Example, 64 threads, `if (t < 32) { __syncwarp(); } __syncthreads();`: after region 0, warp 0
// waits at the warp barrier and warp 1 at the block barrier. Round 1 releases warp 0 by (b) and
// holds warp 1; then both wait at the block barrier, and the block is converged again.
#include "cuda_cpu/runtime/region_scheduler.hpp"

#include "cuda_cpu/runtime/device.hpp"
#include "cuda_cpu/runtime/driver_api.hpp"
#include "cuda_cpu/runtime/faults.hpp"
#include "cuda_cpu/runtime/stop_signal.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <optional>
#include <span>

namespace treadle::cuda_cpu {
namespace {

constexpr unsigned most_warps = 32;
constexpr unsigned barrier_kind_count = 8;
using Lanes = std::uint32_t;

bool all_equal(const std::uint8_t* state, unsigned count) {
  unsigned differences = 0;
  for (unsigned i = 0; i < count; ++i) differences |= static_cast<unsigned>(state[i] ^ state[0]);
  return differences == 0;
}

constexpr Lanes lanes_up_to(unsigned count) { return count >= 32 ? ~0u : (1u << count) - 1; }

template <class Body>
void each_lane(Lanes lanes, Body&& body) {
  for (; lanes != 0; lanes &= lanes - 1) body(static_cast<unsigned>(std::countr_zero(lanes)));
}

std::atomic<unsigned> switched_off_rules{0};
bool switched_off(SwitchedOffRule rule) {
  return (switched_off_rules.load(std::memory_order_relaxed) & rule) != 0;
}

/// The threads of one warp by what they wait at.
class Warp {
 public:
  void look(const BlockRun& run, unsigned first) {
    block_ = &run.block;
    first_ = first;
    at_.fill(0);
    released = 0;
    const unsigned count = std::min(run.block.thread_count - first, warp_size);
    const std::uint8_t* const state = run.block.state + first;
    if (all_equal(state, count)) {
      if (state[0] != region_exited) at_[run.kinds[state[0]]] = lanes_up_to(count);
    } else {
      for (unsigned i = 0; i < count; ++i)
        if (state[i] != region_exited) at_[run.kinds[state[i]]] |= 1u << i;
    }
    alive_ = 0;
    for (const Lanes lanes : at_) alive_ |= lanes;
  }

  Lanes alive() const { return alive_; }
  Lanes at(BarrierKind kind) const { return at_[static_cast<unsigned>(kind)]; }
  Lanes at_named() const { return at(BarrierKind::named_warp) | at(BarrierKind::whole_warp); }

  /// Rules (a) to (c).
  void release_what_met() {
    released = at(BarrierKind::scheduling);
    const Lanes met = named_that_met();
    released |= met;
    if (switched_off(named_lanes_rule)) release_unmet();
    if (at(BarrierKind::scheduling) != 0) return;
    if (const Lanes coming = at(BarrierKind::converge); met == 0 && coming != 0)
      released |= meet(in_first_region(coming));
  }

  /// Those that named lanes which do not come, by the place where they are.
  void release_unmet() {
    for (Lanes left = at_named(); left != 0;) {
      const Lanes group = in_first_region(left);
      left &= ~group;
      released |= meet(group);
    }
  }

  /// Whether all its threads wait with tiles of that many.
  bool all_at_tile_of(unsigned threads) const {
    bool all = at(BarrierKind::tile) == alive_;
    each_lane(at(BarrierKind::tile),
              [&](unsigned lane) { all &= block_->warp_masks[first_ + lane] == threads; });
    return all;
  }

  /// Takes back from `selected` who was not released.
  void hold_others() const {
    each_lane(alive_ & ~released,
              [&](unsigned lane) { block_->selected[first_ + lane] = region_held; });
  }

  Lanes released = 0;

 private:
  Lanes named_by(unsigned lane) const {
    const bool whole = (at(BarrierKind::whole_warp) >> lane & 1) != 0;
    return (whole ? ~0u : block_->warp_masks[first_ + lane]) & alive_;
  }

  Lanes named_that_met() const {
    Lanes met = 0;
    for (Lanes left = at_named(); left != 0;) {
      const Lanes named = named_by(static_cast<unsigned>(std::countr_zero(left)));
      Lanes group = 0;
      each_lane(left, [&](unsigned lane) {
        if (named_by(lane) == named) group |= 1u << lane;
      });
      left &= ~group;
      if ((named & ~group) != 0) continue;
      each_lane(group, [&](unsigned lane) { block_->warp_masks[first_ + lane] = named; });
      met |= group;
    }
    return met;
  }

  Lanes in_first_region(Lanes lanes) const {
    unsigned region = region_exited;
    each_lane(lanes, [&](unsigned lane) {
      region = std::min<unsigned>(region, block_->state[first_ + lane]);
    });
    Lanes group = 0;
    each_lane(lanes, [&](unsigned lane) {
      if (block_->state[first_ + lane] == region) group |= 1u << lane;
    });
    return group;
  }

  Lanes meet(Lanes group) const {
    each_lane(group, [&](unsigned lane) { block_->warp_masks[first_ + lane] = group; });
    return group;
  }

  BlockContext* block_ = nullptr;
  unsigned first_ = 0;
  Lanes alive_ = 0;
  std::array<Lanes, barrier_kind_count> at_{};
};

enum class Round : std::uint8_t { nobody_left, went_on, only_waited, at_grid };

/// Decides who runs next: fills `selected`.
class RoundPlan {
 public:
  explicit RoundPlan(const BlockRun& run) : block_(run.block) {
    for (unsigned first = 0; first < block_.thread_count; first += warp_size)
      warps_[count_++].look(run, first);
  }

  Round select_released() {
    if (!any([](const Warp& warp) { return warp.alive() != 0; })) return Round::nobody_left;
    for (Warp& warp : warps()) warp.release_what_met();
    if (any([](const Warp& warp) { return warp.at(BarrierKind::tile) != 0; })) release_tiles();
    if (everybody_at(BarrierKind::block) || switched_off(whole_block_rule))
      release_all(BarrierKind::block);
    const auto goes_on = [](const Warp& warp) { return warp.released != 0; };
    if (!any(goes_on)) {
      if (everybody_at(BarrierKind::grid)) return Round::at_grid;
      for (Warp& warp : warps()) warp.release_unmet();
      release_all(BarrierKind::tile);
      if (!any(goes_on)) release_all(BarrierKind::block);
    }
    std::memcpy(block_.selected, block_.state, block_.thread_count);
    for (const Warp& warp : warps()) warp.hold_others();
    return any([](const Warp& warp) {
      return (warp.released & ~warp.at(BarrierKind::scheduling)) != 0;
    })
               ? Round::went_on
               : Round::only_waited;
  }

 private:
  std::span<Warp> warps() { return {warps_.data(), count_}; }
  template <class Condition>
  bool any(Condition&& condition) {
    return std::ranges::any_of(warps(), condition);
  }
  bool everybody_at(BarrierKind kind) {
    return std::ranges::all_of(warps(),
                               [&](const Warp& warp) { return warp.at(kind) == warp.alive(); });
  }
  /// Rule (d).
  void release_tiles() {
    for (unsigned size = 2; size <= most_warps; size *= 2)
      for (unsigned first = 0; first < count_; first += size) {
        const auto tile = warps().subspan(first, std::min(size, count_ - first));
        if (std::ranges::all_of(tile,
                                [&](const Warp& w) { return w.all_at_tile_of(size * warp_size); }))
          for (Warp& warp : tile) warp.released |= warp.at(BarrierKind::tile);
      }
  }
  void release_all(BarrierKind kind) {
    for (Warp& warp : warps()) warp.released |= warp.at(kind);
  }

  BlockContext& block_;
  std::array<Warp, most_warps> warps_;
  unsigned count_ = 0;
};

/// Runs a region for the threads released to it, and notes where they go.
void run_selected(const BlockRun& run, unsigned number) {
  const Region& region = run.kernel.regions[number];
  BlockContext& block = run.block;
  if (region.run_selected != nullptr) return region.run_selected(run.arguments, &block);
  const std::uint8_t first = block.state[0];
  block.runs_of_rows = runs_selected;
  region.run_all(run.arguments, &block);
  block.runs_of_rows = 0;
  if (region.only_successor < 0 && region.uniform_exit == 0) return;
  const std::uint8_t next = region.only_successor >= 0
                                ? static_cast<std::uint8_t>(region.only_successor)
                                : block.state[0];
  block.state[0] = first;
  for (unsigned i = 0; i < block.thread_count; ++i)
    if (block.selected[i] == number) block.state[i] = next;
}

/// The kernel has written beyond an array of a thread's, over what stands here about the block.
[[noreturn]] void report_overwritten_block() {
  leave_compiled_code();
  tell_violation(CUDA_ERROR_ILLEGAL_ADDRESS,
                 "illegal memory access: a write beyond an array of a thread or block");
  leave_guarded(FaultReason::violation);
}

/// Those of 64 numbers from `first` on that are no region's, nor what stands for threads that wait.
std::uint64_t numbers_of_none(unsigned first, unsigned region_count) {
  const std::uint64_t waiting = first + 64 > region_held ? std::uint64_t{3} << 62 : 0;
  if (region_count >= first + 64) return 0;
  return ~waiting &
         (region_count <= first ? ~std::uint64_t{0} : ~std::uint64_t{0} << (region_count - first));
}

/// Runs each region that some thread was released to, for those threads.
void run_released(const BlockRun& run) {
  std::uint64_t present[4] = {0, 0, 0, 0};
  for (unsigned i = 0; i < run.block.thread_count; ++i)
    present[run.block.selected[i] >> 6] |= std::uint64_t{1} << (run.block.selected[i] & 63);
  bool any_runs = false;
  for (unsigned region = 0; region < run.kernel.region_count; ++region)
    if ((present[region >> 6] >> (region & 63) & 1) != 0) {
      run_selected(run, region);
      any_runs = true;
    }
  for (unsigned i = 0; i < 4; ++i)
    any_runs &= (present[i] & numbers_of_none(64 * i, run.kernel.region_count)) == 0;
  if (!any_runs) report_overwritten_block();
}

/// Runs regions for all threads from `region` on. Nothing when they have parted.
std::optional<BlockPause> run_together(const BlockRun& run, unsigned region) {
  BlockContext& block = run.block;
  for (unsigned waited = 0;;) {
    const Region& now = run.kernel.regions[region];
    now.run_all(run.arguments, &block);
    unsigned next = region_exited;
    if (now.only_successor >= 0) {
      next = static_cast<unsigned>(now.only_successor);
    } else {
      if (now.uniform_exit == 0 && !all_equal(block.state, block.thread_count)) return std::nullopt;
      next = block.state[0];
    }
    if (next == region_exited) return BlockPause::finished;
    if (next >= run.kernel.region_count) report_overwritten_block();
    region = next;
    const auto kind = static_cast<BarrierKind>(run.kinds[region]);
    const bool tired =
        kind == BarrierKind::scheduling && run.patience != 0 && ++waited > run.patience;
    if (kind != BarrierKind::grid && !tired) continue;
    std::memset(block.state, static_cast<int>(region), block.thread_count);
    return tired ? BlockPause::waiting : BlockPause::at_grid;
  }
}

BlockPause run_apart(const BlockRun& run) {
  BlockContext& block = run.block;
  for (unsigned waited = 0;;) {
    const Round round = RoundPlan(run).select_released();
    if (round == Round::nobody_left) return BlockPause::finished;
    if (round == Round::at_grid) return BlockPause::at_grid;
    if (round == Round::only_waited && run.patience != 0 && ++waited > run.patience)
      return BlockPause::waiting;
    run_released(run);
    if (!all_equal(block.state, block.thread_count)) continue;
    if (block.state[0] == region_exited) return BlockPause::finished;
    if (run.kinds[block.state[0]] == static_cast<std::uint8_t>(BarrierKind::grid))
      return BlockPause::at_grid;
    if (const auto pause = run_together(run, block.state[0])) return *pause;
  }
}

BlockPause run_from(const BlockRun& run, unsigned region) {
  run.block.runs_of_rows = 0;  // a block before this one may have ended in a fault
  const auto pause = run_together(run, region);
  return pause ? *pause : run_apart(run);
}

}  // namespace

BarrierKinds barrier_kinds(const Kernel& kernel) {
  BarrierKinds kinds;
  kinds.fill(static_cast<std::uint8_t>(BarrierKind::block));
  for (unsigned region = 0; region < kernel.region_count; ++region)
    kinds[region] = std::min<std::uint8_t>(kernel.regions[region].barrier, barrier_kind_count - 1);
  return kinds;
}

BlockPause start_block(const BlockRun& run) { return run_from(run, 0); }

BlockPause resume_block(const BlockRun& run, BlockPause stopped_by) {
  BlockContext& block = run.block;
  if (all_equal(block.state, block.thread_count)) return run_from(run, block.state[0]);
  if (stopped_by == BlockPause::at_grid) {
    std::memcpy(block.selected, block.state, block.thread_count);
    run_released(run);
  }
  return run_apart(run);
}

}  // namespace treadle::cuda_cpu

/// For the test of the random kernels: SwitchedOffRule bits, for the whole process.
TREADLE_CPU_EXPORT CUresult treadle_cpu_switch_off_rules(unsigned rules) {
  treadle::cuda_cpu::switched_off_rules = rules;
  return CUDA_SUCCESS;
}
