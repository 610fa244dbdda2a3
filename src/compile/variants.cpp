// SPDX-License-Identifier: MIT
#include "treadle/compile/variants.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

namespace treadle::compile {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto between_reports = std::chrono::milliseconds(100);

/// What the threads of one call share.
class Batch {
 public:
  Batch(std::span<const Variant> variants, const Target& target)
      : variants_(variants), target_(target), results_(variants.size()), errors_(variants.size()) {}

  /// Compiles what nobody has begun, until there is no more.
  void work() noexcept {
    for (;;) {
      const std::size_t index = next_++;
      if (index >= variants_.size() || is_stopped_) return;
      try {
        results_[index] = compile_cuda(variants_[index].source, target_, variants_[index].options);
      } catch (...) {
        errors_[index] = std::current_exception();
        is_stopped_ = true;
      }
      const std::lock_guard lock(mutex_);
      ++done_;
      changed_.notify_one();
    }
  }
  void stop() noexcept { is_stopped_ = true; }
  /// Waits for one more than `seen`, at most as long as reports are apart.
  std::size_t wait_beyond(std::size_t seen) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, between_reports, [&] { return done_ > seen || is_stopped_; });
    return done_;
  }
  bool is_over(std::size_t done) const noexcept { return is_stopped_ || done == variants_.size(); }
  /// Once all threads have ended.
  std::vector<CompileResult> take() {
    for (const std::exception_ptr& error : errors_)
      if (error) std::rethrow_exception(error);
    return std::move(results_);
  }

 private:
  std::span<const Variant> variants_;
  const Target& target_;
  std::vector<CompileResult> results_;
  std::vector<std::exception_ptr> errors_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> is_stopped_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t done_ = 0;
};

}  // namespace

unsigned cores_of_process() noexcept {
  cpu_set_t cores;
  const int count = sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 1;
  return static_cast<unsigned>(std::max(count, 1));
}

std::vector<CompileResult> compile_variants(std::span<const Variant> variants, const Target& target,
                                            const VariantsOptions& how) {
  const auto start = Clock::now();
  Batch batch(variants, target);
  const std::size_t most = how.threads != 0 ? how.threads : cores_of_process();
  {
    std::vector<std::jthread> threads;
    const auto report = [&](std::size_t done) {
      if (how.listener)
        how.listener(
            {done, variants.size(), std::chrono::duration<double>(Clock::now() - start).count()});
    };
    try {
      for (std::size_t i = 0; i < std::min(most, variants.size()); ++i)
        threads.emplace_back([&batch] { batch.work(); });
      for (std::size_t done = 0; !batch.is_over(done);) {
        done = batch.wait_beyond(done);
        report(done);
      }
    } catch (...) {
      batch.stop();
      throw;  // after the threads have ended
    }
  }
  return batch.take();
}

}  // namespace treadle::compile
