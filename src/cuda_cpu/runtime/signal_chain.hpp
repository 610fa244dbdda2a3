// SPDX-License-Identifier: MIT
// The chain of the process's handlers for fault signals. Ours has to be the first; signals that are
// not ours are passed on to the others: Python's faulthandler, a sanitizer, the default action.
#pragma once

#include <signal.h>

namespace treadle::cuda_cpu {

/// Looks at a signal first. Returns if it is not its own: the signal then goes on to the handler
/// that stood before.
using FirstHandler = void (*)(int signal, siginfo_t* info, void* machine_state);

/// Puts `handler` in front of whatever handles SIGSEGV, SIGBUS, SIGFPE and SIGILL now, unless it is
/// there already. Always the same handler. Thread-safe; four system calls where nothing is to be
/// done.
void put_in_front(FirstHandler handler);

/// The same, but looks only if some milliseconds have passed since the last time: a few nanoseconds
/// otherwise.
void keep_in_front(FirstHandler handler);

}  // namespace treadle::cuda_cpu
