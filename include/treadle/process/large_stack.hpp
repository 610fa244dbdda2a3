// SPDX-License-Identifier: MIT
// Compilers recurse once for each nested expression: a generated sum of 100,000 terms needs some
// 100 MB of stack, and ends the process where there are 8.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <functional>

namespace treadle {

/// A thread with 1 GiB of stack, or less where address space is short; memory is taken only where
/// it is touched. start() once, then join(), before its end.
class LargeStackThread {
 public:
  LargeStackThread() noexcept;
  ~LargeStackThread();
  LargeStackThread(const LargeStackThread&) = delete;
  LargeStackThread& operator=(const LargeStackThread&) = delete;

  /// 0, or the error number that tells why there is no thread.
  int start(void* (*run)(void*), void* data) noexcept;
  /// Waits for its end.
  void join() noexcept;

 private:
  char* base_ = nullptr;
  std::size_t size_bytes_ = 0;
  pthread_t thread_{};
};

/// Runs `work` on such a thread and waits for it; on the caller's where there can be none. What it
/// throws is thrown here.
void run_on_large_stack(const std::function<void()>& work);

}  // namespace treadle
