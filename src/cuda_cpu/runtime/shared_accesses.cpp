// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/shared_accesses.hpp"

#include <algorithm>

namespace treadle::cuda_cpu {

const SharedAccesses::SharedMoment* SharedAccesses::Cell::race_with(
    const SharedMoment& mine) const {
  const auto races = [&](const SharedMoment& other) {
    return other.meets(mine) &&
           !(is_atomic(*mine.moment.access) && is_atomic(*other.moment.access));
  };
  const SharedMoment* found = races(writer) ? &writer : nullptr;
  if (writes(*mine.moment.access))
    for (const SharedMoment& reader : readers)
      if (races(reader)) found = &reader;
  return found;
}

void SharedAccesses::Cell::keep(const SharedMoment& mine) {
  if (writes(*mine.moment.access)) {
    writer = mine;
    return;
  }
  const SharedMoment& first = readers[0];
  const bool gives_way = first.block != mine.block ||
                         first.moment.block_barriers != mine.moment.block_barriers ||
                         first.moment.thread == mine.moment.thread;
  readers[gives_way ? 0 : 1] = mine;
}

void SharedAccesses::fit(std::uint64_t bytes) {
  if (written_ != nullptr && bytes <= bytes_) return;
  bytes_ = bytes;
  const std::uint64_t words = (bytes + word_bytes - 1) / word_bytes;
  cells_.resize(words * word_bytes / step_);
  writers_.resize(words);
  readers_.resize(words);
  written_ = std::make_unique<WrittenBytes>(bytes);
}

void SharedAccesses::start_block() {
  ++block_;
  start_interval();
  if (any_written_) written_->forget();
  any_written_ = false;
}

void SharedAccesses::start_interval() {
  rows_.clear();
  is_parted_ = false;
  if (++interval_ < 1u << (32 - thread_bits)) return;
  interval_ = 1;
  std::ranges::fill(writers_, 0);
  std::ranges::fill(readers_, 0);
}

void SharedAccesses::split() {
  if (step_ == 1) return;
  std::vector<Cell> bytes(cells_.size() * word_bytes);
  for (std::size_t k = 0; k < bytes.size(); ++k) bytes[k] = cells_[k / word_bytes];
  cells_ = std::move(bytes);
  step_ = 1;
}

/// Calls visit(word, thread) for each word of each thread, counted from the row's first.
template <class Visit>
void SharedAccesses::for_words(const RowOfAccesses& row, Visit&& visit) {
  const std::uint64_t words = row.size / word_bytes;
  if (words == 1 && row.stride == static_cast<std::int64_t>(word_bytes)) {  // in vectors
    for (std::uint32_t thread = 0; thread < row.threads; ++thread)
      visit(row.first / word_bytes + thread, thread);
    return;
  }
  for (std::uint32_t thread = 0; thread < row.threads; ++thread) {
    const std::uint64_t first = row.first + static_cast<std::uint64_t>(row.stride) * thread;
    for (std::uint64_t k = 0; k < words; ++k) visit(first / word_bytes + k, thread);
  }
}

void SharedAccesses::part() {
  if (is_parted_) return;
  is_parted_ = true;
  for (const NotedRow& noted : rows_)
    for_words(noted.row, [&](std::uint64_t word, std::uint32_t thread) {
      SharedMoment mine{block_, noted.moment};
      mine.moment.thread += thread;
      for (std::uint64_t k = 0; k < word_bytes / step_; ++k)
        cells_[word * word_bytes / step_ + k].keep(mine);
    });
  rows_.clear();
}

std::optional<SharedAccesses::Race> SharedAccesses::note(std::uint64_t offset, std::uint64_t size,
                                                         const Moment& now) {
  part();
  if (offset % word_bytes != 0 || size % word_bytes != 0) split();
  const SharedMoment mine{block_, now};
  for (std::uint64_t at = offset; at < offset + size; at += step_) {
    Cell& cell = cells_[at / step_];
    if (const SharedMoment* found = cell.race_with(mine)) return Race{found->moment, at};
    cell.keep(mine);
  }
  return {};
}

bool SharedAccesses::note_row(const RowOfAccesses& row, const Moment& now) {
  const bool has_words = row.first % word_bytes == 0 && row.size % word_bytes == 0 &&
                         row.stride % static_cast<std::int64_t>(word_bytes) == 0;
  if (is_parted_ || !has_words || rows_.size() == most_rows) return false;
  const bool is_write = writes(*now.access);
  const std::uint32_t first = tag(now.thread), none = interval_ << thread_bits;
  // Written and read by nobody in this interval, or by the same thread.
  std::uint32_t meets = 0;
  for_words(row, [&](std::uint64_t word, std::uint32_t thread) {
    const std::uint32_t writer = writers_[word], reader = readers_[word], mine = first + thread;
    meets |= (writer >= none && writer != mine ? 1u : 0u) |
             (is_write && reader >= none && reader != mine ? 1u : 0u);
  });
  if (meets != 0) return false;
  if (is_write) {
    for_words(row,
              [&](std::uint64_t word, std::uint32_t thread) { writers_[word] = first + thread; });
  } else {
    for_words(row, [&](std::uint64_t word, std::uint32_t thread) {
      const std::uint32_t reader = readers_[word], mine = first + thread;
      readers_[word] = reader >= none && reader != mine ? none | many : mine;
    });
  }
  rows_.push_back({row, now});
  return true;
}

}  // namespace treadle::cuda_cpu
