// SPDX-License-Identifier: MIT
// The check `determinism`: a launch runs twice from the same memory, its blocks and warps in
// another order, and has to leave the same bits. A record notes each word before it is written, and
// who wrote it last, in both runs:
//
//   first run       blocks 0, 1, 2 ..., by regions    the word is 0x3f800000, line 7, thread 31
//   second run      ... 2, 1, 0, the last thread first, on fibers; 0x3f7fffff, line 7, thread 0
//
// A launch under this check is run by one worker, so a record has no locks.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "cuda_cpu/module_abi.h"

namespace treadle::cuda_cpu {

/// Who wrote a word.
struct WordWriter {
  const CheckedAccess* access = nullptr;  ///< null: nobody
  std::uint32_t block = 0, thread = 0;
};

/// A word that differs between the runs.
struct WordDifference {
  std::uintptr_t address = 0;
  std::uint32_t words[2] = {};  ///< by run
  WordWriter writers[2] = {};
};

class OrderRecord {
 public:
  /// Before a write of the run that goes on.
  void note(std::uintptr_t address, std::uint64_t size, const WordWriter& writer);
  /// Whether a thread of the second run has read one variable so often, and nothing else, that what
  /// it waits for will not come.
  bool waits_in_vain(std::uintptr_t address, const WordWriter& reader);

  /// Behind the first run: keeps its words, and memory is again what it was before it.
  void begin_second();
  /// Behind a second run that did not end: that one again.
  void restart_second();
  /// Behind the second run: the first word, by address, that it left otherwise.
  std::optional<WordDifference> difference() const;

  bool is_second() const { return is_second_; }
  /// The kernel does what cannot be done twice: it allocates or frees memory.
  void give_up() { may_repeat_ = is_second_; }
  bool may_repeat() const { return may_repeat_; }
  bool has_waited_in_vain() const { return wait_count_ >= most_waits; }

 private:
  static constexpr std::uintptr_t page_bytes = 256, word_bytes = 4;
  static constexpr unsigned most_waits = 1u << 20;
  struct Page {
    std::byte before[page_bytes], first[page_bytes];  // what was there, what the first run left
    std::bitset<page_bytes> written[2];
    WordWriter writers[2][page_bytes / word_bytes];
  };
  template <class Visit>
  void for_written_bytes(Visit&& visit);

  std::unordered_map<std::uintptr_t, Page> pages_;  // by address / page_bytes
  bool is_second_ = false, may_repeat_ = true;
  std::uintptr_t waited_at_ = 0;
  WordWriter waiting_;
  unsigned wait_count_ = 0;
};

}  // namespace treadle::cuda_cpu
