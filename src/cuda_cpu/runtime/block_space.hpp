// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "cuda_cpu/module_abi.h"
#include "cuda_cpu/runtime/launch.hpp"

namespace treadle::cuda_cpu {

/// Memory in which one thread runs blocks: shared memory, frames, thread states. Kept from launch
/// to launch.
class BlockSpace {
 public:
  /// The calling thread's.
  static BlockSpace& of_this_thread();
  BlockSpace() = default;
  BlockSpace(const BlockSpace&) = delete;
  BlockSpace& operator=(const BlockSpace&) = delete;
  ~BlockSpace();

  /// Lays the memory out for a launch; null if there is not enough.
  BlockContext* prepare(const Kernel& kernel, const LaunchShape& shape, void* launch);

 private:
  bool reserve(std::size_t size);
  BlockContext block_{};
  std::byte* memory_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace treadle::cuda_cpu
