// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "cuda_cpu/module_abi.h"
#include "cuda_cpu/runtime/launch.hpp"

namespace treadle::cuda_cpu {

/// Bytes a block of this launch needs: shared memory, thread states, frames.
std::size_t block_bytes(const Kernel& kernel, const LaunchShape& shape);

/// The context of a block that lives in `memory`, 64-byte aligned and block_bytes() long.
BlockContext block_context_in(std::byte* memory, const Kernel& kernel, const LaunchShape& shape,
                              void* launch);

/// Memory in which one thread runs blocks: shared memory, frames, thread states. Kept from launch
/// to launch.
class BlockSpace {
 public:
  /// That of the calling thread.
  static BlockSpace& of_this_thread();
  BlockSpace() = default;
  BlockSpace(const BlockSpace&) = delete;
  BlockSpace& operator=(const BlockSpace&) = delete;
  ~BlockSpace();

  /// Lays the memory out for a launch; null if there is not enough.
  BlockContext* prepare(const Kernel& kernel, const LaunchShape& shape, void* launch);
  /// `size` bytes for contexts that the caller lays out, valid until the next call of either; null
  /// if there is not enough.
  std::byte* memory_for(std::size_t size);

 private:
  bool reserve(std::size_t size);
  void release();
  BlockContext block_{};
  std::byte* memory_ = nullptr;
  std::size_t size_ = 0;
  std::size_t guard_ = 0;
};

}  // namespace treadle::cuda_cpu
