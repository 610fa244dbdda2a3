// SPDX-License-Identifier: MIT
// The inside of a Pool, a header because pools are templates. Programs include pool.hpp.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
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
#include "treadle/process/kept_memory.hpp"

namespace treadle::memory {

/// Throws InvalidState: the allocation was freed.
[[noreturn]] void throw_freed();
/// What was done before a request was given up.
struct Exhausted {
  std::size_t size_bytes;        ///< what was asked for
  std::size_t own_bytes = 0;     ///< that the pool gave back of what it held
  std::size_t others_bytes = 0;  ///< that the other pools of the process gave back
};
/// Throws OutOfMemory: what the allocator said, with the lines that made most of what is live.
[[noreturn]] void throw_exhausted(const OutOfMemory& refusal, const Exhausted& request,
                                  const Statistics& statistics,
                                  const std::vector<LiveAllocation>& live);
/// A clock that costs little and ticks every few milliseconds.
std::chrono::nanoseconds coarse_time() noexcept;

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
  bool is_active = true;            ///< an allocation owns it; else it is held, or on its way out
  std::size_t requested_bytes = 0;  ///< while active
  Site site = {};                   ///< while active
  PoolRecord *older_held = nullptr, *newer_held = nullptr;  ///< of the same bin, while held
  std::uint64_t held_as = 0;            ///< while held: how many had been put back before, and it
  std::chrono::nanoseconds held_at{0};  ///< while held: since when
  PoolRecord *previous = nullptr, *next = nullptr;  ///< in the list of all blocks
};

/// What a Pool and its allocations share; lives until both the pool and the last of them are gone.
/// The lock is never held during a call of the allocator, nor while a block or a stream ends:
/// either may come back here.
template <Allocator A>
class PoolState final : public AnyPool {
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
    Record* const held = take_held(request, Busy::left);
    Record& taken = held != nullptr ? *held : take_new(request);
    if (looks_at_time() && coarse_time() >= next_look_.load(std::memory_order_relaxed)) [[unlikely]]
      give_back_surplus();
    return taken;
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

  /// Gives every held block back to the allocator, one by one; how many bytes they were.
  std::size_t free_held() noexcept override {
    std::size_t size_bytes = 0;
    while (const std::size_t released = release_one()) size_bytes += released;
    return size_bytes;
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
  std::shared_ptr<void> keep() noexcept override;

  /// At one moment: the numbers fit each other.
  Statistics statistics() const noexcept override {
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
  Record* find_held(unsigned bin, const Stream& stream);
  bool order(Record& record, const Stream& stream, Busy busy);
  void activate(Record& record, const Request& request) noexcept;
  void hold(Record& record, std::chrono::nanoseconds now) noexcept;
  void unhold(Record& record) noexcept;
  void put_back_locked(Record& record, std::unique_lock<std::mutex>& lock) noexcept;
  std::unique_ptr<Record> remove(Record& record, std::optional<Stream>& ended) noexcept;
  std::size_t release_one() noexcept;
  void end_if_unused(std::unique_lock<std::mutex>& lock) noexcept;

  bool looks_at_time() const noexcept { return options_.quiet_time.count() != 0; }
  bool holds_too_much() const noexcept { return statistics_.held_bytes > options_.most_held_bytes; }
  void give_back_surplus() noexcept {
    std::unique_lock lock(mutex_);
    give_back_surplus(lock);
  }
  void give_back_surplus(std::unique_lock<std::mutex>& lock) noexcept;
  bool is_idle(std::unique_lock<std::mutex>& lock);
  void remove_surplus(std::unique_lock<std::mutex>& lock,
                      std::vector<std::unique_ptr<Record>>& removed,
                      std::vector<std::optional<Stream>>& ended);
  void plan_next_look(std::chrono::nanoseconds now) noexcept;

  A allocator_;
  const PoolOptions options_;
  mutable std::mutex mutex_;  // of all that follows
  Statistics statistics_;
  /// The held blocks of a size.
  struct Bin {
    Record *newest = nullptr, *oldest = nullptr;
  };
  std::vector<Bin> held_;    // by bin; long enough for every managed block
  std::uint64_t holds_ = 0;  // how many blocks have been put back
  /// When a block may have been held for too long; read without the lock.
  std::atomic<std::chrono::nanoseconds> next_look_ = std::chrono::nanoseconds::max();
  /// When more was held than is to be, and queued work used it.
  std::chrono::nanoseconds in_use_at_{-1};
  Record* blocks_ = nullptr;  // all of them
  [[no_unique_address]] StreamTable<Stream> streams_;
  std::size_t leaving_ = 0;  // blocks on their way from allocations to the allocator
  bool is_holding_ = true, has_pool_ = true;
  // Last, so that the census never sees a state that is not all there.
  const CountedPool counted_{*this};
};

/// The held block to use: the newest of `stream` among the newest few of the bin, else the newest;
/// null if none is held.
template <Allocator A>
auto PoolState<A>::find_held(unsigned bin, const Stream& stream) -> Record* {
  if (bin >= held_.size()) return nullptr;
  constexpr int few =
      64;  // so that a pool full of another stream's blocks is not searched for long
  Record* at = held_[bin].newest;
  for (int i = 0; i < few && at != nullptr; ++i, at = at->older_held)
    if (streams_.is(at->stream, stream)) return at;
  return held_[bin].newest;
}

template <Allocator A>
auto PoolState<A>::take_held(const Request& request, Busy busy) -> Record* {
  Record* record = nullptr;
  {
    const std::lock_guard lock(mutex_);
    record = find_held(request.bin, request.stream);
    if (record == nullptr) return nullptr;
    unhold(*record);
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
  Exhausted exhausted{request.size_bytes};
  for (bool was_reclaimed = false, were_others_asked = false;;) {
    try {
      const KeptAside in_own_order;  // or the first refusal would give up all that is held
      return adopt(std::unique_ptr<Record>(new Record{*this, allocator_.allocate(block_bytes),
                                                      block_bytes, request.bin}),
                   request);
    } catch (const OutOfMemory& refusal) {
      if (Record* held = take_held(request, Busy::waited_for)) return *held;
      if (!was_reclaimed && options_.reclaim) {
        was_reclaimed = true;
        options_.reclaim();
      } else if (const std::size_t released = release_one()) {
        exhausted.own_bytes += released;
      } else {
        const std::size_t given = were_others_asked ? 0 : give_back_kept_memory();
        if (given == 0)
          throw_exhausted(refusal, exhausted, statistics(), largest_live(~std::size_t{0}));
        were_others_asked = true;
        exhausted.others_bytes = given;
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
  if (held_.size() <= record->bin) held_.resize(record->bin + std::size_t{1});
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
void PoolState<A>::hold(Record& record, std::chrono::nanoseconds now) noexcept {
  Bin& bin = held_[record.bin];
  record.newer_held = nullptr;
  record.older_held = std::exchange(bin.newest, &record);
  (record.older_held != nullptr ? record.older_held->newer_held : bin.oldest) = &record;
  record.held_as = ++holds_;
  record.held_at = now;
  if (statistics_.held_blocks == 0 && looks_at_time())
    next_look_.store(now + options_.quiet_time, std::memory_order_relaxed);
  ++statistics_.held_blocks;
  statistics_.held_bytes += record.block_bytes;
}

/// The reverse.
template <Allocator A>
void PoolState<A>::unhold(Record& record) noexcept {
  Bin& bin = held_[record.bin];
  (record.newer_held != nullptr ? record.newer_held->older_held : bin.newest) = record.older_held;
  (record.older_held != nullptr ? record.older_held->newer_held : bin.oldest) = record.newer_held;
  --statistics_.held_blocks;
  statistics_.held_bytes -= record.block_bytes;
}

/// This may be gone then.
template <Allocator A>
void PoolState<A>::put_back_locked(Record& record, std::unique_lock<std::mutex>& lock) noexcept {
  record.is_active = false;
  --statistics_.active_blocks;
  statistics_.active_bytes -= record.requested_bytes;
  if (is_holding_) [[likely]] {
    const auto now = looks_at_time() ? coarse_time() : std::chrono::nanoseconds{0};
    hold(record, now);
    if (now >= next_look_.load(std::memory_order_relaxed) ||
        (holds_too_much() && (!looks_at_time() || now != in_use_at_))) [[unlikely]]
      give_back_surplus(lock);
    return;
  }
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

/// Gives one held block of the largest bin that has any back to the allocator; how many bytes it
/// had. 0 if none is held.
template <Allocator A>
std::size_t PoolState<A>::release_one() noexcept {
  std::optional<Stream> ended;
  std::unique_ptr<Record> removed;  // ends after the lock
  const std::lock_guard lock(mutex_);
  for (std::size_t bin = held_.size(); bin-- > 0;) {
    Record* const newest = held_[bin].newest;
    if (newest == nullptr) continue;
    unhold(*newest);
    removed = remove(*newest, ended);
    return removed->block_bytes;
  }
  return 0;
}

/// Gives back what was held for too long, and what is more than is to be held, if no queued work
/// may use it. The lock is given up then, and this may be gone.
template <Allocator A>
void PoolState<A>::give_back_surplus(std::unique_lock<std::mutex>& lock) noexcept {
  std::vector<std::unique_ptr<Record>> removed;
  std::vector<std::optional<Stream>> ended;
  ++leaving_;  // keeps this
  try {
    remove_surplus(lock, removed, ended);
  } catch (const std::exception&) {
    // The host has no memory, or the device does not answer: all is held on.
  }
  if (lock.owns_lock()) lock.unlock();
  removed.clear();
  ended.clear();
  lock.lock();
  --leaving_;
  end_if_unused(lock);
}

/// Whether all streams that blocks belong to have ended what was queued on them when this was
/// called: a driver may wait for all of its work when memory is freed, and its work for this
/// thread. The lock is given up meanwhile.
template <Allocator A>
bool PoolState<A>::is_idle(std::unique_lock<std::mutex>& lock) {
  bool is_done = true;
  if constexpr (OrderedAllocator<A>) {
    auto streams = streams_.all();
    lock.unlock();
    for (std::size_t i = 0; i < streams.size() && is_done; ++i)
      is_done = allocator_.is_done(streams[i]);
    streams.clear();
    lock.lock();
  }
  return is_done;
}

template <Allocator A>
void PoolState<A>::remove_surplus(std::unique_lock<std::mutex>& lock,
                                  std::vector<std::unique_ptr<Record>>& removed,
                                  std::vector<std::optional<Stream>>& ended) {
  const std::chrono::nanoseconds now = coarse_time();
  const std::uint64_t last = holds_;  // what is put back later may still be in use
  in_use_at_ = now;
  plan_next_look(now);
  if (!is_idle(lock)) return;
  std::vector<Record*> unused;
  for (const Bin& bin : held_)
    for (Record* held = bin.oldest; held != nullptr && held->held_as <= last;
         held = held->newer_held)
      unused.push_back(held);
  std::ranges::sort(unused, {}, &Record::held_as);
  removed.reserve(unused.size());
  ended.reserve(unused.size());
  for (Record* held : unused) {
    const bool is_old = looks_at_time() && held->held_at + options_.quiet_time <= now;
    if (!is_old && !holds_too_much()) break;
    unhold(*held);
    removed.push_back(remove(*held, ended.emplace_back()));
  }
  if (!holds_too_much()) in_use_at_ = std::chrono::nanoseconds{-1};
  plan_next_look(now);
}

/// When the block that was freed first will have been held for too long; soon, where it has been.
template <Allocator A>
void PoolState<A>::plan_next_look(std::chrono::nanoseconds now) noexcept {
  auto next = std::chrono::nanoseconds::max();
  for (const Bin& bin : held_) {
    if (bin.oldest == nullptr || !looks_at_time()) continue;
    const auto end = bin.oldest->held_at + options_.quiet_time;
    next = std::min(next, end > now ? end : now + options_.quiet_time / 4);
  }
  next_look_.store(next, std::memory_order_relaxed);
}

template <Allocator A>
std::shared_ptr<void> PoolState<A>::keep() noexcept {
  if (options_.owner) return options_.owner->lock();
  try {
    {
      const std::lock_guard lock(mutex_);
      if (!has_pool_ && statistics_.active_blocks + leaving_ == 0) return {};
      ++leaving_;
    }
    return {static_cast<void*>(this), [](void* state) noexcept {
              auto& self = *static_cast<PoolState*>(state);
              std::unique_lock lock(self.mutex_);
              --self.leaving_;
              self.end_if_unused(lock);
            }};
  } catch (const std::exception&) {
    return {};  // the deleter has run
  }
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
