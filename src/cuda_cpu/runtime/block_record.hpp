// SPDX-License-Identifier: MIT
// What the checks know of the block that a worker runs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "cuda_cpu/module_abi.h"
#include "cuda_cpu/runtime/access_moment.hpp"
#include "cuda_cpu/runtime/global_accesses.hpp"
#include "cuda_cpu/runtime/launch.hpp"
#include "cuda_cpu/runtime/memory.hpp"
#include "cuda_cpu/runtime/shared_accesses.hpp"

namespace treadle::cuda_cpu {

class OrderRecord;

struct ThreadProgress {
  std::uint32_t arrivals = 0, block_barriers = 0, warp_barriers = 0, grid_barriers = 0;
  std::uint32_t waited_at = 0;
  const CheckedAccess* last_barrier = nullptr;
  bool operator==(const ThreadProgress&) const = default;
};

/// What each thread of a block has done. While all have done the same it is kept once.
class BlockProgress {
 public:
  void start(std::uint32_t threads) {
    count_ = threads;
    common_ = {};
    is_common_ = true;
  }
  std::uint32_t count() const { return count_; }
  /// So many may differ.
  std::uint32_t different() const { return is_common_ ? 1 : count_; }
  const ThreadProgress& of(std::uint32_t thread) const {
    return is_common_ ? common_ : each_[thread];
  }
  ThreadProgress& change(std::uint32_t thread) { return change(thread, 1).front(); }
  /// So many neighbours, one by one; or one for all threads that have done the same.
  std::span<ThreadProgress> change(std::uint32_t first, std::uint32_t count);
  /// Whether they have come by as many barriers.
  bool in_step(std::uint32_t first, std::uint32_t count) const;
  /// Once they all have done the same again.
  void join();

 private:
  std::uint32_t count_ = 0;
  bool is_common_ = true;
  ThreadProgress common_;
  std::vector<ThreadProgress> each_;  ///< unless `is_common_`
};

/// What a worker keeps of the block it runs.
class BlockRecord {
 public:
  /// Before each call of those below: on whose behalf.
  void enter(const BlockContext& block) {
    block_ = &block;
    if (threads_.count() < block.thread_count) threads_.start(block.thread_count);
  }
  /// False, with the reason told to the context, if the access must not happen.
  bool access(std::uintptr_t address, std::uint64_t size, std::uintptr_t base,
              const CheckedAccess& access);
  bool step(CheckedStep step, const CheckedAccess& place);
  /// As Services::check_row: row_checks.cpp.
  bool rows(std::span<const RowAccess> accesses, const RowPlace* places, std::uint32_t thread,
            std::uint32_t count);
  /// What a launch by the calling thread may count on.
  BlockOrder hand_on_order();
  void note_ended(std::uint64_t stream, std::uint64_t position) {
    join(order_.ended, {{stream, position}});
  }

 private:
  const BlockContext& block() const { return *block_; }
  const LaunchCommand& launch() const { return *static_cast<const LaunchCommand*>(block().launch); }
  std::uint64_t shared_offset(std::uintptr_t address) const {
    return address - reinterpret_cast<std::uintptr_t>(block().shared);
  }
  OrderRecord* order() const { return static_cast<LaunchCommand*>(block().launch)->order(); }
  std::uint32_t thread() const {
    const auto& [x, y, z, unused] = block().thread_index;
    return x + block().block_size[0] * (y + block().block_size[1] * z);
  }
  std::string index_of(std::uint32_t linear) const;
  std::uint32_t block_number() const {
    const auto& [x, y, z] = block().block_index;
    return x + block().grid_size[0] * (y + block().grid_size[1] * z);
  }
  Moment now(const CheckedAccess& access) { return moment_of(thread(), access); }
  Moment moment_of(std::uint32_t thread, const CheckedAccess& access) const;
  ThreadProgress& progress() { return threads_.change(thread()); }
  void start_block();

  bool within(std::uintptr_t address, std::uint64_t size, std::uintptr_t base,
              const CheckedAccess& access);
  struct FoundAllocation;
  const FoundAllocation* allocation_at(std::uintptr_t address);
  bool known(std::uintptr_t address, std::uint64_t size);
  void remember(std::uintptr_t address, const CheckedAccess& access);
  bool apart(std::uint64_t offset, std::uint64_t size, const CheckedAccess& access);
  bool apart_in_memory(std::uintptr_t address, std::uint64_t size, const CheckedAccess& access);
  bool changed_nothing(std::uintptr_t address, std::uint64_t size);
  void tell(const GlobalRace& race, const GlobalMoment& mine, std::uint64_t size) const;
  bool written(std::uintptr_t address, std::uint64_t size, const CheckedAccess& access);
  bool written_in_memory(std::uintptr_t address, std::uint64_t size, const CheckedAccess& access);
  bool note_order(OrderRecord& order, std::uintptr_t address, std::uint64_t size,
                  const CheckedAccess& access);
  /// The first thread that has not come to the barrier where `mine` is, or nobody.
  std::optional<std::uint32_t> missing(const ThreadProgress& mine,
                                       const CheckedAccess& place) const;
  bool all_arrived(const CheckedAccess& place);

  /// Of rows of threads: where they lie, and what is known of that.
  struct Span {
    std::uintptr_t address = 0;  ///< of the first row's first thread
    std::uintptr_t low = 0;
    std::uint64_t bytes = 0;
    bool is_shared = false;
    RowOfAccesses row = {};     ///< the first one
    std::uint32_t rows = 1;     ///< that differ
    std::int64_t pitch = 0;     ///< bytes from one to the next
    std::uint32_t thread = 0;   ///< the number of the first one's first
    std::uint32_t threads = 0;  ///< numbers from one to the next
    RowOfAccesses at(std::uint32_t number) const {
      RowOfAccesses one = row;
      one.first += static_cast<std::uint64_t>(pitch) * number;
      return one;
    }
  };
  bool fill(Span& span, const RowAccess& access, const RowPlace& place, std::uint32_t thread,
            std::uint32_t rows) const;
  static bool crosses_itself(const Span& span);
  static bool may_cross(const Span& one, const Span& other);
  static bool threads_cross(std::span<const RowAccess> accesses, const Span* spans);
  bool rows_within(const Span& span, const RowAccess& access, const RowPlace& place);
  bool rows_are_written(const Span& span, const CheckedAccess& access);
  bool rows_apart(const Span& span, const CheckedAccess& access);
  bool row_step(const RowAccess& access, std::uint32_t first, std::uint32_t count);
  bool rows_step(const RowAccess& access, const RowPlace& place, std::uint32_t thread,
                 std::uint32_t rows);

  const BlockContext* block_ = nullptr;
  std::uint64_t number_ = 0;  ///< of the block
  std::uint32_t waits_ = 0;   ///< for some threads, that have ended
  std::uint32_t checked_barriers_ = 0;
  BlockProgress threads_;
  std::vector<Span> spans_;  ///< while rows ask
  BlockOrder order_;
  /// A store that races if it changes anything, between the calls before and behind it.
  struct {
    bool is_pending = false;
    GlobalRace race;
    GlobalMoment mine;
    std::byte before[16];
  } doubtful_;
  SharedAccesses shared_;
  /// A thread of a block that this worker ran.
  struct Writer {
    std::uint64_t block = 0;
    std::uint32_t thread = 0;
    bool operator==(const Writer&) const = default;
  };
  /// Bytes of threads' own arrays, by address: who wrote them last.
  std::unordered_map<std::uintptr_t, Writer> local_;
  std::uint64_t generation_ = 0;  ///< of `found_`
  /// Found last: a thread goes from array to array, its neighbours to the same ones.
  struct FoundAllocation {
    Allocation allocation;
    std::weak_ptr<WrittenBytes> written;
  };
  std::array<FoundAllocation, 8> found_;
  std::size_t next_found_ = 0;
};

/// The record of the block that the calling thread runs. In a block of a cooperative launch it goes
/// along with the block; else it is the worker's.
BlockRecord& record_of(BlockContext& block);

/// Memory that no other thread of the kernel writes: the worker's stacks, arguments, a thread's
/// arrays, conditions of graphs.
bool is_of_a_thread(std::uintptr_t address, const LaunchCommand& launch, const BlockContext& block);

}  // namespace treadle::cuda_cpu
