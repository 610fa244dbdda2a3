// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/global_accesses.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <span>
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

/// Threads in a row, each with its own bytes of a page; or, with a stride of 0, one thread.
struct NotedRow {
  GlobalMoment first;                // of the thread that has the byte at `begin`
  std::uint16_t begin = 0, end = 0;  // in the page
  std::uint16_t stride = 0;          // bytes of a thread
  bool covers(const NotedRow& other) const { return begin <= other.begin && other.end <= end; }
  bool meets(const NotedRow& other) const { return begin < other.end && other.begin < end; }
  GlobalMoment at(std::uintptr_t byte) const {
    GlobalMoment moment = first;
    if (stride != 0) moment.moment.thread += static_cast<std::uint32_t>((byte - begin) / stride);
    return moment;
  }
};

/// At first some rows, in their order. A cell for each word once a thread alone accessed the page,
/// or rows that nobody could keep apart, until a row of a later launch comes and few rows say what
/// the cells do; or for each byte, once a part of a word was accessed.
/// Nothing where nothing was accessed since it was forgotten. A page stays as long as the process:
/// threads remember it.
struct Page {
  /// A tile's rows of 64 bytes, twice, and some: cells take sixteen times their memory.
  static constexpr std::size_t most_rows = 40;
  std::atomic_flag is_used = ATOMIC_FLAG_INIT;
  std::vector<NotedRow> rows;
  bool is_written = false;  ///< by one of them, maybe
  std::vector<Cell> cells;
  std::uint32_t joined_for = 0;  ///< the launch whose row last found cells
  bool is_split() const { return cells.size() == page_bytes; }
  void prepare();
  void join(const GlobalMoment& now);
  void split() {
    std::vector<Cell> bytes(page_bytes);
    for (std::size_t k = 0; k < page_bytes; ++k) bytes[k] = cells[k / word_bytes];
    cells = std::move(bytes);
  }
  void forget() {
    cells = {};
    rows = {};
    is_written = false;
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

bool races(const GlobalMoment& earlier, const GlobalMoment& now, const BlockOrder& order) {
  return earlier.launch != 0 && !(is_strong(earlier) && is_strong(now)) &&
         !is_ordered(earlier, now, order);
}

bool gives_way(const GlobalMoment& reader, const GlobalMoment& now, const BlockOrder& order) {
  return reader.launch == 0 || is_same_thread(reader, now) || is_ordered(reader, now, order);
}

void keep(Cell& cell, const GlobalMoment& now, const BlockOrder& order) {
  auto& [first, second] = cell.readers;
  if (writes(*now.moment.access)) {
    cell.writer = now;
  } else if (is_same_thread(second, now) || !gives_way(first, now, order)) {
    if (gives_way(second, now, order)) second = now;
  } else {
    first = now;
  }
}

/// What the access races with, or null; then the cell knows it.
const GlobalMoment* note(Cell& cell, const GlobalMoment& now, const BlockOrder& order) {
  if (races(cell.writer, now, order)) return &cell.writer;
  if (writes(*now.moment.access))
    for (const GlobalMoment& reader : cell.readers)
      if (races(reader, now, order)) return &reader;
  keep(cell, now, order);
  return nullptr;
}

/// From rows to cells.
void Page::prepare() {
  if (!cells.empty()) return;
  cells.resize(page_bytes / word_bytes);
  const BlockOrder unknown;
  for (const NotedRow& row : rows)
    for (std::uintptr_t at = row.begin; at < row.end; at += word_bytes)
      keep(cells[at / word_bytes], row.at(at), unknown);
  rows = {};
}

/// Words from `first` on that one thread, or neighbours, touched at one place, as cells know it.
NotedRow row_of_cells(std::span<const Cell> cells, std::size_t first,
                      const GlobalMoment& (*moment_of)(const Cell&)) {
  GlobalMoment expected = moment_of(cells[first]);
  NotedRow row{expected, static_cast<std::uint16_t>(first * word_bytes)};
  std::size_t end = first, of_thread = 0;
  const auto extend = [&](std::size_t most) {
    const std::size_t from = end;
    while (end < cells.size() && end - from < most && moment_of(cells[end]) == expected) ++end;
    return end - from;
  };
  of_thread = extend(cells.size());
  for (++expected.moment.thread; extend(of_thread) == of_thread; ++expected.moment.thread)
    row.stride = static_cast<std::uint16_t>(of_thread * word_bytes);
  if (row.stride == 0) end = first + of_thread;
  row.end = static_cast<std::uint16_t>(end * word_bytes);
  return row;
}

/// From cells of earlier launches back to rows, if these are few.
void Page::join(const GlobalMoment& now) {
  if (is_split() || joined_for == now.launch) return;
  joined_for = now.launch;
  using MomentOf = const GlobalMoment& (*)(const Cell&);
  constexpr MomentOf kinds[] = {
      [](const Cell& cell) -> const GlobalMoment& { return cell.writer; },
      [](const Cell& cell) -> const GlobalMoment& { return cell.readers[0]; },
      [](const Cell& cell) -> const GlobalMoment& { return cell.readers[1]; }};
  std::vector<NotedRow> found;
  bool any_writes = false;
  for (const MomentOf& kind : kinds)
    for (std::size_t word = 0; word < cells.size();) {
      const std::uint32_t launch = kind(cells[word]).launch;
      if (launch == now.launch || found.size() == most_rows / 2) return;
      const NotedRow row = row_of_cells(cells, word, kind);
      word = row.end / word_bytes;
      if (launch == 0) continue;
      found.push_back(row);
      any_writes |= &kind == &kinds[0];
    }
  cells = {};
  rows = std::move(found);
  is_written = any_writes;
}

enum class Kept { noted, races, unknown };

/// Two rows that meet, one of which writes.
Kept in_order(const NotedRow& earlier, const NotedRow& row, const BlockOrder& order) {
  const GlobalMoment &a = earlier.first, &b = row.first;
  if (a.launch != b.launch || a.block != b.block)
    return is_ordered(a, b, order) ? Kept::noted : Kept::races;
  const std::uintptr_t common = std::max(earlier.begin, row.begin);
  const bool same_threads =
      earlier.stride == row.stride &&
      earlier.at(common).moment.thread == row.at(common).moment.thread &&
      (earlier.stride == 0 || (earlier.begin - row.begin) % static_cast<int>(row.stride) == 0);
  const bool has_barrier = a.moment.block_barriers != b.moment.block_barriers ||
                           b.moment.waited_at > a.moment.time || a.grid_barriers < b.grid_barriers;
  return same_threads || has_barrier ? Kept::noted : Kept::unknown;
}

/// Notes a row among others; unknown if that takes cells.
Kept note_among_rows(Page& page, const NotedRow& row, const BlockOrder& order) {
  const bool is_write = writes(*row.first.moment.access);
  for (const NotedRow& other : page.rows) {
    if (!is_write && !page.is_written) break;
    if (!other.meets(row) || (!is_write && !writes(*other.first.moment.access))) continue;
    if (const Kept kept = in_order(other, row, order); kept != Kept::noted) return kept;
  }
  // What came before all of it is no longer asked for; two readers are enough.
  unsigned readers = 0;
  std::erase_if(page.rows, [&](const NotedRow& other) {
    if (!other.meets(row)) return false;
    const bool was_write = writes(*other.first.moment.access);
    if (row.covers(other) &&
        (is_write || (!was_write && in_order(other, row, order) == Kept::noted)))
      return true;
    // A writer that comes after one launch need not come after another.
    if (!is_write && !was_write && other.covers(row) && other.first.launch == row.first.launch &&
        in_order(other, row, order) != Kept::noted)
      ++readers;
    return false;
  });
  if (!is_write && readers >= 2) return Kept::noted;
  if (page.rows.size() == Page::most_rows) return Kept::unknown;
  page.rows.push_back(row);
  page.is_written |= is_write;
  return Kept::noted;
}

/// The part of a row that lies in one page.
bool note_in_page(Page& page, const NotedRow& row, const BlockOrder& order) {
  if (!page.cells.empty()) page.join(row.first);
  if (page.cells.empty())
    if (const Kept kept = note_among_rows(page, row, order); kept != Kept::unknown)
      return kept == Kept::noted;
  page.prepare();
  const std::uintptr_t step = page.is_split() ? 1 : word_bytes;
  for (std::uintptr_t at = row.begin; at < row.end; at += step)
    if (note(page.cells[at / step], row.at(at), order) != nullptr) return false;
  return true;
}

/// Neighbouring bytes of threads in a row, or of one thread; `thread_bytes` of each, or 0.
bool note_stretch(std::uintptr_t begin, std::uintptr_t end, std::uint64_t thread_bytes,
                  const GlobalMoment& now, const BlockOrder& order) {
  for (std::uintptr_t at = begin; at < end;) {
    const std::uintptr_t number = at / page_bytes;
    const std::uintptr_t page_end = std::min(end, (number + 1) * page_bytes);
    // A thread that has bytes in two pages is in both.
    GlobalMoment first = now;
    if (thread_bytes != 0)
      first.moment.thread += static_cast<std::uint32_t>((at - begin) / thread_bytes);
    const auto in_page = [&](std::uintptr_t address) {
      return static_cast<std::uint16_t>(address - number * page_bytes);
    };
    Page& page = page_of(number);
    const PageUse use(page);
    if (!note_in_page(
            page, {first, in_page(at), in_page(page_end), static_cast<std::uint16_t>(thread_bytes)},
            order))
      return false;
    at = page_end;
  }
  return true;
}

}  // namespace

bool note_global_row(const RowOfAccesses& row, const GlobalMoment& now, const BlockOrder& order) {
  const auto has_words = [](std::uint64_t value) { return value % word_bytes == 0; };
  if (!has_words(row.first) || !has_words(row.size)) return false;
  const bool is_dense = row.stride == static_cast<std::int64_t>(row.size);
  // Within a page the bytes of a thread begin where its size says.
  if (is_dense && row.first % row.size == 0 && page_bytes % row.size == 0)
    return note_stretch(row.first, row.first + row.size * row.threads, row.size, now, order);
  if (row.stride == 0) {
    // All of them read the same: two are enough.
    for (std::uint32_t thread = 0; thread < std::min(row.threads, 2u); ++thread) {
      GlobalMoment mine = now;
      mine.moment.thread += thread;
      if (!note_stretch(row.first, row.first + row.size, 0, mine, order)) return false;
    }
    return true;
  }
  for (std::uint32_t thread = 0; thread < row.threads; ++thread) {
    GlobalMoment mine = now;
    mine.moment.thread += thread;
    const std::uintptr_t first = row.first + static_cast<std::uint64_t>(row.stride) * thread;
    if (note_global_access(first, row.size, mine, order)) return false;
  }
  return true;
}

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
    if (page.cells.empty() && page.rows.empty()) return;
    if (address <= number * page_bytes && (number + 1) * page_bytes - address <= size)
      return page.forget();
    page.prepare();
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

void forget_accesses_at(const std::function<bool(const CheckedAccess*)>& goes) noexcept {
  const CheckedAccess* last = nullptr;  // neighbours did the same
  bool last_goes = false;
  const auto is_of_it = [&](const GlobalMoment& noted) {
    if (noted.moment.access != last) last_goes = goes(last = noted.moment.access);
    return noted.launch != 0 && last_goes;
  };
  for (Shard& shard : shards()) {
    const std::lock_guard lock(shard.mutex);
    for (auto& [number, page] : shard.pages) {
      const PageUse use(page);
      std::erase_if(page.rows, [&](const NotedRow& row) { return is_of_it(row.first); });
      for (Cell& cell : page.cells)
        for (GlobalMoment* noted : {&cell.writer, &cell.readers[0], &cell.readers[1]})
          if (is_of_it(*noted)) *noted = {};
    }
  }
}

}  // namespace treadle::cuda_cpu
