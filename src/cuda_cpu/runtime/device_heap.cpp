// SPDX-License-Identifier: MIT
// Two ways: blocks up to 128 KiB are cut from 2 MiB slabs, by size class; larger ones are mappings
// of their own between two guards, so that a stray index faults and is reported.
//   [guard][ block, rounded up to pages; from 2 MiB on aligned for huge pages ][guard]
// Free blocks are listed outside the slabs: a kernel that writes where it should not cannot break
// the lists.
#include "cuda_cpu/runtime/device_heap.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cstdint>
#include <mutex>
#include <vector>

#include "cuda_cpu/runtime/device.hpp"

namespace treadle::cuda_cpu {
namespace {

constexpr std::size_t largest_small = 128u << 10;
constexpr std::size_t slab_bytes = 2u << 20;
constexpr std::size_t huge_page = 2u << 20;

std::size_t page_bytes() {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}
std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// Four classes to a doubling: 256, 512, 768, 1024, 1280, 1536, 1792, 2048, 2560, ... At most a
/// quarter is lost.
struct SizeClass {
  unsigned index;
  std::size_t bytes;
};
SizeClass size_class(std::size_t size) {
  const std::size_t units = (size + memory_alignment - 1) / memory_alignment;
  if (units <= 4) return {static_cast<unsigned>(units) - 1, units * memory_alignment};
  const auto doubling =
      static_cast<unsigned>(std::bit_width(units - 1)) - 1;  // 2^doubling < units <= 2^(doubling+1)
  const std::size_t step = std::size_t{1} << (doubling - 2);
  const std::size_t rounded = round_up(units, step);
  const std::size_t quarter = (rounded - (std::size_t{1} << doubling)) / step;  // 1..4
  return {4 * (doubling - 2) + static_cast<unsigned>(quarter) + 3, rounded * memory_alignment};
}

/// `bytes` and `guard` are multiples of a page.
void* map(std::size_t bytes, std::size_t alignment, std::size_t guard) {
  const std::size_t reserved = bytes + 2 * guard + (alignment > page_bytes() ? alignment : 0);
  void* const start =
      mmap(nullptr, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) return nullptr;
  const auto first = reinterpret_cast<std::uintptr_t>(start);
  const std::uintptr_t block = round_up(first + guard, alignment);
  void* const pointer = reinterpret_cast<void*>(block);
  if (mprotect(pointer, bytes, PROT_READ | PROT_WRITE) != 0) {
    munmap(start, reserved);
    return nullptr;
  }
  // Cut off what the alignment left over, but for the guard on each side.
  if (block - guard > first) munmap(start, block - guard - first);
  const std::uintptr_t end = block + bytes + guard;
  if (first + reserved > end) munmap(reinterpret_cast<void*>(end), first + reserved - end);
  if (bytes >= huge_page) madvise(pointer, bytes, MADV_HUGEPAGE);
  return pointer;
}

class SmallBlocks {
 public:
  void* allocate(std::size_t size) {
    const SizeClass found = size_class(size);
    const std::lock_guard lock(mutex_);
    auto& free = free_[found.index];
    if (free.empty() && !add_slab(free, found.bytes)) return nullptr;
    void* const block = free.back();
    free.pop_back();
    return block;
  }
  void release(void* block, std::size_t size) {
    const std::lock_guard lock(mutex_);
    free_[size_class(size).index].push_back(block);
  }

 private:
  static bool add_slab(std::vector<void*>& free, std::size_t bytes) {
    auto* const slab = static_cast<char*>(map(slab_bytes, page_bytes(), page_bytes()));
    if (slab == nullptr) return false;
    for (std::size_t offset = slab_bytes / bytes * bytes; offset >= bytes; offset -= bytes)
      free.push_back(slab + offset - bytes);  // so that addresses are handed out in rising order
    return true;
  }
  std::mutex mutex_;
  std::array<std::vector<void*>, 40> free_;
};

SmallBlocks& small_blocks() {
  static SmallBlocks* const blocks = new SmallBlocks;  // outlives the threads that may still free
  return *blocks;
}

}  // namespace

void* device_heap_allocate(std::size_t size) {
  return size <= largest_small ? small_blocks().allocate(size) : map_guarded(size, page_bytes());
}

void device_heap_release(void* block, std::size_t size) {
  if (size <= largest_small) return small_blocks().release(block, size);
  unmap_guarded(block, size, page_bytes());
}

void* map_guarded(std::size_t size, std::size_t guard) {
  return map(round_up(size, page_bytes()), size >= huge_page ? huge_page : page_bytes(), guard);
}

void unmap_guarded(void* block, std::size_t size, std::size_t guard) {
  munmap(static_cast<char*>(block) - guard, round_up(size, page_bytes()) + 2 * guard);
}

}  // namespace treadle::cuda_cpu
