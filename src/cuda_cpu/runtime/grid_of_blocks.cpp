// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/grid_of_blocks.hpp"

#include "cuda_cpu/runtime/kernel_checks.hpp"
#include "cuda_cpu/runtime/launch.hpp"
#include "cuda_cpu/runtime/services.hpp"

namespace treadle::cuda_cpu {
namespace {

/// Rounds that threads of a block wait for others before another block gets the worker: long enough
/// for any step of theirs, short beside a time slice.
constexpr unsigned patience = 4096;

}  // namespace

GridOfBlocks::~GridOfBlocks() {
  for (const Place& place : places_) forget_checked_block(place.context);
}

bool GridOfBlocks::reserve(const Kernel& kernel, const LaunchShape& shape, void* launch) {
  const std::size_t each = block_bytes(kernel, shape);
  std::byte* const memory = space_.memory_for(each * total_);
  if (memory == nullptr) return false;
  places_.resize(total_);
  for (std::uint64_t block = 0; block < total_; ++block) {
    BlockContext& context = places_[block].context;
    context = block_context_in(memory + block * each, kernel, shape, launch);
    shape.locate(is_reversed_ ? total_ - 1 - block : block, context.block_index);
    context.thread_index[0] = thread_unknown;
  }
  return true;
}

void GridOfBlocks::run(const Ticket& ticket, const Kernel& kernel, const BarrierKinds& kinds,
                       void** arguments) {
  Place& place = places_[ticket.block];
  const bool gone = place.started && place.pause == BlockPause::finished;
  const bool shut = place.pause == BlockPause::at_grid && !grid_is_open(ticket.turn);
  if (!gone && !shut) {
    place.pause = run_on(place, {kernel, kinds, arguments, place.context, patience});
    place.started = true;
    if (place.pause == BlockPause::finished) ended_.fetch_add(1, std::memory_order_release);
    if (place.pause == BlockPause::waiting)
      waited_[ticket.turn & 1].store(ticket.turn + 1, std::memory_order_relaxed);
  }
  done_.fetch_add(1, std::memory_order_acq_rel);
}

BlockPause GridOfBlocks::run_on(Place& place, const BlockRun& run) const {
  if ((run.kernel.flags & kernel_has_barrier) == 0) {
    run.kernel.run(run.arguments, &run.block);
    return BlockPause::finished;
  }
  return place.started ? resume_block(run, place.pause) : start_block(run);
}

}  // namespace treadle::cuda_cpu
