// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

namespace treadle::cuda_cpu {

/// The calling thread's T, made when it is first asked for. On the heap, with one pointer for each
/// thread: memory of the loader that is reached without a call is scarce.
template <class T>
T& kept_by_thread() {
  __attribute__((tls_model("initial-exec"))) static thread_local T* mine = nullptr;
  if (mine == nullptr) [[unlikely]] {
    thread_local const auto kept = std::make_unique<T>();
    mine = kept.get();
  }
  return *mine;
}

}  // namespace treadle::cuda_cpu
