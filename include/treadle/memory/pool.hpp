// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <source_location>
#include <utility>
#include <vector>

#include "treadle/memory/allocator.hpp"
#include "treadle/memory/bins.hpp"
#include "treadle/memory/options.hpp"
#include "treadle/memory/pool_state.hpp"
#include "treadle/memory/site.hpp"
#include "treadle/memory/statistics.hpp"

namespace treadle::memory {

/// Memory from a pool, owned. Destroying it, or free(), puts the block back where the next request
/// of its bin finds it. Outlives its pool if need be. One thread at a time.
template <Allocator A>
class Allocation {
 public:
  using Block = typename A::Block;  ///< what block() refers to
  using Stream = stream_of<A>;      ///< Unordered over allocators without streams

  Allocation() = default;  ///< owns nothing, as after free()
  Allocation(Allocation&& other) noexcept : record_(std::exchange(other.record_, nullptr)) {}
  Allocation& operator=(Allocation&& other) noexcept {
    Allocation incoming(std::move(other));  // so that moving to itself keeps the memory
    std::swap(record_, incoming.record_);
    return *this;
  }
  ~Allocation() {
    if (record_ != nullptr) record_->state.put_back(*std::exchange(record_, nullptr));
  }

  /// Gives the memory back, its last use being queued on the stream it was allocated for. Throws
  /// InvalidState the second time.
  void free() { record().state.put_back(*std::exchange(record_, nullptr)); }
  /// The same, its last use being queued on `stream`: the next user is ordered after that one.
  void free(const Stream& stream)
    requires OrderedAllocator<A>
  {
    record().state.put_back(record(), stream);
    record_ = nullptr;
  }
  /// True as well where it was moved from.
  bool is_freed() const noexcept { return record_ == nullptr; }

  /// The allocator's block, which may be larger than what was asked for; it belongs to the pool and
  /// must not be moved away. Throws InvalidState if freed.
  Block& block() { return record().block; }
  const Block& block() const { return record().block; }
  /// Bytes asked for. Throws InvalidState if freed.
  std::size_t size_bytes() const { return record().requested_bytes; }
  /// Bytes of the block. Throws InvalidState if freed.
  std::size_t block_bytes() const { return record().block_bytes; }

 private:
  template <Allocator>
  friend class Pool;
  explicit Allocation(PoolRecord<A>& record) noexcept : record_(&record) {}
  PoolRecord<A>& record() const {
    if (record_ == nullptr) throw_freed();
    return *record_;
  }

  PoolRecord<A>* record_ = nullptr;
};

/// Keeps blocks that were freed and gives them out again, instead of asking the allocator. Blocks
/// lie in bins by size (BinRule); the newest fitting one is used first.
///
/// **Order.** Over an OrderedAllocator, a block belongs to the stream it was last used on. A
/// request for the same stream gets it at once, while that use may still be queued. A request for
/// another stream gets a block of its own stream if there is one, else one of another stream if all
/// work on that has ended, else a new one: streams do not wait for each other, as then one that is
/// itself waiting for the host would hold the other up. Only where the allocator has no more does
/// the new stream wait for what is queued on the old one; the host waits for nothing. A block used
/// on several streams is the caller's to order before it is freed. Over any other allocator a freed
/// block is given out at once, to anyone.
///
/// **Out of memory.** Before the allocator is asked for a block, `options.before_growth` may give
/// one back. Where it refuses, `options.reclaim` is called and the allocator asked again; then held
/// blocks go back to the allocator one by one, the largest bins first, and it is asked after each;
/// then what the other pools of the process hold; then OutOfMemory names the lines that made the
/// most of what is live. The reverse holds, too: when any allocation of the process fails, in
/// whichever run-time, what the pool holds is given back.
///
/// Every member may be called from any thread. A pool may end before its allocations: their blocks
/// then go back to the allocator as they are freed, which lives as long.
template <Allocator A>
class Pool {
 public:
  using Block = typename A::Block;  ///< the allocator's
  using Stream = stream_of<A>;      ///< Unordered over allocators without streams

  /// Throws InvalidArgument if the options make no rule of bins.
  explicit Pool(A allocator, PoolOptions options = {})
      : state_(new PoolState<A>(std::move(allocator), std::move(options))) {}

  /// At least `size_bytes` of memory; zero bytes gives a block of the smallest bin. Throws
  /// OutOfMemory, and whatever else the allocator throws.
  Allocation<A> allocate(std::size_t size_bytes, Site site = std::source_location::current())
    requires(!OrderedAllocator<A>)
  {
    return Allocation<A>(state_->take(size_bytes, {}, site));
  }
  /// The same, for use on `stream`; other streams are the caller's to order.
  Allocation<A> allocate(std::size_t size_bytes, const Stream& stream,
                         Site site = std::source_location::current())
    requires OrderedAllocator<A>
  {
    return Allocation<A>(state_->take(size_bytes, stream, site));
  }

  /// Gives every held block back to the allocator; how many bytes they were.
  std::size_t free_held() noexcept { return state_->free_held(); }
  std::size_t trim() noexcept { return free_held(); }  ///< the same
  /// The same, and from now on freed blocks go to the allocator at once.
  void stop_holding() noexcept { state_->stop_holding(); }

  /// At one moment: the numbers fit each other.
  Statistics statistics() const noexcept { return state_->statistics(); }
  /// The largest active blocks, largest first, at most `count`.
  std::vector<LiveAllocation> largest_live(std::size_t count) const {
    return state_->largest_live(count);
  }
  /// As the options had it; valid as long as the pool.
  const BinRule& bins() const noexcept { return state_->bins(); }
  /// Valid as long as the pool; the pool may be calling it meanwhile.
  const A& allocator() const noexcept { return state_->allocator(); }

 private:
  struct End {
    void operator()(PoolState<A>* state) const noexcept { state->end(); }
  };
  std::unique_ptr<PoolState<A>, End> state_;
};

}  // namespace treadle::memory
