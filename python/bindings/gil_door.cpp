// SPDX-License-Identifier: MIT
#include "gil_door.hpp"

#include <Python.h>
#include <unistd.h>
#include <unwind.h>

#include <atomic>
#include <thread>

extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier): the names that ld gives what it wraps
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

std::atomic<int> passing_threads = 0;
std::atomic<bool> is_door_closed = false;
std::thread::id closing_thread;  // set before the door is closed

[[noreturn]] void stay() noexcept {
  for (;;) ::pause();
}

/// Passes the door; the thread has the GIL by the end of the scope.
class Passage {
 public:
  Passage() noexcept {
    ++passing_threads;
    if (!is_door_closed || std::this_thread::get_id() == closing_thread) [[likely]]
      return;
    --passing_threads;
    stay();
  }
  Passage(const Passage&) = delete;
  Passage& operator=(const Passage&) = delete;
  ~Passage() { --passing_threads; }
};

}  // namespace

void close_gil_door() noexcept {
  closing_thread = std::this_thread::get_id();
  is_door_closed = true;
  PyThreadState* const thread = PyEval_SaveThread();
  while (passing_threads != 0) std::this_thread::yield();
  PyEval_RestoreThread(thread);
}

bool is_gil_door_closed() noexcept { return is_door_closed; }

}  // namespace treadle::bindings

void __wrap_PyEval_RestoreThread(PyThreadState* thread) {
  const treadle::bindings::Passage passage;
  __real_PyEval_RestoreThread(thread);
}

PyGILState_STATE __wrap_PyGILState_Ensure() {
  const treadle::bindings::Passage passage;
  return __real_PyGILState_Ensure();
}

// Called for each frame of the module's that an exception, or the end of a thread, passes.
_Unwind_Reason_Code __wrap___gxx_personality_v0(int version, _Unwind_Action actions,
                                                _Unwind_Exception_Class exception_class,
                                                _Unwind_Exception* exception,
                                                _Unwind_Context* context) {
  if ((actions & _UA_FORCE_UNWIND) != 0 && treadle::bindings::is_gil_door_closed())
    treadle::bindings::stay();
  return __real___gxx_personality_v0(version, actions, exception_class, exception, context);
}
