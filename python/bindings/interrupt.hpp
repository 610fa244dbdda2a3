// SPDX-License-Identifier: MIT
// Waiting for the device with the GIL released, so that other Python threads run, and so that
// Ctrl-C ends the wait. The work itself goes on; a second Ctrl-C, while somebody waits again, ends
// that too where the device can (cuda::WaitAnswer), and so does the end of the context.
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

/// Runs `end`, which ends an object that queued work may use, and which waits for that work: where
/// the driver hears Ctrl-C in its waits (the CPU device's), on the main thread, and not if Ctrl-C
/// has left work before. Throws nb::python_error if the wait was left, and what `end` throws.
void end_asked(const cuda::Context& context, const std::function<void()>& end);
/// Detaches a context, without the GIL, after such a wait; also one whose work has failed.
void detach_context(const cuda::Context& context);
/// end_asked() for destructors, in which nothing can be raised. True if the wait was left: the
/// object is to be kept, and what was raised is raised again once Python looks for signals.
bool is_end_left(const cuda::Context& context, const std::function<void()>& end) noexcept;

/// Frees memory that nobody refers to any more; false if Ctrl-C has left, or leaves, the wait.
template <class Memory>
bool is_freed_at_end(Memory& memory) {
  return !is_work_left() && !is_end_left(cuda::Context(memory.context()), [&] { memory.free(); });
}
/// The same of a bound object; true of those that have no memory of their own.
template <class Object>
bool is_object_freed_at_end(Object& object) {
  if constexpr (requires { object.is_freed(); })
    if (is_work_left()) return false;
  if constexpr (std::is_copy_constructible_v<Object>)
    return true;  // another handle may live on
  else if constexpr (requires { object.memory().free(), object.memory().context(); })
    return is_freed_at_end(object.memory());
  else if constexpr (requires { object.memory.free(), object.memory.context(); })
    return is_freed_at_end(object.memory);
  else if constexpr (requires { object.free(), object.context(); })
    return is_freed_at_end(object);
  else
    return true;
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
