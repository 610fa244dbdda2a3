// SPDX-License-Identifier: MIT
#include "gil_door.hpp"

#include <Python.h>
#include <unistd.h>

#include <atomic>
#include <thread>

extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier): the names that ld gives what it wraps
void __real_PyEval_RestoreThread(PyThreadState* thread);
PyGILState_STATE __real_PyGILState_Ensure();
void __wrap_PyEval_RestoreThread(PyThreadState* thread);
PyGILState_STATE __wrap_PyGILState_Ensure();
// NOLINTEND(bugprone-reserved-identifier)
}

namespace treadle::bindings {
namespace {

std::atomic<int> passing_threads = 0;
std::atomic<bool> is_door_closed = false;
std::thread::id closing_thread;  // set before the door is closed

/// Passes the door; the thread has the GIL by the end of the scope.
class Passage {
 public:
  Passage() noexcept {
    ++passing_threads;
    if (!is_door_closed || std::this_thread::get_id() == closing_thread) [[likely]]
      return;
    --passing_threads;
    for (;;) ::pause();
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
