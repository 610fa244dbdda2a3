// SPDX-License-Identifier: MIT
// The check `race` in the shared memory of a block, and what of it was written. One worker runs all
// threads of a block, so nothing here has locks. Rows of threads that access neighbours are noted
// as a whole, in a list; only if a thread alone asks, each word (once a part of one was accessed,
// each byte) gets its writer and readers. The list is of the time between two barriers of the
// block, and two numbers for each word tell at once whether a row meets another access of that
// time:
//
//   s[t] = a[t];     barrier;     b[t] = s[t + 1];
//   list: a row,                  list: a row; the words' writers are of another time
//   its words' writers: now
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "cuda_cpu/runtime/access_moment.hpp"
#include "cuda_cpu/runtime/written_bytes.hpp"

namespace treadle::cuda_cpu {

/// What neighbouring threads do at one place, each its own `size` bytes.
struct RowOfAccesses {
  std::uint64_t first = 0;  ///< of the first thread: an address, or an offset in shared memory
  std::uint64_t size = 0;
  std::int64_t stride = 0;    ///< bytes from thread to thread
  std::uint32_t threads = 0;  ///< at least one
  bool operator==(const RowOfAccesses&) const = default;
};

/// Of one worker's block, or of one block of a cooperative launch.
class SharedAccesses {
 public:
  /// Before any other call for a block of so much shared memory.
  void fit(std::uint64_t bytes);
  void start_block();
  /// All threads of the block have met.
  void start_interval();
  /// Some threads have met: from now on until the next interval each thread is noted by itself.
  void part();

  struct Race {
    Moment earlier;
    std::uint64_t byte = 0;  ///< offset
  };
  /// Notes an access; what it races with, if anything.
  std::optional<Race> note(std::uint64_t offset, std::uint64_t size, const Moment& now);
  /// `now` is that of the first thread; that of the others differs in the thread only. False, and
  /// nothing is noted, if each has to ask.
  bool note_row(const RowOfAccesses& row, const Moment& now);

  /// The check `init`: what the block has written.
  Share written(std::uint64_t offset, std::uint64_t size) const {
    return written_->written(offset, size);
  }
  void note_written(std::uint64_t offset, std::uint64_t size) {
    any_written_ = true;
    written_->note(offset, size);
  }

 private:
  /// In a block that a worker runs; it counts them. 0: never.
  struct SharedMoment {
    std::uint64_t block = 0;
    Moment moment;
    bool meets(const SharedMoment& later) const {
      return block == later.block && moment.meets(later.moment);
    }
  };
  /// A word or a byte of shared memory. Of many readers two are enough: a writer is at most one of
  /// them.
  struct Cell {
    SharedMoment writer;
    std::array<SharedMoment, 2> readers;
    const SharedMoment* race_with(const SharedMoment& mine) const;
    void keep(const SharedMoment& mine);
  };
  struct NotedRow {
    RowOfAccesses row;
    Moment moment;
  };
  static constexpr std::uint64_t word_bytes = 4;
  static constexpr std::size_t most_rows = 4096;
  /// In `writers_` and `readers_`: a thread plus 1, or many, and above that the interval.
  static constexpr std::uint32_t thread_bits = 11, many = (1u << thread_bits) - 1;

  void split();
  std::uint32_t tag(std::uint32_t thread) const { return interval_ << thread_bits | (thread + 1); }
  template <class Visit>
  static void for_words(const RowOfAccesses& row, Visit&& visit);

  std::uint64_t bytes_ = 0, block_ = 0;
  std::uint64_t step_ = word_bytes;
  std::vector<Cell> cells_;
  std::vector<std::uint32_t> writers_, readers_;
  std::uint32_t interval_ = 1;
  bool is_parted_ = false;
  std::vector<NotedRow> rows_;
  std::unique_ptr<WrittenBytes> written_;
  bool any_written_ = false;
};

}  // namespace treadle::cuda_cpu
