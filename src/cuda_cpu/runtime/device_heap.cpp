// SPDX-License-Identifier: MIT
// Blocks of up to 128 KiB are cut from 2 MiB slabs, by size class. Larger ones are mappings of
// their own between two guard pages, so that an index out of bounds faults and is reported.
//   [guard][ block, rounded up to pages; from 2 MiB on aligned for huge pages ][guard]
// All of it lies in the range of addresses of address_range.hpp.
// The lists of free blocks lie outside the slabs: a kernel that writes out of bounds cannot corrupt
// them.
#include "cuda_cpu/runtime/device_heap.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cuda_cpu/runtime/address_range.hpp"
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

/// Four classes per power of two. With a granule of 256: 256, 512, 768, 1024, 1280, 1536, 1792,
/// 2048, 2560, ... Rounding up adds at most a quarter.
struct SizeClass {
  unsigned index;
  std::size_t bytes;
};
SizeClass size_class(std::size_t size, std::size_t granule) {
  const std::size_t units = (size + granule - 1) / granule;
  if (units <= 4) return {static_cast<unsigned>(units) - 1, units * granule};
  const auto doubling =
      static_cast<unsigned>(std::bit_width(units - 1)) - 1;  // 2^doubling < units <= 2^(doubling+1)
  const std::size_t step = std::size_t{1} << (doubling - 2);
  const std::size_t rounded = round_up(units, step);
  const std::size_t quarter = (rounded - (std::size_t{1} << doubling)) / step;  // 1..4
  return {4 * (doubling - 2) + static_cast<unsigned>(quarter) + 3, rounded * granule};
}

class SmallBlocks {
 public:
  explicit SmallBlocks(std::size_t granule) : granule_(granule) {}
  SmallBlocks(const SmallBlocks&) = delete;
  SmallBlocks& operator=(const SmallBlocks&) = delete;

  void* allocate(std::size_t size) {
    const SizeClass found = size_class(size, granule_);
    const std::lock_guard lock(mutex_);
    Blocks& blocks = blocks_[found.index];
    if (!blocks.freed.empty()) {
      void* const block = blocks.freed.back();
      blocks.freed.pop_back();
      return block;
    }
    if (blocks.unused < found.bytes) {
      void* const slab = map_guarded(slab_bytes, page_bytes());
      if (slab == nullptr) return nullptr;
      slabs_.push_back(slab);
      blocks.next = static_cast<std::byte*>(slab);
      blocks.unused = slab_bytes;
    }
    blocks.unused -= found.bytes;
    return std::exchange(blocks.next, blocks.next + found.bytes);
  }
  void release(void* block, std::size_t size) {
    const std::lock_guard lock(mutex_);
    blocks_[size_class(size, granule_).index].freed.push_back(block);
  }
  /// The slab that a block lies in.
  void* slab_of(void* block) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(slabs_.begin(), slabs_.end(), [&](void* slab) {
      return static_cast<std::byte*>(block) - static_cast<std::byte*>(slab) <
                 std::ptrdiff_t{slab_bytes} &&
             block >= slab;
    });
    return *found;
  }
  /// All of them, released or not; the memory goes back to the system.
  void release_all() {
    const std::lock_guard lock(mutex_);
    for (void* slab : slabs_) unmap_guarded(slab, slab_bytes, page_bytes());
    slabs_.clear();
    blocks_ = {};
  }

 private:
  /// Of one size.
  struct Blocks {
    std::vector<void*> freed;
    std::byte* next = nullptr;  ///< start of the part of the last slab that was never handed out
    std::size_t unused = 0;     ///< its bytes
  };
  const std::size_t granule_;
  std::mutex mutex_;
  std::vector<void*> slabs_;
  std::array<Blocks, 48> blocks_;
};

SmallBlocks& small_blocks() {
  // Outlives the threads that may still free.
  static SmallBlocks* const blocks = new SmallBlocks(memory_alignment);
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

HeapBlock device_heap_block(void* block, std::size_t size) {
  if (size <= largest_small) return {small_blocks().slab_of(block), slab_bytes, true};
  return {block, round_up(size, page_bytes()), false};
}

void* map_guarded(std::size_t size, std::size_t guard) {
  const std::size_t bytes = round_up(size, page_bytes());
  const bool is_huge = size >= huge_page;
  void* const block = take_addresses(bytes, guard, is_huge ? huge_page : page_bytes());
  if (block == nullptr) return nullptr;
  if (mprotect(block, bytes, PROT_READ | PROT_WRITE) != 0) {
    give_back_addresses(block, bytes, guard);
    return nullptr;
  }
  if (is_huge) madvise(block, bytes, MADV_HUGEPAGE);
  return block;
}

void unmap_guarded(void* block, std::size_t size, std::size_t guard) {
  give_back_addresses(block, round_up(size, page_bytes()), guard);
}

/// The granule is small: kernels allocate nodes of lists and trees. Sizes are kept in a table, not
/// in headers in front of the blocks, where kernels could overwrite them.
struct KernelHeap::Blocks {
  static constexpr std::size_t granule = 16;

  std::mutex mutex;
  SmallBlocks small{granule};
  std::unordered_map<void*, std::size_t> sizes;  // of blocks in use, as they are counted
  std::size_t used = 0;
};

KernelHeap::KernelHeap() : blocks_(std::make_unique<Blocks>()) {}
KernelHeap::~KernelHeap() { release_all(); }

void* KernelHeap::allocate(std::size_t size, std::size_t limit) {
  const std::lock_guard lock(blocks_->mutex);
  if (size > limit) return nullptr;
  size = round_up(std::max<std::size_t>(size, 1), Blocks::granule);
  if (blocks_->used + size > limit) return nullptr;
  void* const block =
      size <= largest_small ? blocks_->small.allocate(size) : map_guarded(size, page_bytes());
  if (block == nullptr) return nullptr;
  blocks_->sizes.emplace(block, size);
  blocks_->used += size;
  return block;
}

bool KernelHeap::release(void* block) {
  const std::lock_guard lock(blocks_->mutex);
  const auto found = blocks_->sizes.find(block);
  if (found == blocks_->sizes.end()) return false;
  const std::size_t size = found->second;
  blocks_->sizes.erase(found);
  blocks_->used -= size;
  if (size <= largest_small)
    blocks_->small.release(block, size);
  else
    unmap_guarded(block, size, page_bytes());
  return true;
}

void KernelHeap::release_all() {
  const std::lock_guard lock(blocks_->mutex);
  for (const auto& [block, size] : blocks_->sizes)
    if (size > largest_small) unmap_guarded(block, size, page_bytes());
  blocks_->sizes.clear();
  blocks_->used = 0;
  blocks_->small.release_all();
}

}  // namespace treadle::cuda_cpu
