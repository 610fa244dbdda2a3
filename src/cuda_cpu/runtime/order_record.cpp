// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/order_record.hpp"

#include <algorithm>
#include <cstring>

namespace treadle::cuda_cpu {

void OrderRecord::note(std::uintptr_t address, std::uint64_t size, const WordWriter& writer) {
  const std::uintptr_t end = address + size;
  for (std::uintptr_t at = address; at < end;) {
    const std::uintptr_t number = at / page_bytes;
    const auto [found, is_new] = pages_.try_emplace(number);
    Page& page = found->second;
    if (is_new)
      std::memcpy(page.before, reinterpret_cast<const void*>(number * page_bytes), page_bytes);
    for (; at < end && at / page_bytes == number; ++at) {
      page.written[is_second_ ? 1 : 0].set(at % page_bytes);
      page.writers[is_second_ ? 1 : 0][at % page_bytes / word_bytes] = writer;
    }
  }
}

bool OrderRecord::waits_in_vain(std::uintptr_t address, const WordWriter& reader) {
  const bool is_same =
      waited_at_ == address && waiting_.thread == reader.thread && waiting_.block == reader.block;
  waited_at_ = address;
  waiting_ = reader;
  wait_count_ = is_same ? wait_count_ + 1 : 0;
  return has_waited_in_vain();
}

template <class Visit>
void OrderRecord::for_written_bytes(Visit&& visit) {
  for (auto& [number, page] : pages_)
    for (std::uintptr_t k = 0; k < page_bytes; ++k)
      if (page.written[0][k] || page.written[1][k])
        visit(page, k, *reinterpret_cast<std::byte*>(number * page_bytes + k));
}

void OrderRecord::begin_second() {
  is_second_ = true;
  for_written_bytes([](Page& page, std::uintptr_t k, std::byte& now) {
    page.first[k] = now;
    now = page.before[k];
  });
}

void OrderRecord::restart_second() {
  wait_count_ = 0;
  for_written_bytes([](Page& page, std::uintptr_t k, std::byte& now) { now = page.before[k]; });
  for (auto& [number, page] : pages_) {
    page.written[1].reset();
    std::ranges::fill(page.writers[1], WordWriter{});
  }
}

std::optional<WordDifference> OrderRecord::difference() const {
  std::optional<WordDifference> first;
  for (const auto& [number, page] : pages_) {
    if (first && number * page_bytes > first->address) continue;
    const auto* const now = reinterpret_cast<const std::byte*>(number * page_bytes);
    for (std::uintptr_t k = 0; k < page_bytes; ++k) {
      // What only the second run has written was in the first one what it was before.
      const std::byte then = page.written[0][k] ? page.first[k] : page.before[k];
      if ((!page.written[0][k] && !page.written[1][k]) || then == now[k]) continue;
      const std::uintptr_t word = k / word_bytes * word_bytes;
      WordDifference found{.address = number * page_bytes + word};
      std::byte bytes[word_bytes];
      for (std::uintptr_t i = 0; i < word_bytes; ++i)
        bytes[i] = page.written[0][word + i] ? page.first[word + i] : page.before[word + i];
      std::memcpy(&found.words[0], bytes, word_bytes);
      std::memcpy(&found.words[1], now + word, word_bytes);
      for (unsigned run = 0; run < 2; ++run)
        found.writers[run] = page.writers[run][word / word_bytes];
      first = found;
      break;
    }
  }
  return first;
}

}  // namespace treadle::cuda_cpu
