// SPDX-License-Identifier: MIT
// Ends kernels that run longer than TREADLE_WATCHDOG seconds, as a GPU that drives a display does.
#pragma once

#include <atomic>
#include <memory>

#include "cuda_cpu/runtime/context.hpp"

namespace treadle::cuda_cpu {

/// One watched launch, from begin() to end(). Without a watchdog it only tests a flag.
class Watch {
 public:
  Watch() = default;
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch() { end(); }

  /// The first call counts; a launch is begun by each thread that takes part.
  void begin(const std::shared_ptr<Context>& context);
  void end() noexcept;
  /// Whether it ran too long: the work of its context is being ended for it.
  bool expired() const noexcept { return expired_.load(std::memory_order_acquire); }

 private:
  friend class Watchdog;
  std::atomic<bool> watched_{false};
  std::atomic<bool> expired_{false};
};

}  // namespace treadle::cuda_cpu
