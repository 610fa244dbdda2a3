// SPDX-License-Identifier: MIT
#include "native/host_calls.hpp"

#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

namespace treadle::bindings {
namespace {

/// A reference to a function that any thread may drop, with or without the GIL.
class Held {
 public:
  explicit Held(nb::object callable);
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held();
  void call();
  /// Takes the reference; null the second time.
  PyObject* take() { return callable_.exchange(nullptr); }

 private:
  std::atomic<PyObject*> callable_;
};

/// Calls Python functions, and drops them, in the order of their arrival.
class Caller {
 public:
  struct Task {
    PyObject* callable;  ///< owns a reference
    bool is_call;        ///< false: drop the reference without a call
  };

  /// Needs the GIL.
  void start() {
    if (thread_.joinable()) return;
    thread_ = std::thread([this] { run(); });
    process_ = ::getpid();
  }
  void add(const Task& task) {
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(task);
    }
    added_.notify_one();
  }
  void note(Held* held) {
    const std::lock_guard lock(mutex_);
    held_.insert(held);
  }
  void forget(Held* held) {
    const std::lock_guard lock(mutex_);
    held_.erase(held);
  }
  /// Needs the GIL.
  void end() {
    if (!thread_.joinable() || process_ != ::getpid()) return;  // a fork has no such thread
    {
      const std::lock_guard lock(mutex_);
      is_ending_ = true;
    }
    added_.notify_one();
    {
      const nb::gil_scoped_release released;
      thread_.join();
    }
    drop_all();
  }

 private:
  void run() {
    for (;;) {
      std::unique_lock lock(mutex_);
      added_.wait(lock, [this] { return is_ending_ || !tasks_.empty(); });
      if (is_ending_) return;
      const Task task = tasks_.front();
      tasks_.pop_front();
      lock.unlock();
      const nb::gil_scoped_acquire gil;
      const nb::object callable = nb::steal(task.callable);
      if (!task.is_call) continue;
      try {
        callable();
      } catch (nb::python_error& error) {
        error.discard_as_unraisable(callable);
      }
    }
  }
  /// Drops the functions that will not be called. Dropping a function may run Python code, so the
  /// lock must not be held.
  void drop_all() {
    std::deque<Task> left;
    {
      const std::lock_guard lock(mutex_);
      left.swap(tasks_);
      for (Held* held : held_)
        if (PyObject* callable = held->take()) left.push_back({callable, false});
    }
    for (const Task& task : left) Py_DECREF(task.callable);
  }

  std::mutex mutex_;  // guards the next three; no thread waits for the GIL under it
  std::deque<Task> tasks_;
  std::set<Held*> held_;
  bool is_ending_ = false;
  std::condition_variable added_;
  std::thread thread_;
  pid_t process_ = 0;  // the process of the thread
};

Caller& caller() {
  static auto* one = new Caller;  // never destroyed: drivers may call at exit
  return *one;
}

Held::Held(nb::object callable) : callable_(callable.release().ptr()) { caller().note(this); }
Held::~Held() {
  caller().forget(this);
  if (PyObject* callable = take()) caller().add({callable, false});
}
void Held::call() {
  if (PyObject* callable = take()) caller().add({callable, true});
}

}  // namespace

std::function<void()> host_call(nb::object callable) {
  caller().start();
  return [held = std::make_shared<Held>(std::move(callable))] { held->call(); };
}

void end_host_calls() noexcept { caller().end(); }

}  // namespace treadle::bindings
