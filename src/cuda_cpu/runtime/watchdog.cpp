// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/watchdog.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "cuda_cpu/runtime/stop_signal.hpp"
#include "cuda_cpu/runtime/threads.hpp"
#include "treadle/process/settings.hpp"

namespace treadle::cuda_cpu {

/// All watched launches, in the order in which they expire: all have the same time limit.
class Watchdog {
 public:
  static Watchdog& instance() {
    static Watchdog* const watchdog = new Watchdog;  // its thread ends with the process
    return *watchdog;
  }

  void add(Watch& watch, std::weak_ptr<Context> context) {
    const std::lock_guard lock(mutex_);
    const auto span = std::chrono::seconds(settings().watchdog_seconds);
    watched_.push_back({&watch, std::move(context), Clock::now() + span});
    if (!started_)
      started_ = start_detached_thread("treadle-watch", [] { instance().watch_forever(); });
    changed_.notify_one();
  }

  void remove(const Watch& watch) {
    const std::lock_guard lock(mutex_);
    std::erase_if(watched_, [&](const Entry& entry) { return entry.watch == &watch; });
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Entry {
    Watch* watch;
    std::weak_ptr<Context> context;
    Clock::time_point deadline;
  };

  void watch_forever() {
    std::unique_lock lock(mutex_);
    while (true) {
      if (watched_.empty()) {
        changed_.wait(lock);
        continue;
      }
      const Clock::time_point deadline = watched_.front().deadline;
      if (Clock::now() < deadline) {
        changed_.wait_until(lock, deadline);
        continue;
      }
      const auto context = watched_.front().context.lock();
      watched_.front().watch->expired_.store(true, std::memory_order_release);
      watched_.erase(watched_.begin());
      if (!context) continue;
      context->timed_out.store(true, std::memory_order_release);
      lock.unlock();
      end_work(*context);
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Entry> watched_;
  bool started_ = false;
};

void Watch::begin(const std::shared_ptr<Context>& context) {
  if (settings().watchdog_seconds == 0) return;
  if (!watched_.exchange(true)) Watchdog::instance().add(*this, context);
}

void Watch::end() noexcept {
  if (watched_.exchange(false)) Watchdog::instance().remove(*this);
}

}  // namespace treadle::cuda_cpu
