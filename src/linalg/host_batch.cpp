// SPDX-License-Identifier: MIT
#include "linalg/host_batch.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "treadle/device/device.hpp"
#include "treadle/kernel/host_code.hpp"

namespace treadle::linalg {
namespace {

/// Parts of a stack that threads take in order.
class Parts {
 public:
  Parts(std::int64_t count, std::int64_t length,
        const std::function<void(std::int64_t, std::int64_t)>& work)
      : count_(count), length_(length), work_(work) {}

  /// Takes parts until there are none, or until one has failed.
  void take() noexcept {
    while (!has_failed_.load(std::memory_order_relaxed)) {
      const std::int64_t first = next_.fetch_add(length_, std::memory_order_relaxed);
      if (first >= count_) return;
      try {
        work_(first, std::min(first + length_, count_));
      } catch (...) {
        // Every part before this one has been taken, and will end: the first failure is known then.
        has_failed_.store(true, std::memory_order_relaxed);
        const std::lock_guard lock(mutex_);
        if (failure_ == nullptr || first < failed_) failure_ = std::current_exception();
        failed_ = std::min(failed_, first);
      }
    }
  }
  void rethrow() const {
    if (failure_ != nullptr) std::rethrow_exception(failure_);
  }

 private:
  const std::int64_t count_, length_;
  const std::function<void(std::int64_t, std::int64_t)>& work_;
  std::atomic<std::int64_t> next_ = 0;
  std::atomic<bool> has_failed_ = false;
  std::mutex mutex_;
  std::exception_ptr failure_;
  std::int64_t failed_ = count_;
};

/// How many threads pay. Starting one takes about as long as `least` multiplications.
std::int64_t paying_threads(unsigned threads, const BatchShape& batch) {
  constexpr double least = 1e5, of_a_call = 1e3;
  const double length = static_cast<double>(std::min(batch.m, batch.n));
  const double one = static_cast<double>(batch.m * batch.n) * length + of_a_call;
  const double most = static_cast<double>(batch.count) * one / least;
  return std::min(batch.count, static_cast<std::int64_t>(std::min<double>(threads, most)));
}

}  // namespace

void share_matrices(const library::HostBlas& library, unsigned threads, const BatchShape& batch,
                    const std::function<void(std::int64_t, std::int64_t)>& work) {
  if (batch.count == 0) return;
  const std::int64_t paying = paying_threads(threads, batch);
  if (paying < 2) return work(0, batch.count);
  const library::BlasThreads one(library, 1);
  // Four parts for each thread: who is held up takes fewer.
  Parts parts(batch.count, std::max<std::int64_t>(1, batch.count / (4 * paying)), work);
  std::vector<std::thread> others;
  others.reserve(static_cast<std::size_t>(paying - 1));
  try {
    for (std::int64_t i = 1; i < paying; ++i) others.emplace_back([&parts] { parts.take(); });
  } catch (const std::system_error&) {
    // As many threads as there are.
  }
  parts.take();
  for (std::thread& other : others) other.join();
  parts.rethrow();
}

unsigned host_threads(const Array& x) {
  const device::Device& device = x.device();
  return kernel::runs_host_code(device) ? device.info().performance.compute_units
                                        : std::thread::hardware_concurrency();
}

}  // namespace treadle::linalg
