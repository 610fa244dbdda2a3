// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/global_accesses.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <vector>

#include "cuda_cpu/runtime/kept_by_thread.hpp"
#include "cuda_cpu/runtime/stream_order.hpp"

namespace treadle::cuda_cpu {
namespace {

constexpr std::uintptr_t page_bytes = 1024, word_bytes = 4;

/// Of many readers two are enough: a writer is at most one of them.
struct Cell {
  GlobalMoment writer;
  std::array<GlobalMoment, 2> readers;
};

/// A cell for each word, or, once a part of a word was accessed, for each byte; none where nothing
/// was accessed since it was forgotten. A page stays as long as the process: threads remember it.
struct Page {
  std::atomic_flag is_used = ATOMIC_FLAG_INIT;
  std::vector<Cell> cells;
  bool is_split() const { return cells.size() == page_bytes; }
  void prepare() {
    if (cells.empty()) cells.resize(page_bytes / word_bytes);
  }
  void split() {
    std::vector<Cell> bytes(page_bytes);
    for (std::size_t k = 0; k < page_bytes; ++k) bytes[k] = cells[k / word_bytes];
    cells = std::move(bytes);
  }
};

/// Holds a page for some nanoseconds.
class PageUse {
 public:
  explicit PageUse(Page& page) : page_(page) {
    for (unsigned round = 0; page_.is_used.test_and_set(std::memory_order_acquire); ++round)
      if (round % 64 == 63) sched_yield();
  }
  ~PageUse() { page_.is_used.clear(std::memory_order_release); }
  PageUse(const PageUse&) = delete;
  PageUse& operator=(const PageUse&) = delete;

 private:
  Page& page_;
};

/// Some of all pages, so that threads seldom wait for each other.
struct Shard {
  std::mutex mutex;
  std::unordered_map<std::uintptr_t, Page> pages;       // by address / page_bytes
  std::unordered_map<std::uintptr_t, Epochs> releases;  // by the variable's address
};
std::array<Shard, 64>& shards() {
  static auto* const all = new std::array<Shard, 64>;  // detached workers use them
  return *all;
}
Shard& shard_of(std::uintptr_t page) { return shards()[page % shards().size()]; }

/// What a thread need not ask for again.
struct KnownToThread {
  struct NumberedPage {
    std::uintptr_t number = 0;
    Page* page = nullptr;
  };
  struct Answer {
    std::uint32_t earlier = 0, later = 0;
    bool is_before = false;
  };
  std::array<NumberedPage, 64> pages;
  std::array<Answer, 16> answers;
};

Page& page_of(std::uintptr_t number) {
  auto& pages = kept_by_thread<KnownToThread>().pages;
  auto& known = pages[number % pages.size()];
  if (known.number != number || known.page == nullptr) {
    Shard& shard = shard_of(number);
    const std::lock_guard lock(shard.mutex);
    known = {number, &shard.pages[number]};
  }
  return *known.page;
}

/// As is_before(), which stays as it is once both are there.
bool is_known_before(std::uint32_t earlier, std::uint32_t later) {
  auto& answers = kept_by_thread<KnownToThread>().answers;
  auto& known = answers[earlier % answers.size()];
  if (known.earlier != earlier || known.later != later)
    known = {earlier, later, is_before(earlier, later)};
  return known.is_before;
}

bool is_strong(const GlobalMoment& moment) {
  return (moment.moment.access->flags & (check_atomic | check_volatile)) != 0;
}

bool is_ordered(const GlobalMoment& earlier, const GlobalMoment& later, const BlockOrder& order) {
  if (earlier.launch == later.launch) {
    if (earlier.block == later.block && !earlier.moment.meets(later.moment)) return true;
    if (earlier.grid_barriers < later.grid_barriers) return true;
  } else if (is_known_before(earlier.launch, later.launch) ||
             (!order.ended.empty() && has_ended(earlier.launch, order.ended))) {
    return true;
  }
  if (order.seen.empty()) return false;
  const auto seen = order.seen.find(block_key(earlier.launch, earlier.block));
  return seen != order.seen.end() && seen->second >= earlier.epoch;
}

bool is_same_thread(const GlobalMoment& a, const GlobalMoment& b) {
  return a.launch == b.launch && a.block == b.block && a.moment.thread == b.moment.thread;
}

/// What the access races with, or null; then the cell knows it.
const GlobalMoment* note(Cell& cell, const GlobalMoment& now, const BlockOrder& order) {
  const auto races_with = [&](const GlobalMoment& other) {
    return other.launch != 0 && !(is_strong(other) && is_strong(now)) &&
           !is_ordered(other, now, order);
  };
  if (races_with(cell.writer)) return &cell.writer;
  auto& [first, second] = cell.readers;
  if (writes(*now.moment.access)) {
    if (races_with(first)) return &first;
    if (races_with(second)) return &second;
    cell.writer = now;
    return nullptr;
  }
  const auto gives_way = [&](const GlobalMoment& reader) {
    return reader.launch == 0 || is_same_thread(reader, now) || is_ordered(reader, now, order);
  };
  if (is_same_thread(second, now) || !gives_way(first)) {
    if (gives_way(second)) second = now;
  } else {
    first = now;
  }
  return nullptr;
}

}  // namespace

std::optional<GlobalRace> note_global_access(std::uintptr_t address, std::uint64_t size,
                                             const GlobalMoment& now, const BlockOrder& order) {
  const std::uintptr_t end = address + size;
  for (std::uintptr_t at = address; at < end;) {
    const std::uintptr_t page_end = std::min(end, (at / page_bytes + 1) * page_bytes);
    Page& page = page_of(at / page_bytes);
    const PageUse use(page);
    page.prepare();
    if (!page.is_split() && (at % word_bytes != 0 || page_end % word_bytes != 0)) page.split();
    const std::uintptr_t step = page.is_split() ? 1 : word_bytes;
    for (; at < page_end; at += step)
      if (const auto* earlier = note(page.cells[at % page_bytes / step], now, order))
        return GlobalRace{*earlier, at};
  }
  return {};
}

void release_block(std::uintptr_t address, BlockKey block, BlockOrder& order) {
  Shard& shard = shard_of(address / page_bytes);
  const std::lock_guard lock(shard.mutex);
  Epochs& known = shard.releases[address];
  for (const auto& [other, epoch] : order.seen) {
    std::uint32_t& mine = known[other];
    mine = std::max(mine, epoch);
  }
  known[block] = order.epoch++;
  order.is_fenced = false;
}

void acquire_block(std::uintptr_t address, std::uint32_t launch, BlockOrder& order) {
  Shard& shard = shard_of(address / page_bytes);
  const std::lock_guard lock(shard.mutex);
  const auto found = shard.releases.find(address);
  if (found == shard.releases.end()) return;
  std::erase_if(found->second, [&](const auto& entry) {  // they are known to have ended
    const auto other = static_cast<std::uint32_t>(entry.first >> 32);
    return other != launch && is_before(other, launch);
  });
  for (const auto& [other, epoch] : found->second) {
    std::uint32_t& mine = order.seen[other];
    mine = std::max(mine, epoch);
  }
}

void forget_global_accesses(std::uintptr_t address, std::size_t size) noexcept {
  if (size == 0) return;
  const std::uintptr_t first = address / page_bytes, last = (address + size - 1) / page_bytes;
  const auto forget = [&](std::uintptr_t number, Page& page) {
    const PageUse use(page);
    if (page.cells.empty()) return;
    const std::uintptr_t step = page_bytes / page.cells.size();
    for (std::size_t k = 0; k < page.cells.size(); ++k)
      if (number * page_bytes + k * step - address < size) page.cells[k] = {};
  };
  for (Shard& shard : shards()) {
    const std::lock_guard lock(shard.mutex);
    std::erase_if(shard.releases, [&](const auto& entry) { return entry.first - address < size; });
    if (last - first < shard.pages.size()) {
      for (std::uintptr_t number = first; number <= last; ++number)
        if (const auto found = shard.pages.find(number); found != shard.pages.end())
          forget(number, found->second);
    } else {
      for (auto& [number, page] : shard.pages)
        if (number >= first && number <= last) forget(number, page);
    }
  }
}

void forget_global_accesses() noexcept {
  for (Shard& shard : shards()) {
    const std::lock_guard lock(shard.mutex);
    for (auto& [number, page] : shard.pages) {
      const PageUse use(page);
      page.cells = {};
    }
    shard.releases.clear();
  }
}

}  // namespace treadle::cuda_cpu
