// SPDX-License-Identifier: MIT
// Waits for the device with the GIL released, so that other Python threads run, and Ctrl-C ends the
// wait. The work itself goes on. A second Ctrl-C during a later wait also ends the work, if the
// device can do that (cuda::WaitAnswer); so does the end of the context.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "foreign_gil.hpp"
#include "treadle/cuda/wait.hpp"

namespace treadle::bindings {

// All of these throw nb::python_error with the KeyboardInterrupt if Ctrl-C ends the wait.
void wait_for(const cuda::Context& context);
void wait_for(const cuda::Stream& stream);
void wait_for(const cuda::Event& event);
/// Waits for work that has no object of the shell; see cuda::wait().
void wait_for(const cuda::Context& context, const std::function<bool()>& is_done,
              const std::function<void()>& synchronize);

/// For run-times whose own waits cannot be interrupted (OpenCL's). On the main thread, which alone
/// receives Ctrl-C, calls `is_done` repeatedly with growing pauses, and then `wait`, which reports
/// errors. Both run without the GIL. Throws nb::python_error if Ctrl-C ends the wait.
void wait_by_asking(const std::function<bool()>& is_done, const std::function<void()>& wait);

/// Called at the interpreter's exit: ends the work that waits have left, so that the exit does not
/// wait.
void end_left_work() noexcept;
/// Whether Ctrl-C has left work, and no wait has ended since.
bool is_work_left() noexcept;
/// Keeps `memory` until a wait ends.
void keep_until_left_work_ends(std::shared_ptr<void> memory);
/// Does the same for memory whose end waits for the work.
template <class Memory>
void keep_for_left_work(Memory&& memory) noexcept {
  const auto end = [](Memory* kept) {
    const GilReleasedForDestructor released;
    delete kept;
  };
  try {
    keep_until_left_work_ends({new Memory(std::move(memory)), end});
  } catch (const std::bad_alloc&) {
    // The memory is freed, after waiting.
  }
}

/// Runs `end`, which ends an object that queued work may use and waits for that work. On the main
/// thread, Ctrl-C ends the wait if the driver asks for signals in its waits (the CPU device's
/// does), and if Ctrl-C has not left work before. Throws nb::python_error if Ctrl-C ends the wait,
/// and the exceptions of `end`.
void end_asked(const cuda::Context& context, const std::function<void()>& end);
/// Detaches a context, without the GIL, after such a wait; also a context whose work has failed.
void detach_context(const cuda::Context& context);
/// end_asked() for destructors, which cannot raise. Returns true if Ctrl-C ended the wait: then the
/// object must be kept, and the exception is raised when Python next checks for signals.
bool is_end_left(const cuda::Context& context, const std::function<void()>& end) noexcept;

/// Frees memory that nobody refers to any more. Returns false if Ctrl-C has left, or leaves, the
/// wait.
template <class Memory>
bool is_freed_at_end(Memory& memory) {
  return !is_work_left() && !is_end_left(cuda::Context(memory.context()), [&] { memory.free(); });
}
/// Waits for the context's work, because the driver waits for it when the last handle of an object
/// goes. Returns false if Ctrl-C has left, or leaves, the wait.
bool is_work_done_at_end(const cuda::Context& context) noexcept;
/// The same for a bound object. Returns true for an object without memory of its own.
template <class Object>
bool is_object_freed_at_end(Object& object) {
  if constexpr (requires { object.is_freed(); })
    if (is_work_left()) return false;
  if constexpr (requires { object.module.is_last(); })
    return is_object_freed_at_end(object.module);
  else if constexpr (requires { object.array.is_last(); })
    return is_object_freed_at_end(object.array);
  else if constexpr (requires { object.is_last(); })
    return !object.is_last() || is_work_done_at_end(object.context());
  else if constexpr (std::is_copy_constructible_v<Object>)
    return true;  // another handle may live on
  else if constexpr (requires { object.memory().free(), object.memory().context(); })
    return is_freed_at_end(object.memory());
  else if constexpr (requires { object.memory.free(), object.memory.context(); })
    return is_freed_at_end(object.memory);
  else if constexpr (requires { object.free(), object.context(); })
    return is_freed_at_end(object);
  else if constexpr (requires { object.is_registered(), object.context(); })
    return !object.is_registered() || is_work_done_at_end(object.context());
  else
    return true;
}

/// Runs a blocking copy or fill without the GIL. First waits for the work that is queued on the
/// default stream: this may take long, and Ctrl-C ends this wait.
void without_gil(const cuda::Context& context, const std::function<void()>& call);

/// Runs a call that may wait, without the GIL, where no object tells which work the call waits for.
/// Ctrl-C ends the wait if the driver asks for signals (the CPU device's does).
void without_gil_asked(const cuda::Context& context, const std::function<void()>& call);

/// Frees memory without the GIL, because the driver may wait for work that uses the memory. Takes
/// the memory out of `memory` first, so that other threads find it freed, and puts it back if
/// Ctrl-C ends the wait.
template <class Memory>
void free_without_gil(Memory& memory) {
  if (memory.is_freed()) return memory.free();  // reports the error
  Memory leaving = std::move(memory);
  const auto put_back = [&](void*) {
    if (!leaving.is_freed()) memory = std::move(leaving);
  };
  const std::unique_ptr<void, decltype(put_back)> guard(&leaving, put_back);
  without_gil_asked(cuda::Context(leaving.context()), [&] { leaving.free(); });
}

/// Frees objects of a bound type without the GIL, too, because the driver may wait for work that
/// includes Python functions. Nobody refers to the object any more, and the garbage collector does
/// not see it.
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
      if constexpr (std::is_move_constructible_v<Object>)
        if (!is_object_freed_at_end(*object)) keep_for_left_work(std::move(*object));
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
