// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/written_bytes.hpp"

#include <algorithm>

#include "cuda_cpu/runtime/context.hpp"
#include "treadle/process/settings.hpp"

namespace treadle::cuda_cpu {
namespace {

constexpr std::size_t word_bits = 64;
std::atomic<bool> stopped{false}, in_some_context{false};

std::uint64_t low_bits(std::size_t count) {
  return count >= word_bits ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

/// Calls visit(word, shift, count, bytes before) for the part of a range that lies in each word.
template <class Visit>
void for_words(std::size_t first, std::size_t count, Visit&& visit) {
  for (std::size_t done = 0; done < count;) {
    const std::size_t at = first + done, shift = at % word_bits;
    const std::size_t part = std::min(word_bits - shift, count - done);
    visit(at / word_bits, shift, part, done);
    done += part;
  }
}

}  // namespace

void WrittenBytes::note(std::size_t first, std::size_t count) noexcept {
  for_words(first, count, [&](std::size_t word, std::size_t shift, std::size_t part, std::size_t) {
    const std::uint64_t mask = low_bits(part) << shift;
    // Mostly they are set already, and then no other core's cache is disturbed.
    if ((words_[word].load(std::memory_order_relaxed) & mask) != mask)
      words_[word].fetch_or(mask, std::memory_order_relaxed);
  });
}

void WrittenBytes::forget() noexcept {
  for (auto& word : words_) word.store(0, std::memory_order_relaxed);
}

void WrittenBytes::note_copy(std::size_t first, std::size_t count, const WrittenBytes& from,
                             std::size_t from_first) noexcept {
  for_words(first, count,
            [&](std::size_t word, std::size_t shift, std::size_t part, std::size_t done) {
              const std::uint64_t copied = from.bits(from_first + done, part) << shift;
              words_[word].fetch_and(copied | ~(low_bits(part) << shift));
              words_[word].fetch_or(copied);
            });
}

std::uint64_t WrittenBytes::bits(std::size_t first, std::size_t count) const noexcept {
  const std::size_t word = first / word_bits, shift = first % word_bits;
  std::uint64_t found = words_[word].load(std::memory_order_relaxed) >> shift;
  if (shift + count > word_bits)
    found |= words_[word + 1].load(std::memory_order_relaxed) << (word_bits - shift);
  return found & low_bits(count);
}

Share WrittenBytes::written(std::size_t first, std::size_t count) const noexcept {
  bool any = false, all = true;
  for_words(first, count, [&](std::size_t word, std::size_t shift, std::size_t part, std::size_t) {
    const std::uint64_t mask = low_bits(part) << shift;
    const std::uint64_t set = words_[word].load(std::memory_order_relaxed) & mask;
    any = any || set != 0;
    all = all && set == mask;
  });
  return all ? Share::all : any ? Share::some : Share::none;
}

bool writes_are_noted(const Context* context) noexcept {
  static const bool asked = settings().checks.init;
  return (asked && !stopped.load(std::memory_order_relaxed)) ||
         (context != nullptr && context->notes_writes.load(std::memory_order_relaxed));
}

bool writes_are_noted() noexcept {
  return in_some_context.load(std::memory_order_relaxed) || writes_are_noted(nullptr);
}

void note_loaded_kernel(Context& context, bool notes_writes) noexcept {
  if (!notes_writes) {
    stopped.store(true, std::memory_order_relaxed);
    context.has_unnoted_writes.store(true, std::memory_order_relaxed);
    context.notes_writes.store(false, std::memory_order_relaxed);
  } else if (!context.has_unnoted_writes.load(std::memory_order_relaxed)) {
    context.notes_writes.store(true, std::memory_order_relaxed);
    in_some_context.store(true, std::memory_order_relaxed);
  }
}

}  // namespace treadle::cuda_cpu
