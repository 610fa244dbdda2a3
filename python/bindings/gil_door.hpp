// SPDX-License-Identifier: MIT
// Stops threads that would ask for the GIL while the interpreter ends. Python ends such a thread by
// unwinding its stack, and C++ cannot be left so: a destructor that takes the GIL on the way, for
// example nanobind's, terminates the process. So such threads stay where they are until the process
// ends, as daemon threads do in Python 3.14. Every request of this module for the GIL passes one
// door, which is closed while Python ends: the linker puts gil_door.cpp between the module and
// Python (--wrap=PyEval_RestoreThread, --wrap=PyGILState_Ensure). A thread may have asked earlier,
// or may ask in Python code that this module has called. Python unwinds such a thread, and the
// unwinding stops at the module's first frame (--wrap=__gxx_personality_v0). The door stays open
// until all functions of `atexit` have run, because these functions may wait for a thread.
#pragma once

namespace treadle::bindings {

/// Called by `atexit`: lets this thread pass the closed door.
void let_thread_end_python() noexcept;
/// Whether Python ends or has ended: a thread that asks for the GIL now does not return.
bool is_gil_door_closed() noexcept;
/// Stops a thread that Python would end.
[[noreturn]] void stay() noexcept;

}  // namespace treadle::bindings
