// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace treadle::array {

class Node;

/// The lock of a Context. It knows the thread that has it, so that what ends on that thread
/// meanwhile - in the unwinding of an exception above all - does not wait for itself: a node's end
/// frees memory and calls code of others, and is put off until the lock is given up.
class ContextMutex {
 public:
  ContextMutex() = default;
  ContextMutex(const ContextMutex&) = delete;
  ContextMutex& operator=(const ContextMutex&) = delete;

  void lock() {
    mutex_.lock();
    owner_.store(std::this_thread::get_id(), std::memory_order_relaxed);
  }
  /// Ends what was put off, behind the lock.
  void unlock() noexcept {
    Node* const ended = std::exchange(ended_, nullptr);
    owner_.store({}, std::memory_order_relaxed);
    mutex_.unlock();
    if (ended != nullptr) [[unlikely]]
      end_nodes(ended);
  }
  /// Whether the calling thread has it.
  bool is_mine() const noexcept {
    return owner_.load(std::memory_order_relaxed) == std::this_thread::get_id();
  }
  /// Gives it up until `changed` is notified and `is_done()`; the calling thread has it.
  template <class Done>
  void wait(std::condition_variable& changed, Done is_done) {
    while (!is_done()) wait(changed);
  }
  /// The same, until the next notification.
  void wait(std::condition_variable& changed) {
    std::unique_lock lock(mutex_, std::adopt_lock);
    owner_.store({}, std::memory_order_relaxed);
    changed.wait(lock);
    owner_.store(std::this_thread::get_id(), std::memory_order_relaxed);
    lock.release();
  }
  /// The node, which is on no list and has no references, ends when the calling thread gives the
  /// lock up.
  void end_later(Node& node) noexcept;

 private:
  static void end_nodes(Node* first) noexcept;

  std::mutex mutex_;
  std::atomic<std::thread::id> owner_ = std::thread::id();
  Node* ended_ = nullptr;  // linked by `next`
};

/// Has the lock for a scope, which may lie within one that has it: for what runs in the unwinding
/// of exceptions.
class LockedAnyway {
 public:
  explicit LockedAnyway(ContextMutex& mutex) : mutex_(mutex.is_mine() ? nullptr : &mutex) {
    if (mutex_ != nullptr) mutex_->lock();
  }
  ~LockedAnyway() {
    if (mutex_ != nullptr) mutex_->unlock();
  }
  LockedAnyway(const LockedAnyway&) = delete;
  LockedAnyway& operator=(const LockedAnyway&) = delete;

 private:
  ContextMutex* mutex_;
};

}  // namespace treadle::array
