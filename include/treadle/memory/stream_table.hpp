// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "treadle/memory/allocator.hpp"

namespace treadle::memory {

/// Gives streams small numbers, so that a block remembers its stream in one word and a stream is
/// kept alive once, not once for each block. A stream stays while a block has its number. Not
/// thread-safe.
template <class Stream>
class StreamTable {
 public:
  using Number = std::uint32_t;  ///< used again once the stream is let go

  /// The number of a stream, counted once more. Throws std::bad_alloc.
  Number acquire(const Stream& stream) {
    std::optional<Number> unused;
    for (Number i = 0; i < entries_.size(); ++i) {
      if (entries_[i].uses == 0)
        unused = i;
      else if (*entries_[i].stream == stream)
        return ++entries_[i].uses, i;
    }
    if (!unused) {
      entries_.emplace_back();
      unused = static_cast<Number>(entries_.size() - 1);
    }
    entries_[*unused].stream = stream;
    entries_[*unused].uses = 1;
    return *unused;
  }

  /// Counts one use less. The last one gives the stream itself: its end may be a driver's call,
  /// which the caller makes when it has no lock.
  [[nodiscard]] std::optional<Stream> release(Number number) noexcept {
    if (--entries_[number].uses != 0) return std::nullopt;
    return std::exchange(entries_[number].stream, std::nullopt);
  }

  /// Whether `number`, which is in use, stands for this stream.
  bool is(Number number, const Stream& stream) const { return *entries_[number].stream == stream; }
  /// Those that have numbers. Throws std::bad_alloc.
  std::vector<Stream> all() const {
    std::vector<Stream> streams;
    for (const Entry& entry : entries_)
      if (entry.stream) streams.push_back(*entry.stream);
    return streams;
  }
  /// The stream of a number that is in use; valid until the next acquire().
  const Stream& at(Number number) const { return *entries_[number].stream; }

 private:
  struct Entry {
    std::optional<Stream> stream;  // set while uses > 0
    std::size_t uses = 0;
  };
  std::vector<Entry> entries_;
};

/// No streams: nothing is counted, and every block's memory may be used at once.
template <>
class StreamTable<Unordered> {
 public:
  using Number = std::uint32_t;
  Number acquire(const Unordered&) noexcept { return 0; }
  [[nodiscard]] std::optional<Unordered> release(Number) noexcept { return std::nullopt; }
  bool is(Number, const Unordered&) const noexcept { return true; }
  Unordered at(Number) const noexcept { return {}; }
};

}  // namespace treadle::memory
