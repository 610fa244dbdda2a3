// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/address_range.hpp"

#include <sys/mman.h>
#include <sys/resource.h>

#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>

namespace treadle::cuda_cpu {
namespace {

constexpr std::size_t largest_range = std::size_t{64} << 40;
/// With less, a 32-bit index into an array of structures could reach past the empty quarters.
constexpr std::size_t smallest_range = std::size_t{1} << 40;

void* pointer_to(std::uintptr_t address) { return reinterpret_cast<void*>(address); }

/// Addresses that nobody may touch; 0 if the system has no such stretch.
std::uintptr_t reserve(std::size_t bytes) {
  void* const start =
      mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return start == MAP_FAILED ? 0 : reinterpret_cast<std::uintptr_t>(start);
}

/// Whether the process may reserve that much and have as much left for itself.
bool allowed(std::size_t bytes) {
  rlimit limit{};
  return getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
         bytes <= limit.rlim_cur / 2;
}

class AddressRange {
 public:
  AddressRange() {
    for (std::size_t bytes = largest_range; bytes >= smallest_range; bytes /= 2) {
      const std::uintptr_t start = allowed(bytes) ? reserve(bytes) : 0;
      if (start == 0) continue;
      begin_ = start + bytes / 4;
      end_ = begin_ + bytes / 2;
      free_.emplace(begin_, bytes / 2);
      return;
    }
  }

  bool holds(std::uintptr_t address) const { return address >= begin_ && address < end_; }

  /// First fit: page tables of addresses that were used before stay allocated, so these addresses
  /// are used again first. 0 if nothing fits.
  std::uintptr_t take(std::size_t bytes, std::size_t guard, std::size_t alignment) {
    const std::lock_guard lock(mutex_);
    for (auto span = free_.begin(); span != free_.end(); ++span) {
      const auto [first, size] = *span;
      const std::uintptr_t block = (first + guard + alignment - 1) / alignment * alignment;
      const std::uintptr_t last = block + bytes + guard, end = first + size;
      if (last > end) continue;
      free_.erase(span);
      if (block - guard > first) free_.emplace(first, block - guard - first);
      if (end > last) free_.emplace(last, end - last);
      return block;
    }
    return 0;
  }

  void give_back(std::uintptr_t first, std::size_t size) {
    const std::lock_guard lock(mutex_);
    const auto next = free_.lower_bound(first);
    if (next != free_.end() && next->first == first + size) {
      size += next->second;
      free_.erase(next);
    }
    const auto behind = free_.lower_bound(first);
    if (behind != free_.begin() && std::prev(behind)->first + std::prev(behind)->second == first)
      std::prev(behind)->second += size;
    else
      free_.emplace_hint(behind, first, size);
  }

 private:
  std::uintptr_t begin_ = 0, end_ = 0;          // without the quarters at the ends
  std::mutex mutex_;                            // of free_
  std::map<std::uintptr_t, std::size_t> free_;  // first address and size; no two touch
};

AddressRange& range() {
  static AddressRange* const instance = new AddressRange;  // outlives every thread
  return *instance;
}

/// Takes addresses outside of the range.
std::uintptr_t take_elsewhere(std::size_t bytes, std::size_t guard, std::size_t alignment) {
  const std::size_t reserved = bytes + 2 * guard + alignment;
  const std::uintptr_t first = reserve(reserved);
  if (first == 0) return 0;
  const std::uintptr_t block = (first + guard + alignment - 1) / alignment * alignment;
  // Cut off what the alignment left over.
  if (block - guard > first) munmap(pointer_to(first), block - guard - first);
  const std::uintptr_t end = block + bytes + guard;
  if (first + reserved > end) munmap(pointer_to(end), first + reserved - end);
  return block;
}

}  // namespace

void* take_addresses(std::size_t bytes, std::size_t guard, std::size_t alignment) {
  const std::uintptr_t block = range().take(bytes, guard, alignment);
  return pointer_to(block != 0 ? block : take_elsewhere(bytes, guard, alignment));
}

void give_back_addresses(void* block, std::size_t bytes, std::size_t guard) {
  const auto at = reinterpret_cast<std::uintptr_t>(block);
  if (!range().holds(at)) {
    munmap(pointer_to(at - guard), bytes + 2 * guard);
    return;
  }
  // One call, so that no other thread's mmap() gets the addresses in between. It can fail when the
  // process is at its limit of mappings; the memory is given back even then.
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
  if (mmap(block, bytes, PROT_NONE, flags, -1, 0) == MAP_FAILED) {
    madvise(block, bytes, MADV_DONTNEED);
    return;
  }
  range().give_back(at - guard, bytes + 2 * guard);
}

}  // namespace treadle::cuda_cpu
