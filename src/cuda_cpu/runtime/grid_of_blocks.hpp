// SPDX-License-Identifier: MIT
// The blocks of a cooperative launch. All of them are resident, so that they can stop at a grid
// barrier and be resumed.
//
// They run in turns. A turn gives every block to one thread until it ends or has to wait; the next
// turn begins when all blocks have had theirs. Example, 3 blocks, 2 threads, one grid.sync():
//   turn 0:  0 and 1, then 2, each to the grid barrier
//   turn 1:  0 and 1, then 2, from behind it to the end
// A block that waits for another one in a loop of its own gives up its turn after a while: the grid
// barrier then stays closed for one turn more.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "cuda_cpu/runtime/block_space.hpp"
#include "cuda_cpu/runtime/region_scheduler.hpp"

namespace treadle::cuda_cpu {

class GridOfBlocks {
 public:
  /// `is_reversed`: the last block has the first turn.
  GridOfBlocks(std::uint64_t blocks, bool is_reversed)
      : total_(blocks), is_reversed_(is_reversed) {}
  ~GridOfBlocks();
  GridOfBlocks(const GridOfBlocks&) = delete;
  GridOfBlocks& operator=(const GridOfBlocks&) = delete;

  /// Gives each block its memory; false if there is not enough.
  bool reserve(const Kernel& kernel, const LaunchShape& shape, void* launch);

  /// One turn of one block.
  struct Ticket {
    std::uint64_t turn, block;
  };
  /// Thread-safe, as is everything below. The thread that takes a ticket must run it or stop the
  /// launch.
  Ticket take_ticket() {
    const std::uint64_t number = next_.fetch_add(1, std::memory_order_relaxed);
    return {number / total_, number % total_};
  }
  /// Whether all turns before this one are over: poll until then, or until all blocks have ended.
  bool may_run(const Ticket& ticket) const {
    return done_.load(std::memory_order_acquire) >= ticket.turn * total_;
  }
  /// Whether every block has ended.
  bool ended() const { return ended_.load(std::memory_order_acquire) == total_; }
  BlockContext& context(const Ticket& ticket) { return places_[ticket.block].context; }
  /// Runs the block from its start, or from where it stopped if what it waits for is there.
  void run(const Ticket& ticket, const Kernel& kernel, const BarrierKinds& kinds, void** arguments);

 private:
  struct Place {
    BlockContext context;
    BlockPause pause = BlockPause::finished;
    bool started = false;
  };
  bool grid_is_open(std::uint64_t turn) const {
    return waited_[(turn + 1) & 1].load(std::memory_order_relaxed) != turn;
  }
  BlockPause run_on(Place& place, const BlockRun& run) const;

  const std::uint64_t total_;
  const bool is_reversed_;
  BlockSpace space_;
  std::vector<Place> places_;
  std::atomic<std::uint64_t> next_{0};   ///< number of the next ticket
  std::atomic<std::uint64_t> done_{0};   ///< tickets that were run
  std::atomic<std::uint64_t> ended_{0};  ///< blocks
  /// Indexed by a turn's parity: one more than the last turn in which a block waited in a loop of
  /// its own. Two entries, so that reading about the previous turn does not race with writing about
  /// this one.
  std::atomic<std::uint64_t> waited_[2]{};
};

}  // namespace treadle::cuda_cpu
