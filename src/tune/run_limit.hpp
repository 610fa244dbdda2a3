// SPDX-License-Identifier: MIT
// Ends runs of kernels that take too long, where a device can.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "treadle/device/stream.hpp"

namespace treadle::tune {

/// A thread that cancels what runs on a stream, while another one, which may help to run it, waits.
class RunLimit {
 public:
  /// The stream must outlive it.
  explicit RunLimit(device::Stream& stream);
  RunLimit(const RunLimit&) = delete;
  RunLimit& operator=(const RunLimit&) = delete;
  ~RunLimit();

  /// From its beginning to its end a run is limited; one at a time.
  class Run {
   public:
    Run(RunLimit& limit, double seconds);
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;
    ~Run();
    /// Whether it took so long.
    bool was_ended() const;

   private:
    RunLimit& limit_;
  };

 private:
  using Clock = std::chrono::steady_clock;
  void watch(const std::stop_token& stop);

  device::Stream& stream_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable_any changed_;
  std::optional<Clock::time_point> deadline_;           // none: nothing runs
  Clock::time_point wakes_ = Clock::time_point::max();  // when the thread looks again
  bool was_ended_ = false;
  std::jthread thread_;
};

}  // namespace treadle::tune
