// SPDX-License-Identifier: MIT
#include "tune/run_limit.hpp"

#include <algorithm>

#include "treadle/base/error.hpp"
#include "treadle/device/cancel.hpp"

namespace treadle::tune {

RunLimit::RunLimit(device::Stream& stream)
    : stream_(stream), thread_([this](const std::stop_token& stop) { watch(stop); }) {}
RunLimit::~RunLimit() { thread_.request_stop(); }

// The thread is woken only if it would come too late: waking it would disturb what is measured.
RunLimit::Run::Run(RunLimit& limit, double seconds) : limit_(limit) {
  const std::lock_guard lock(limit_.mutex_);
  limit_.was_ended_ = false;
  constexpr double most_seconds = 1e8;  // that clocks can add
  limit_.deadline_ =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(
                         std::chrono::duration<double>(std::min(seconds, most_seconds)));
  if (*limit_.deadline_ < limit_.wakes_) limit_.changed_.notify_one();
}
RunLimit::Run::~Run() {
  const std::lock_guard lock(limit_.mutex_);
  limit_.deadline_.reset();
}
bool RunLimit::Run::was_ended() const {
  const std::lock_guard lock(limit_.mutex_);
  return limit_.was_ended_;
}

void RunLimit::watch(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    if (!deadline_) {
      wakes_ = Clock::time_point::max();
      changed_.wait(lock, stop, [&] { return deadline_.has_value(); });
      continue;
    }
    wakes_ = *deadline_;
    const auto is_earlier = [&] { return deadline_ && *deadline_ < wakes_; };
    if (changed_.wait_until(lock, stop, wakes_, is_earlier)) continue;
    if (!deadline_ || Clock::now() < *deadline_) continue;
    deadline_.reset();
    was_ended_ = true;
    try {
      device::cancel_kernels(stream_);
    } catch (const Error&) {
      // Whoever waits is told what is wrong with the device.
    }
  }
}

}  // namespace treadle::tune
