// SPDX-License-Identifier: MIT
// The check `race` in global memory: of each word who wrote it last and who read it since, which
// block of which launch, behind which barriers. Two accesses race if one of them writes, not both
// are atomic or volatile, and nothing orders them:
//
//   in a block             barriers, as for shared memory
//   blocks of a launch     grid.sync(); or one has written, passed __threadfence() and changed a
//                          variable by an atomic or volatile access, which the other one has read
//   launches               streams, events and waits: stream_order.hpp; a launch by a kernel comes
//                          after what its block did before, and before what the block does after
//                          a cudaDeviceSynchronize()
//
// A fence and what follows it count for the whole block: what is told is a race, and some go
// unseen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>

#include "cuda_cpu/runtime/access_moment.hpp"
#include "cuda_cpu/runtime/shared_accesses.hpp"
#include "cuda_cpu/runtime/stream_order.hpp"

namespace treadle::cuda_cpu {

/// A block of a launch: its number in the grid in the lower half.
using BlockKey = std::uint64_t;
inline BlockKey block_key(std::uint32_t launch, std::uint32_t block) {
  return std::uint64_t{launch} << 32 | block;
}
/// Of blocks, how often each had made visible what it wrote.
using Epochs = std::unordered_map<BlockKey, std::uint32_t>;

struct GlobalMoment {
  Moment moment;
  std::uint32_t launch = 0;  ///< of checked_launch(); 0: never
  std::uint32_t block = 0;
  std::uint32_t grid_barriers = 0;
  std::uint32_t epoch = 0;  ///< of the block
  bool operator==(const GlobalMoment&) const = default;
};

/// What a block knows of others.
struct BlockOrder {
  std::uint32_t epoch = 1;
  bool is_fenced = false;  ///< what it wrote can be seen by who sees what it writes next
  Epochs seen = {};
  Positions ended = {};  ///< of launches by this block: what it has waited for
};

/// Two accesses that race: the earlier one, and where.
struct GlobalRace {
  GlobalMoment earlier;
  std::uintptr_t address = 0;
};

/// Notes an access; what it races with, if anything. Any thread.
std::optional<GlobalRace> note_global_access(std::uintptr_t address, std::uint64_t size,
                                             const GlobalMoment& now, const BlockOrder& order);
/// The same for neighbouring threads; `now` is the first one's, and those of the others differ in
/// the thread only. False if one of them races; the others may be noted, as if each had asked.
bool note_global_row(const RowOfAccesses& row, const GlobalMoment& now, const BlockOrder& order);
/// Before an atomic or volatile write: who reads it sees what the block wrote before its fence.
void release_block(std::uintptr_t address, BlockKey block, BlockOrder& order);
/// Behind an atomic or volatile read.
void acquire_block(std::uintptr_t address, std::uint32_t launch, BlockOrder& order);

/// Memory that is freed, or given out again.
void forget_global_accesses(std::uintptr_t address, std::size_t size) noexcept;
/// A module goes, and with it the names of its accesses: all for which `goes` says so, of all
/// launches that were at these places, and of no others, which may be running.
void forget_accesses_at(const std::function<bool(const CheckedAccess*)>& goes) noexcept;

}  // namespace treadle::cuda_cpu
