// SPDX-License-Identifier: MIT
#include "interrupt.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "treadle/base/error.hpp"

namespace nb = nanobind;

namespace treadle::bindings {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto handover_spin = std::chrono::microseconds(100);  // a thread sleeps after that
constexpr auto poll_spin = std::chrono::milliseconds(2);
constexpr auto signal_interval = std::chrono::milliseconds(20);
constexpr auto quick = std::chrono::milliseconds(1);  // what may keep Ctrl-C waiting

// Launches since the last wait about which nothing is known. Guarded by the GIL.
struct UnknownWork {
  std::shared_ptr<QuickWork> work;
  std::uint64_t threads;
};
std::vector<UnknownWork>& unknown_work() {
  static auto* list = new std::vector<UnknownWork>;
  return *list;
}
constexpr std::size_t most_unknown = 64;  // what more there is stays unknown

// After a wait: its launches are known to be quick, or nothing is.
void learn(Clock::duration took) {
  if (took > quick) ++quick_work_age;
  for (const auto& [work, threads] : unknown_work()) {
    if (took > quick) break;
    work->threads = work->age == quick_work_age ? std::max(work->threads, threads) : threads;
    work->age = quick_work_age;
  }
  unknown_work().clear();
}

void raise_pending_signals() {
  nb::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

// ---- NVIDIA's driver: a wait is a loop over a query, for its own waiting calls cannot be left.
// The query costs what the driver's spinning costs, so that short waits are not slower.

template <class IsDone>
void poll(IsDone is_done) {
  const auto start = Clock::now();
  auto next_signal_check = start + signal_interval;
  while (!is_done()) {
    const auto now = Clock::now();
    // Sleeping at most a fiftieth of what was waited already: nobody's measurement is off by more.
    if (now - start > poll_spin)
      std::this_thread::sleep_for(
          std::min<Clock::duration>((now - start) / 50, std::chrono::milliseconds(1)));
    if (now >= next_signal_check) {
      next_signal_check = now + signal_interval;
      raise_pending_signals();
    }
  }
}

// ---- The CPU device: a waiting thread runs queued work itself, and compiled kernels cannot be
// left. So Python's main thread, the only one that signals reach, lets another thread wait in its
// place.

class Waiter {
 public:
  /// Starts `wait` on this waiter's thread. The waiter must be idle.
  void start(std::function<void()> wait) {
    const std::lock_guard lock(mutex_);
    failure_ = nullptr;
    wait_ = std::move(wait);
    is_done_.store(false, std::memory_order_relaxed);
    has_work_.store(true, std::memory_order_release);
    changed_.notify_all();
  }

  /// Returns whether the wait is over within `time`.
  bool finished_within(std::chrono::milliseconds time) {
    if (spin([&] { return is_done_.load(std::memory_order_acquire); })) return true;
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, time, [&] { return is_done_.load(); });
  }

  std::exception_ptr failure() const { return failure_; }
  Clock::duration took() const { return took_; }

  [[noreturn]] void run() {
    for (;;) {
      const auto called = [&] { return has_work_.load(std::memory_order_acquire); };
      std::unique_lock lock(mutex_, std::defer_lock);
      if (!spin(called)) {
        lock.lock();
        changed_.wait(lock, called);
      } else {
        lock.lock();
      }
      has_work_.store(false, std::memory_order_relaxed);
      const std::function<void()> wait = std::move(wait_);
      lock.unlock();
      std::exception_ptr failure;
      const auto start = Clock::now();
      try {
        wait();
      } catch (...) {
        failure = std::current_exception();
      }
      took_ = Clock::now() - start;
      finish(failure);
    }
  }

  std::atomic<bool> abandoned{false};  ///< nobody asks for the outcome: back to the idle ones

 private:
  template <class Condition>
  static bool spin(Condition condition) {
    const auto end = Clock::now() + handover_spin;
    while (!condition())
      if (Clock::now() > end) return false;
    return true;
  }
  void finish(std::exception_ptr failure);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> wait_;
  std::exception_ptr failure_;
  Clock::duration took_{};
  std::atomic<bool> has_work_{false}, is_done_{false};
};

// Waiters live as long as the process: their threads may be inside a kernel when it ends.
std::mutex& idle_mutex() {
  static auto* mutex = new std::mutex;
  return *mutex;
}
std::vector<Waiter*>& idle_waiters() {
  static auto* waiters = new std::vector<Waiter*>;
  return *waiters;
}

void put_back(Waiter* waiter) {
  const std::lock_guard lock(idle_mutex());
  idle_waiters().push_back(waiter);
}

Waiter* take_waiter() {
  {
    const std::lock_guard lock(idle_mutex());
    if (!idle_waiters().empty()) {
      Waiter* waiter = idle_waiters().back();
      idle_waiters().pop_back();
      return waiter;
    }
  }
  auto* waiter = new Waiter;
  std::thread([waiter] { waiter->run(); }).detach();
  return waiter;
}

void Waiter::finish(std::exception_ptr failure) {
  {
    const std::lock_guard lock(mutex_);
    failure_ = failure;
    is_done_.store(true, std::memory_order_release);
    changed_.notify_all();
  }
  if (abandoned.exchange(false)) put_back(this);
}

bool on_main_thread() {
  static unsigned long main_thread = 0;  // guarded by the GIL
  if (main_thread == 0)
    main_thread = nb::cast<unsigned long>(
        nb::module_::import_("threading").attr("main_thread")().attr("ident"));
  return PyThread_get_thread_ident() == main_thread;
}

void wait_elsewhere(std::function<void()> wait) {
  Waiter* waiter = take_waiter();
  waiter->start(std::move(wait));
  try {
    nb::gil_scoped_release released;
    while (!waiter->finished_within(signal_interval)) raise_pending_signals();
  } catch (...) {
    // Left by Ctrl-C. Whoever comes second, the thread or this mark, gives the waiter back.
    learn(Clock::duration::max());
    waiter->abandoned = true;
    if (waiter->finished_within(std::chrono::milliseconds(0)) && waiter->abandoned.exchange(false))
      put_back(waiter);
    throw;
  }
  const std::exception_ptr failure = waiter->failure();
  learn(waiter->took());
  put_back(waiter);
  if (failure) std::rethrow_exception(failure);
}

// `block` owns what it refers to; `query` is called on this thread only.
template <class Block, class Query>
void wait(const cuda::Driver& driver, Block block, Query query) {
  const auto is_done = [&] {
    try {
      return query();
    } catch (const Error&) {
      return true;  // the blocking call says what is wrong, under its own name
    }
  };
  const bool is_cpu = driver.provider() == cuda::Provider::cpu;
  const bool on_main = on_main_thread();
  if (is_cpu && on_main && !unknown_work().empty() && !is_done()) return wait_elsewhere(block);
  const auto start = Clock::now();
  {
    nb::gil_scoped_release released;
    if (!is_cpu) poll(is_done);
    block();  // reports what went wrong
  }
  if (on_main) learn(Clock::now() - start);
}

}  // namespace

std::uint64_t quick_work_age = 1;

void note_unknown_work(std::shared_ptr<QuickWork> work, std::uint64_t threads) {
  if (unknown_work().size() < most_unknown) unknown_work().push_back({std::move(work), threads});
}

Owner python_owner(nb::handle object) {
  return Owner(object.inc_ref().ptr(), [](const void* owned) {
    nb::gil_scoped_acquire gil;
    nb::handle(static_cast<PyObject*>(const_cast<void*>(owned))).dec_ref();
  });
}

void wait_for(const cuda::Context& context) {
  // All but the work of non-blocking streams, for which the call itself waits.
  if (context.driver().provider() == cuda::Provider::nvidia) wait_for_default_stream(context);
  const bool is_nvidia = context.driver().provider() == cuda::Provider::nvidia;
  wait(
      context.driver(), [context] { context.synchronize(); },
      [&] {
        if (!is_nvidia) return false;
        const cuda::Activation active(context);
        return cuda::is_done(cuda::StreamRef{});
      });
}

void wait_for_default_stream(const cuda::Context& context) {
  if (unknown_work().empty()) return;  // what is queued is quick: the blocking call may wait for it
  // The default stream is behind the blocking ones only from something queued on it: an event.
  const auto event = std::make_shared<cuda::Event>(context, cuda::EventFlags::disable_timing);
  event->record();
  wait_for(*event, event);
}

void wait_for(const cuda::Stream& stream, Owner owner) {
  wait(
      stream.context().driver(), [&stream, owner = std::move(owner)] { stream.synchronize(); },
      [&] { return stream.is_done(); });
}

void wait_for(const cuda::Event& event, Owner owner) {
  wait(
      event.context().driver(), [&event, owner = std::move(owner)] { event.synchronize(); },
      [&] { return event.is_done(); });
}

}  // namespace treadle::bindings
