// SPDX-License-Identifier: MIT
// Waiting for the device with the GIL released, so that other Python threads run, and so that
// Ctrl-C ends the wait. The work itself goes on; a second Ctrl-C, while somebody waits again, ends
// that too where the device can (cuda::WaitAnswer), and so does the end of the context.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <memory>
#include <new>
#include <utility>

#include "foreign_gil.hpp"
#include "treadle/cuda/wait.hpp"

namespace treadle::bindings {

// Each throws nb::python_error, the KeyboardInterrupt, if the wait was left.
void wait_for(const cuda::Context& context);
void wait_for(const cuda::Stream& stream);
void wait_for(const cuda::Event& event);
/// Waits for work that no object of the shell stands for; see cuda::wait().
void wait_for(const cuda::Context& context, const std::function<bool()>& is_done,
              const std::function<void()>& synchronize);

/// For run-times whose own waits cannot be left (OpenCL's). On the main thread, the only one that
/// Ctrl-C reaches, asks `is_done` again and again, with growing pauses; then runs `wait`, which
/// says what went wrong. Both run without the GIL. Throws nb::python_error if the wait was left.
void wait_by_asking(const std::function<bool()>& is_done, const std::function<void()>& wait);

/// For the interpreter's exit: ends what Ctrl-C has left, so that nobody waits for it there.
void end_left_work() noexcept;
/// Whether Ctrl-C has left work, without a wait since that has come to its end.
bool is_work_left() noexcept;
/// Keeps `memory` until one has.
void keep_until_left_work_ends(std::shared_ptr<void> memory);
/// The same for memory that waits for the work when it ends.
template <class Memory>
void keep_for_left_work(Memory&& memory) noexcept {
  const auto end = [](Memory* kept) {
    const GilReleasedForDestructor released;
    delete kept;
  };
  try {
    keep_until_left_work_ends({new Memory(std::move(memory)), end});
  } catch (const std::bad_alloc&) {
    // It is freed, and waited for.
  }
}

/// Runs a blocking copy or fill without the GIL. It comes after the work queued on the default
/// stream: that is the part that may take long, and Ctrl-C ends it.
void without_gil(const cuda::Context& context, const std::function<void()>& call);

/// Runs a call that may wait, without the GIL. No object says for which work the call waits. Ctrl-C
/// ends the wait where the driver asks (the CPU device's).
void without_gil_asked(const cuda::Context& context, const std::function<void()>& call);

/// Frees memory without the GIL: the driver may wait for work that uses it. Taken out of `memory`
/// first, so that other threads find it freed; put back if the wait was left.
template <class Memory>
void free_without_gil(Memory& memory) {
  if (memory.is_freed()) return memory.free();  // says so
  Memory leaving = std::move(memory);
  const auto put_back = [&](void*) {
    if (!leaving.is_freed()) memory = std::move(leaving);
  };
  const std::unique_ptr<void, decltype(put_back)> guard(&leaving, put_back);
  without_gil_asked(cuda::Context(leaving.context()), [&] { leaving.free(); });
}

/// Lets objects of a bound type go without the GIL as well: the work that the driver waits for then
/// may include Python functions. Nobody refers to the object any more, and it is hidden from the
/// garbage collector.
template <class Object>
void let_go_without_gil() {
  static destructor let_go = nullptr;
  auto* const raw_type = reinterpret_cast<PyTypeObject*>(nanobind::type<Object>().ptr());
  let_go = raw_type->tp_dealloc;
  raw_type->tp_dealloc = [](PyObject* self) {
    if (PyObject_IS_GC(self)) PyObject_GC_UnTrack(self);
    const auto [is_ready, is_ours] = nanobind::inst_state(self);
    auto* const object = nanobind::inst_ptr<Object>(self);
    bool is_freed = false;
    if constexpr (requires { object->is_freed(); }) is_freed = is_ready && object->is_freed();
    if (is_ready && is_ours && !is_freed) {
      if constexpr (requires { object->is_freed(); })
        if (is_work_left()) keep_for_left_work(std::move(*object));
      {
        const GilReleasedForDestructor released;
        object->~Object();
      }
      nanobind::inst_set_state(self, false, false);
    }
    let_go(self);
  };
}

}  // namespace treadle::bindings
