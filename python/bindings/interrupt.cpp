// SPDX-License-Identifier: MIT
#include "interrupt.hpp"

#include <dlfcn.h>
#include <nanobind/nanobind.h>

#include <chrono>
#include <mutex>
#include <thread>

#include "treadle/base/error.hpp"

namespace nb = nanobind;

namespace treadle::bindings {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto spinning = std::chrono::microseconds(200);  // longer waits may sleep in between
constexpr auto signal_interval = std::chrono::milliseconds(20);
constexpr int not_ready = 600;  // CUDA_ERROR_NOT_READY

// Called by the CPU device's run-time about every 50 ms while a thread waits: whether the wait
// ends.
int interrupted() {
  const PyGILState_STATE state = PyGILState_Ensure();
  // A handler that raises leaves its exception set; it is raised where the wait is left.
  const bool stop = PyErr_CheckSignals() != 0;
  PyGILState_Release(state);
  return stop ? 1 : 0;
}

void install_wait_hook(const cuda::Driver& cpu) {
  static std::once_flag once;
  std::call_once(once, [&] {
    void* library = dlopen(cpu.library().c_str(), RTLD_NOW | RTLD_NOLOAD);
    if (library == nullptr) return;
    using SetHook = void (*)(int (*)());
    if (const auto set = reinterpret_cast<SetHook>(dlsym(library, "treadle_cpu_set_wait_hook")))
      set(interrupted);
    dlclose(library);  // the driver object keeps it loaded
  });
}

// On NVIDIA's driver a wait is a loop over a query: its own waiting calls cannot be left. The query
// costs what the driver's spinning costs, so that short waits are not slower.
template <class IsDone>
void poll(IsDone is_done) {
  const auto start = Clock::now();
  auto next_signal_check = start + signal_interval;
  auto nap = std::chrono::microseconds(10);
  while (!is_done()) {
    const auto now = Clock::now();
    if (now - start > spinning) {
      std::this_thread::sleep_for(nap);
      nap = std::min(nap * 2, std::chrono::microseconds(500));
    }
    if (now >= next_signal_check) {
      next_signal_check = now + signal_interval;
      nb::gil_scoped_acquire gil;
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }
  }
}

template <class Block, class IsDone>
void wait(const cuda::Driver& driver, Block block, IsDone is_done) {
  if (driver.provider() == cuda::Provider::cpu) return without_gil(driver, block);
  nb::gil_scoped_release released;
  poll(is_done);
  block();  // returns at once, and reports what went wrong
}

}  // namespace

void without_gil(const cuda::Driver& driver, void (*call)(void*), void* data) {
  if (driver.provider() == cuda::Provider::cpu) install_wait_hook(driver);
  try {
    nb::gil_scoped_release released;
    call(data);
  } catch (const DeviceError& e) {
    if (e.code() == not_ready && PyErr_Occurred() != nullptr) throw nb::python_error();
    throw;
  }
}

void wait_for(const cuda::Context& context) {
  // The default stream is behind all work but that of non-blocking streams.
  wait(
      context.driver(), [&] { context.synchronize(); },
      [&] {
        const cuda::Activation active(context);
        return cuda::is_done(cuda::StreamRef{});
      });
}

void wait_for(const cuda::Stream& stream) {
  wait(stream.context().driver(), [&] { stream.synchronize(); }, [&] { return stream.is_done(); });
}

void wait_for(const cuda::Event& event) {
  wait(event.context().driver(), [&] { event.synchronize(); }, [&] { return event.is_done(); });
}

}  // namespace treadle::bindings
