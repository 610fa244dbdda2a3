// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace treadle::array {

class Node;

/// The lock of a Context. When a node ends, it frees memory and calls code of others; this must not
/// happen under the lock. So the lock knows the thread that holds it: a node that ends on this
/// thread, for instance when an exception unwinds the stack, ends only after the thread has given
/// up the lock.
/// instance when an exception unwinds the stack, ends only after the thread has given up the lock.
class ContextMutex {
 public:
  ContextMutex() = default;
  ContextMutex(const ContextMutex&) = delete;
  ContextMutex& operator=(const ContextMutex&) = delete;

  void lock() {
    mutex_.lock();
    owner_.store(std::this_thread::get_id(), std::memory_order_relaxed);
  }
  /// Gives up the lock, and then ends the nodes whose end was put off.
  void unlock() noexcept {
    Node* const ended = std::exchange(ended_, nullptr);
    owner_.store({}, std::memory_order_relaxed);
    mutex_.unlock();
    if (ended != nullptr) [[unlikely]]
      end_nodes(ended);
  }
  /// Whether the calling thread holds the lock.
  bool is_mine() const noexcept {
    return owner_.load(std::memory_order_relaxed) == std::this_thread::get_id();
  }
  /// Gives up the lock and waits until `is_done()` is true. Checks after each notification of
  /// `changed`.
  template <class Done>
  void wait(std::condition_variable& changed, Done is_done) {
    while (!is_done()) wait(changed);
  }
  /// Gives up the lock and waits for the next notification.
  void wait(std::condition_variable& changed) {
    std::unique_lock lock(mutex_, std::adopt_lock);
    owner_.store({}, std::memory_order_relaxed);
    changed.wait(lock);
    owner_.store(std::this_thread::get_id(), std::memory_order_relaxed);
    lock.release();
  }
  /// Puts off the end of a node until the calling thread gives up the lock. The node is on no list
  /// and has no references.
  void end_later(Node& node) noexcept;

 private:
  static void end_nodes(Node* first) noexcept;

  std::mutex mutex_;
  std::atomic<std::thread::id> owner_ = std::thread::id();
  Node* ended_ = nullptr;  // linked by `next`
};

/// Holds the lock for a scope, even if the calling thread holds the lock already: for destructors
/// that run when an exception unwinds the stack.
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
