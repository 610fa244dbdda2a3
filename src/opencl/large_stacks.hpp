// SPDX-License-Identifier: MIT
#pragma once

#include <pthread.h>

#include <cstddef>
#include <mutex>

namespace treadle::opencl {

/// Threads that begin while it lives have large stacks, of which memory is taken where it is
/// touched. PoCL's threads have private arrays of all work-items of a group on theirs, and ended
/// the process where those were more than 8 MB.
class LargeStacks {
 public:
  LargeStacks() noexcept : lock_(mutex()) {
    if (pthread_getattr_default_np(&before_) != 0) return;
    is_known_ = true;
    std::size_t size = 0;
    pthread_attr_t larger;
    if (pthread_attr_getstacksize(&before_, &size) != 0 || size >= bytes ||
        pthread_getattr_default_np(&larger) != 0)
      return;
    pthread_attr_setstacksize(&larger, bytes);
    is_set_ = pthread_setattr_default_np(&larger) == 0;
    pthread_attr_destroy(&larger);
  }
  ~LargeStacks() {
    if (is_set_) pthread_setattr_default_np(&before_);
    if (is_known_) pthread_attr_destroy(&before_);
  }
  LargeStacks(const LargeStacks&) = delete;
  LargeStacks& operator=(const LargeStacks&) = delete;

 private:
  static constexpr std::size_t bytes = std::size_t{256} << 20;
  static std::recursive_mutex& mutex() noexcept {
    static std::recursive_mutex one;
    return one;
  }
  std::lock_guard<std::recursive_mutex> lock_;  // the setting is the process's
  pthread_attr_t before_{};
  bool is_known_ = false, is_set_ = false;
};

}  // namespace treadle::opencl
