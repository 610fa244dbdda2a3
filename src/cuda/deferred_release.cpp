// SPDX-License-Identifier: MIT
#include "cuda/deferred_release.hpp"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace treadle::cuda {
namespace {

class Releaser {
 public:
  /// Never destroyed: its thread uses it until the process ends.
  static Releaser& instance() {
    static Releaser* const releaser = new Releaser;
    return *releaser;
  }

  void start() {
    const std::lock_guard lock(mutex_);
    if (std::exchange(started_, true)) return;
    try {
      std::thread([this] { release_forever(); }).detach();
    } catch (...) {
      started_ = false;
      throw;
    }
  }

  void add(std::shared_ptr<const void> object) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(object));
    arrived_.notify_one();
  }

 private:
  void release_forever() {
    std::unique_lock lock(mutex_);
    while (true) {
      arrived_.wait(lock, [this] { return !waiting_.empty(); });
      auto released = std::exchange(waiting_, {});
      lock.unlock();
      released.clear();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<std::shared_ptr<const void>> waiting_;
  bool started_ = false;
};

}  // namespace

void prepare_deferred_release() { Releaser::instance().start(); }

void release_later(std::shared_ptr<const void> object) noexcept {
  Releaser::instance().add(std::move(object));
}

}  // namespace treadle::cuda
