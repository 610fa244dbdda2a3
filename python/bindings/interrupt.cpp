// SPDX-License-Identifier: MIT
#include "interrupt.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "left_uses.hpp"
#include "printed.hpp"
#include "treadle/base/error.hpp"
#include "treadle/cuda/driver.hpp"
#include "treadle/cuda/error.hpp"
#include "treadle/cuda/table.hpp"

namespace nb = nanobind;

namespace treadle::bindings {
namespace {

bool is_main_thread() { return ::gettid() == ::getpid(); }

// The context with work that a wait has left after Ctrl-C; empty after a later wait has ended. The
// GIL guards it. Never destroyed, because the driver may be gone by then.
std::optional<cuda::Context>& left_context() {
  static auto* context = new std::optional<cuda::Context>;
  return *context;
}

// An exception that came while an object ended, where nothing can be raised. The GIL guards it.
std::optional<nb::python_error>& raised_at_end() {
  static auto* raised = new std::optional<nb::python_error>;
  return *raised;
}

int raise_what_was_raised(void*) {
  if (!raised_at_end()) return 0;
  std::exchange(raised_at_end(), std::nullopt)->restore();
  return -1;
}

// Whether a signal's handler has raised an exception, which is now Python's.
bool was_signalled() {
  if (is_main_thread() && raise_what_was_raised(nullptr) != 0) return true;
  return PyErr_CheckSignals() != 0;
}

// The question that waits ask. Only Python's main thread receives signals; other threads go on.
class Signals {
 public:
  cuda::WaitAnswer operator()() {
    nb::gil_scoped_acquire gil;
    write_printed();
    const bool is_late = raised_at_end().has_value();  // nobody has asked since
    if (!was_signalled()) return cuda::WaitAnswer::go_on;
    raised_.emplace();  // KeyboardInterrupt, or the exception of the program's own handler
    return left_context() && !is_late ? cuda::WaitAnswer::end_work : cuda::WaitAnswer::leave;
  }
  void raise() {
    if (raised_) throw *std::exchange(raised_, std::nullopt);
  }

 private:
  std::optional<nb::python_error> raised_;
};

template <class Wait>
void wait_without_gil(const cuda::Context& context, Wait&& wait) {
  Signals signals;
  cuda::WaitResult result;
  try {
    nb::gil_scoped_release released;
    result = wait([&] { return signals(); });
  } catch (...) {
    write_printed();  // prints text that came before the failure
    throw;
  }
  write_printed();
  if (result == cuda::WaitResult::interrupted) {
    left_context() = context;
  } else if (left_context()) {
    left_context().reset();
    release_left_uses();
  }
  signals.raise();
}

}  // namespace

void wait_by_asking(const std::function<bool()>& is_done, const std::function<void()>& wait) {
  using Clock = std::chrono::steady_clock;
  using std::chrono::microseconds;
  // Short work ends while this thread spins. After that, pauses add at most a fiftieth to the time.
  constexpr microseconds spin(200), shortest(20), longest(1000), signals(20'000);
  const auto start = Clock::now();
  auto next_check = start + signals;
  const bool is_asked = is_main_thread();
  nb::gil_scoped_release released;
  while (is_asked && !is_done()) {
    const auto now = Clock::now();
    if (now - start < spin)
      std::this_thread::yield();  // gives cores to the platform's threads if all cores are busy
    else
      std::this_thread::sleep_for(
          std::clamp<Clock::duration>((now - start) / 50, shortest, longest));
    if (now < next_check) continue;
    next_check = now + signals;
    nb::gil_scoped_acquire gil;
    if (was_signalled()) throw nb::python_error();
  }
  wait();
}

void end_left_work() noexcept {
  try {
    if (left_context() && left_context()->is_valid()) cuda::end_work(*left_context());
  } catch (const Error&) {
    // A GPU's driver ends the work with the process.
  }
  left_context().reset();
  try {
    release_left_uses();
  } catch (const std::exception&) {
    // Nobody can catch an exception while an object ends.
  }
}

void end_asked(const cuda::Context& context, const std::function<void()>& end) {
  if (!is_main_thread() || ForeignGil::is_closed() || is_work_left() || !context.is_valid() ||
      context.driver().table().set_wait_hook == nullptr)
    return;
  wait_for(context, [] { return true; }, end);
}

void detach_context(const cuda::Context& context) {
  const cuda::Context detached = context;  // a copy: other threads may drop the object
  try {
    end_asked(detached, [&] { detached.synchronize(); });
  } catch (const Error&) {
    // Whoever waits for the work gets the error.
  }
  const nb::gil_scoped_release released;
  detached.detach();
}

bool is_end_left(const cuda::Context& context, const std::function<void()>& end) noexcept {
  const nb::error_scope under_way;
  try {
    end_asked(context, end);
  } catch (nb::python_error& raised) {
    raised_at_end().emplace(std::move(raised));
    Py_AddPendingCall(&raise_what_was_raised, nullptr);
    return true;
  } catch (const std::exception&) {
    // The destructor meets the error, too, and warns.
  }
  return false;
}

bool is_work_done_at_end(const cuda::Context& context) noexcept {
  const cuda::Context kept = context;  // a copy: other threads may drop the object
  return !is_work_left() && !is_end_left(kept, [&] {
    const cuda::Table& cu = kept.driver().table();
    if (cu.wait_for_work != nullptr)
      cuda::check(cu, cu.wait_for_work(kept.raw()), "treadle_cpu_wait_for_work");
  });
}

bool is_work_left() noexcept { return left_context().has_value(); }

void keep_until_left_work_ends(std::shared_ptr<void> memory) {
  keep_left_use([] { return !is_work_left(); }, std::move(memory));
}

void wait_for(const cuda::Context& context) {
  wait_without_gil(context, [&](const auto& question) { return cuda::wait(context, question); });
}

void wait_for(const cuda::Stream& stream) {
  wait_without_gil(stream.context(),
                   [&](const auto& question) { return cuda::wait(stream, question); });
}

void wait_for(const cuda::Event& event) {
  wait_without_gil(event.context(),
                   [&](const auto& question) { return cuda::wait(event, question); });
}

void wait_for(const cuda::Context& context, const std::function<bool()>& is_done,
              const std::function<void()>& synchronize) {
  wait_without_gil(context, [&](const auto& question) {
    return cuda::wait(context, question, is_done, synchronize);
  });
}

void without_gil_asked(const cuda::Context& context, const std::function<void()>& call) {
  wait_for(context, [] { return true; }, call);
}

void without_gil(const cuda::Context& context, const std::function<void()>& call) {
  wait_without_gil(context,
                   [&](const auto& question) { return cuda::wait_in(context, question, call); });
}

}  // namespace treadle::bindings
