// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "cuda_cpu/runtime/driver_api.hpp"
#include "cuda_cpu/runtime/handles.hpp"

namespace treadle::cuda_cpu {

/// A pool counts what is allocated from it, and no more: the device's heap keeps and reuses freed
/// memory for all of them.
class MemoryPool {
 public:
  explicit MemoryPool(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  CUmemoryPool handle = nullptr;
  std::atomic<std::uint64_t> release_threshold{0};
  std::atomic<int> reuse[3] = {1, 1, 1};  ///< by CUmemPool_attribute, from 1 on

  /// False if that is more than the pool may have.
  bool take(std::size_t size) {
    const std::lock_guard lock(mutex_);
    if (max_bytes_ != 0 && size > max_bytes_ - used_) return false;
    used_ += size;
    high_ = high_ < used_ ? used_ : high_;
    return true;
  }
  void give_back(std::size_t size) {
    const std::lock_guard lock(mutex_);
    used_ -= size;
  }
  std::size_t used() const {
    const std::lock_guard lock(mutex_);
    return used_;
  }
  std::size_t high() const {
    const std::lock_guard lock(mutex_);
    return high_;
  }
  void reset_high() {
    const std::lock_guard lock(mutex_);
    high_ = used_;
  }

 private:
  mutable std::mutex mutex_;
  const std::size_t max_bytes_;  // 0: as many as the device has
  std::size_t used_ = 0, high_ = 0;
};

using MemoryPoolHandles = HandleRegistry<MemoryPool, CUmemoryPool, HandleKind::memory_pool>;
MemoryPoolHandles& memory_pool_handles();

}  // namespace treadle::cuda_cpu
