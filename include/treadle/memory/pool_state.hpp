// SPDX-License-Identifier: MIT
// The inside of a Pool, a header because pools are templates. Programs include pool.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "treadle/base/error.hpp"
#include "treadle/memory/allocator.hpp"
#include "treadle/memory/options.hpp"
#include "treadle/memory/pool_census.hpp"
#include "treadle/memory/site.hpp"
#include "treadle/memory/statistics.hpp"
#include "treadle/memory/stream_table.hpp"

namespace treadle::memory {

/// Throws InvalidState: the allocation was freed.
[[noreturn]] void throw_freed();
/// Throws OutOfMemory: what the allocator said, with the lines that made most of what is live.
[[noreturn]] void throw_exhausted(const OutOfMemory& refusal, std::size_t size_bytes,
                                  const Statistics& statistics,
                                  const std::vector<LiveAllocation>& live);

template <Allocator A>
class PoolState;

/// A block that the pool manages, for as long as it does. Allocations point to it.
template <Allocator A>
struct PoolRecord {
  PoolState<A>& state;                           ///< whose block it is, for the allocation's end
  typename A::Block block;                       ///< what the allocator gave
  std::size_t block_bytes;                       ///< what the allocator was asked for
  unsigned bin;                                  ///< where it is held
  StreamTable<stream_of<A>>::Number stream = 0;  ///< of its last use
  bool is_active = true;             ///< an allocation owns it; else it is held, or on its way out
  std::size_t requested_bytes = 0;   ///< while active
  Site site = {};                    ///< while active
  PoolRecord* older_held = nullptr;  ///< of the same bin, while held
  PoolRecord *previous = nullptr, *next = nullptr;  ///< in the list of all blocks
};

/// What a Pool and its allocations share; lives until both the pool and the last of them are gone.
/// The lock is never held during a call of the allocator, nor while a block or a stream ends:
/// either may come back here.
template <Allocator A>
class PoolState {
 public:
  using Record = PoolRecord<A>;  ///< never moved: allocations and lists point to it
  using Stream = stream_of<A>;   ///< Unordered over allocators without streams

  /// Throws InvalidArgument as check_options().
  PoolState(A allocator, PoolOptions options)
      : allocator_(std::move(allocator)), options_(std::move(options)) {
    check_options(options_);
  }
  PoolState(const PoolState&) = delete;
  PoolState& operator=(const PoolState&) = delete;

  /// A block that is active, for use on `stream`: a held one, else a new one. Throws OutOfMemory.
  Record& take(std::size_t size_bytes, const Stream& stream, const Site& site) {
    const Request request{options_.bins.bin_number(size_bytes), size_bytes, stream, site};
    if (Record* held = take_held(request, Busy::left)) [[likely]]
      return *held;
    return take_new(request);
  }

  /// Ends an allocation: the block is held, or freed where nothing is.
  void put_back(Record& record) noexcept {
    std::unique_lock lock(mutex_);
    put_back_locked(record, lock);
  }
  void put_back(Record& record, const Stream& stream) {
    std::optional<Stream> ended;  // ends after the lock
    std::unique_lock lock(mutex_);
    const auto number = streams_.acquire(stream);
    ended = streams_.release(std::exchange(record.stream, number));
    put_back_locked(record, lock);
  }

  /// Gives every held block back to the allocator, one by one.
  void free_held() noexcept {
    while (release_one()) {
    }
  }
  /// The same, and blocks that are put back later go there at once.
  void stop_holding() noexcept {
    {
      const std::lock_guard lock(mutex_);
      is_holding_ = false;
    }
    free_held();
  }
  /// The pool is gone. Deletes this, now or with the last allocation.
  void end() noexcept {
    stop_holding();
    std::unique_lock lock(mutex_);
    has_pool_ = false;
    end_if_unused(lock);
  }

  /// At one moment: the numbers fit each other.
  Statistics statistics() const noexcept {
    const std::lock_guard lock(mutex_);
    return statistics_;
  }
  /// Active blocks, the largest first, at most `count`.
  std::vector<LiveAllocation> largest_live(std::size_t count) const;
  /// As the options had it.
  const BinRule& bins() const noexcept { return options_.bins; }
  /// Used by several threads at a time, without the lock.
  const A& allocator() const noexcept { return allocator_; }

 private:
  ~PoolState() = default;

  struct Request {
    unsigned bin;
    std::size_t size_bytes;
    const Stream& stream;
    const Site& site;
  };
  /// What becomes of a block that another stream still uses.
  enum class Busy { left, waited_for };

  Record* take_held(const Request& request, Busy busy);
  Record& take_new(const Request& request);
  Record& adopt(std::unique_ptr<Record> record, const Request& request);
  Record** find_held(unsigned bin, const Stream& stream);
  bool order(Record& record, const Stream& stream, Busy busy);
  void activate(Record& record, const Request& request) noexcept;
  void hold(Record& record) noexcept;
  void put_back_locked(Record& record, std::unique_lock<std::mutex>& lock) noexcept;
  std::unique_ptr<Record> remove(Record& record, std::optional<Stream>& ended) noexcept;
  bool release_one() noexcept;
  void end_if_unused(std::unique_lock<std::mutex>& lock) noexcept;

  A allocator_;
  const PoolOptions options_;
  mutable std::mutex mutex_;  // of all that follows
  Statistics statistics_;
  std::vector<Record*> newest_held_;  // by bin; long enough for every managed block
  Record* blocks_ = nullptr;          // all of them
  [[no_unique_address]] StreamTable<Stream> streams_;
  std::size_t leaving_ = 0;  // blocks on their way from allocations to the allocator
  bool is_holding_ = true, has_pool_ = true;
  // Last, so that the census never sees a state that is not all there.
  const CountedPool counted_{this, [](const void* state) noexcept {
                               return static_cast<const PoolState*>(state)->statistics();
                             }};
};

/// Where the pointer to the held block to use is kept: the newest of `stream` among the newest few
/// of the bin, else the newest; null if none is held.
template <Allocator A>
auto PoolState<A>::find_held(unsigned bin, const Stream& stream) -> Record** {
  if (bin >= newest_held_.size() || newest_held_[bin] == nullptr) return nullptr;
  constexpr int few =
      64;  // so that a pool full of another stream's blocks is not searched for long
  Record** at = &newest_held_[bin];
  for (int i = 0; i < few && *at != nullptr; ++i, at = &(*at)->older_held)
    if (streams_.is((*at)->stream, stream)) return at;
  return &newest_held_[bin];
}

template <Allocator A>
auto PoolState<A>::take_held(const Request& request, Busy busy) -> Record* {
  Record* record = nullptr;
  {
    const std::lock_guard lock(mutex_);
    Record** const found = find_held(request.bin, request.stream);
    if (found == nullptr) return nullptr;
    record = *found;
    *found = record->older_held;
    --statistics_.held_blocks;
    statistics_.held_bytes -= record->block_bytes;
    activate(*record, request);
    if (streams_.is(record->stream, request.stream)) [[likely]]
      return record;
  }
  return order(*record, request.stream, busy) ? record : nullptr;
}

/// Moves `record` from the stream that it was used on before to `stream`. False: it is held again,
/// because that stream has not ended its work and `busy` says to leave it.
template <Allocator A>
bool PoolState<A>::order(Record& record, const Stream& stream, Busy busy) {
  if constexpr (OrderedAllocator<A>) {
    try {
      std::unique_lock lock(mutex_);
      const Stream before = streams_.at(record.stream);
      lock.unlock();
      if (busy == Busy::waited_for) {
        allocator_.wait(stream, allocator_.mark(before));
      } else if (!allocator_.is_done(before)) {
        put_back(record);
        return false;
      }
      lock.lock();
      const auto number = streams_.acquire(stream);
      const auto ended = streams_.release(std::exchange(record.stream, number));
      lock.unlock();
    } catch (...) {
      put_back(record);
      throw;
    }
  }
  return true;
}

template <Allocator A>
auto PoolState<A>::take_new(const Request& request) -> Record& {
  const std::size_t block_bytes = options_.bins.alloc_size(request.bin);
  if (options_.before_growth) {
    options_.before_growth(block_bytes);
    if (Record* held = take_held(request, Busy::left)) return *held;
  }
  for (bool was_reclaimed = false;;) {
    try {
      return adopt(std::unique_ptr<Record>(new Record{*this, allocator_.allocate(block_bytes),
                                                      block_bytes, request.bin}),
                   request);
    } catch (const OutOfMemory& refusal) {
      if (Record* held = take_held(request, Busy::waited_for)) return *held;
      if (!was_reclaimed && options_.reclaim) {
        was_reclaimed = true;
        options_.reclaim();
      } else if (!release_one()) {
        throw_exhausted(refusal, request.size_bytes, statistics(), largest_live(~std::size_t{0}));
      }
    }
    if (Record* held = take_held(request, Busy::waited_for)) return *held;
  }
}

/// Takes a new block in, active.
template <Allocator A>
auto PoolState<A>::adopt(std::unique_ptr<Record> record, const Request& request) -> Record& {
  const std::lock_guard lock(mutex_);
  // Whatever can fail comes first, so that putting a block back never does.
  if (newest_held_.size() <= record->bin) newest_held_.resize(record->bin + std::size_t{1});
  record->stream = streams_.acquire(request.stream);
  statistics_.managed_bytes += record->block_bytes;
  activate(*record, request);
  record->next = blocks_;
  if (blocks_ != nullptr) blocks_->previous = record.get();
  return *(blocks_ = record.release());
}

template <Allocator A>
void PoolState<A>::activate(Record& record, const Request& request) noexcept {
  record.is_active = true;
  record.requested_bytes = request.size_bytes;
  record.site = request.site;
  ++statistics_.active_blocks;
  statistics_.active_bytes += request.size_bytes;
}

template <Allocator A>
void PoolState<A>::hold(Record& record) noexcept {
  record.older_held = std::exchange(newest_held_[record.bin], &record);
  ++statistics_.held_blocks;
  statistics_.held_bytes += record.block_bytes;
}

template <Allocator A>
void PoolState<A>::put_back_locked(Record& record, std::unique_lock<std::mutex>& lock) noexcept {
  record.is_active = false;
  --statistics_.active_blocks;
  statistics_.active_bytes -= record.requested_bytes;
  if (is_holding_) [[likely]]
    return hold(record);
  std::optional<Stream> ended;
  std::unique_ptr<Record> removed = remove(record, ended);
  ++leaving_;  // the block may need the allocator, so it ends before the state can
  lock.unlock();
  removed.reset();
  ended.reset();
  lock.lock();
  --leaving_;
  end_if_unused(lock);
}

/// Takes a block that is neither held nor active out of the list; its memory ends with the result.
template <Allocator A>
auto PoolState<A>::remove(Record& record, std::optional<Stream>& ended) noexcept
    -> std::unique_ptr<Record> {
  statistics_.managed_bytes -= record.block_bytes;
  ended = streams_.release(record.stream);
  (record.previous != nullptr ? record.previous->next : blocks_) = record.next;
  if (record.next != nullptr) record.next->previous = record.previous;
  return std::unique_ptr<Record>(&record);
}

/// Gives one held block of the largest bin that has any back to the allocator. False if none is
/// held.
template <Allocator A>
bool PoolState<A>::release_one() noexcept {
  std::optional<Stream> ended;
  std::unique_ptr<Record> removed;  // ends after the lock
  const std::lock_guard lock(mutex_);
  for (std::size_t bin = newest_held_.size(); bin-- > 0;) {
    Record* const newest = newest_held_[bin];
    if (newest == nullptr) continue;
    newest_held_[bin] = newest->older_held;
    --statistics_.held_blocks;
    statistics_.held_bytes -= newest->block_bytes;
    removed = remove(*newest, ended);
    return true;
  }
  return false;
}

template <Allocator A>
void PoolState<A>::end_if_unused(std::unique_lock<std::mutex>& lock) noexcept {
  if (has_pool_ || statistics_.active_blocks + leaving_ != 0) return;
  lock.unlock();
  delete this;
}

template <Allocator A>
std::vector<LiveAllocation> PoolState<A>::largest_live(std::size_t count) const {
  const std::lock_guard lock(mutex_);
  std::vector<const Record*> live;
  for (const Record* block = blocks_; block != nullptr; block = block->next)
    if (block->is_active) live.push_back(block);
  count = std::min(count, live.size());
  std::partial_sort(
      live.begin(), live.begin() + static_cast<std::ptrdiff_t>(count), live.end(),
      [](const Record* a, const Record* b) { return a->requested_bytes > b->requested_bytes; });
  std::vector<LiveAllocation> largest;
  for (std::size_t i = 0; i < count; ++i)
    largest.push_back({live[i]->requested_bytes, live[i]->site.text()});
  return largest;
}

}  // namespace treadle::memory
