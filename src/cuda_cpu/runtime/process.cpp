// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/process.hpp"

#include <pthread.h>

#include <atomic>

namespace treadle::cuda_cpu {
namespace {
std::atomic<bool> initialized{false};
std::atomic<bool> forked{false};
std::once_flag fork_handler_registered;
}  // namespace

void initialize_process() {
  std::call_once(fork_handler_registered, [] {
    pthread_atfork([] { loader_mutex().lock(); }, [] { loader_mutex().unlock(); },
                   [] {
                     loader_mutex().unlock();
                     forked.store(true, std::memory_order_relaxed);
                     initialized.store(false, std::memory_order_relaxed);
                   });
  });
  initialized.store(true, std::memory_order_release);
}

bool process_initialized() noexcept { return initialized.load(std::memory_order_acquire); }
bool process_forked() noexcept { return forked.load(std::memory_order_relaxed); }

std::mutex& loader_mutex() {
  static std::mutex* const mutex = new std::mutex;  // outlives every thread
  return *mutex;
}

}  // namespace treadle::cuda_cpu
