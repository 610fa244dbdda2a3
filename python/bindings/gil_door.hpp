// SPDX-License-Identifier: MIT
// Python ends a thread that asks for the GIL while the interpreter ends, by unwinding its stack.
// C++ is not left so: a destructor on the way, nanobind's that takes the GIL back for example,
// terminates the process. So whatever this module asks the GIL for goes by way of one door, which
// is closed before that: the linker puts gil_door.cpp between the module and Python
// (--wrap=PyEval_RestoreThread, --wrap=PyGILState_Ensure). A thread that is in Python's code, which
// code of the module has called, asks inside of Python: its unwinding ends at the first frame of
// the module's (--wrap=__gxx_personality_v0), where the thread stays, too.
#pragma once

namespace treadle::bindings {

/// For the interpreter's exit: waits for the threads that are about to get the GIL, and lets nobody
/// but this thread have it any more. Others stay where they are until the process ends, as daemon
/// threads do in Python 3.14. Needs the GIL.
void close_gil_door() noexcept;
/// Whether it was called: a thread that asks for the GIL now does not come back.
bool is_gil_door_closed() noexcept;

}  // namespace treadle::bindings
