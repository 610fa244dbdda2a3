// SPDX-License-Identifier: MIT
// Allocates device memory, apart from the C heap: a kernel that writes past the end of an array
// overwrites device memory or hits a guard page, never the program's own data.
#pragma once

#include <cstddef>
#include <memory>

namespace treadle::cuda_cpu {

/// At least 256-byte aligned; zeroed the first time only. Null if the system has no more.
/// Thread-safe.
void* device_heap_allocate(std::size_t size);
/// `size` as it was given to device_heap_allocate().
void device_heap_release(void* block, std::size_t size);

/// The pages that a block lies on.
struct HeapBlock {
  void* base;
  std::size_t bytes;
  bool holds_others;  ///< small blocks share pages
};
/// Of a block in use, `size` as it was given to device_heap_allocate().
HeapBlock device_heap_block(void* block, std::size_t size);

/// A zeroed mapping of its own with `guard` inaccessible bytes on both sides, a multiple of a page.
/// Guards take address space only, which a process may have too little of. Null if the system has
/// no more. Thread-safe.
void* map_guarded(std::size_t size, std::size_t guard);
/// Sizes as they were given to map_guarded().
void unmap_guarded(void* block, std::size_t size, std::size_t guard);

/// What the kernels of one context allocate by malloc() and `new`. Thread-safe.
class KernelHeap {
 public:
  KernelHeap();
  KernelHeap(const KernelHeap&) = delete;
  KernelHeap& operator=(const KernelHeap&) = delete;
  ~KernelHeap();

  /// 16-byte aligned. Null if all blocks in use would have more than `limit` bytes, or the system
  /// has no more.
  void* allocate(std::size_t size, std::size_t limit);
  /// False, and nothing happens, if no block in use starts there.
  bool release(void* block);
  /// Gives all memory back to the system, blocks in use too.
  void release_all();

 private:
  struct Blocks;
  std::unique_ptr<Blocks> blocks_;
};

}  // namespace treadle::cuda_cpu
