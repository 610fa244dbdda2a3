// SPDX-License-Identifier: MIT
#include "gil_door.hpp"

#include <Python.h>
#include <unistd.h>
#include <unwind.h>

#include <atomic>
#include <thread>

extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier): ld gives these names to wrapped functions
void __real_PyEval_RestoreThread(PyThreadState* thread);
PyGILState_STATE __real_PyGILState_Ensure();
void __wrap_PyEval_RestoreThread(PyThreadState* thread);
PyGILState_STATE __wrap_PyGILState_Ensure();
_Unwind_Reason_Code __real___gxx_personality_v0(int version, _Unwind_Action actions,
                                                _Unwind_Exception_Class exception_class,
                                                _Unwind_Exception* exception,
                                                _Unwind_Context* context);
_Unwind_Reason_Code __wrap___gxx_personality_v0(int version, _Unwind_Action actions,
                                                _Unwind_Exception_Class exception_class,
                                                _Unwind_Exception* exception,
                                                _Unwind_Context* context);
// NOLINTEND(bugprone-reserved-identifier)
}

namespace treadle::bindings {
namespace {

std::atomic<std::thread::id> ending_thread;

/// Called by a thread that is about to ask for the GIL. A child of fork() has one thread, which
/// then also ends the interpreter.
void pass_door() noexcept {
  if (is_gil_door_closed() && std::this_thread::get_id() != ending_thread.load()) [[unlikely]]
    stay();
}

}  // namespace

void let_thread_end_python() noexcept { ending_thread = std::this_thread::get_id(); }

bool is_gil_door_closed() noexcept { return Py_IsInitialized() == 0; }

void stay() noexcept {
  for (;;) ::pause();
}

}  // namespace treadle::bindings

void __wrap_PyEval_RestoreThread(PyThreadState* thread) {
  treadle::bindings::pass_door();
  __real_PyEval_RestoreThread(thread);
}

PyGILState_STATE __wrap_PyGILState_Ensure() {
  treadle::bindings::pass_door();
  return __real_PyGILState_Ensure();
}

// Called for each frame of this module that an exception, or the end of a thread, unwinds.
_Unwind_Reason_Code __wrap___gxx_personality_v0(int version, _Unwind_Action actions,
                                                _Unwind_Exception_Class exception_class,
                                                _Unwind_Exception* exception,
                                                _Unwind_Context* context) {
  if ((actions & _UA_FORCE_UNWIND) != 0 && treadle::bindings::is_gil_door_closed())
    treadle::bindings::stay();
  return __real___gxx_personality_v0(version, actions, exception_class, exception, context);
}
