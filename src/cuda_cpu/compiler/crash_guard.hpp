// SPDX-License-Identifier: MIT
// Compiles on a thread with a very large stack (treadle/process/large_stack.hpp), and survives what
// a source can do to the compiler. Should clang or LLVM fault or abort nevertheless, that compile
// is abandoned (its memory is lost) and reported as a text.
//
// Signals: handlers of SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT and SIGTRAP stand only while some
// compile runs. They act on guarded threads alone; anything else goes on to the handler that stood
// before, with the same siginfo and context, so that Python's faulthandler and the CPU run-time's
// own handler keep working. When the last compile ends the previous handlers are put back, unless
// somebody has installed new ones since.
#pragma once

#include <functional>
#include <string>

namespace treadle::cuda_cpu {

/// Runs `work`, which must not throw, on guarded threads, each of which runs all of it, and waits
/// for them. Empty, or why one was abandoned. Fewer threads than asked for may start, not none.
std::string run_guarded(const std::function<void()>& work, unsigned threads = 1);

}  // namespace treadle::cuda_cpu
