// SPDX-License-Identifier: MIT
// Python ends a thread that asks for the GIL while the interpreter ends, by unwinding its stack.
// C++ is not left so: a destructor on the way, nanobind's that takes the GIL back for example,
// terminates the process. Such threads stay where they are until the process ends, as daemon
// threads do in Python 3.14. So whatever this module asks the GIL for goes by way of one door,
// which is closed while Python ends: the linker puts gil_door.cpp between the module and Python
// (--wrap=PyEval_RestoreThread, --wrap=PyGILState_Ensure). A thread that asked before, or asks in
// Python's code that code of the module has called, is unwound: that ends at the first frame of the
// module's (--wrap=__gxx_personality_v0). Until Python ends, which is after all functions of
// `atexit`, every thread passes: those functions may wait for one.
#pragma once

namespace treadle::bindings {

/// For the interpreter's exit, called by `atexit`: this thread passes the closed door.
void let_thread_end_python() noexcept;
/// Whether Python ends or has ended: a thread that asks for the GIL now does not come back.
bool is_gil_door_closed() noexcept;
/// For a thread that Python would end.
[[noreturn]] void stay() noexcept;

}  // namespace treadle::bindings
