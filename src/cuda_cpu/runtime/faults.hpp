// SPDX-License-Identifier: MIT
// Turns what a kernel does wrong into an error of its context.
//
// Handlers for SIGSEGV, SIGBUS, SIGFPE and SIGILL stand in front of the program's
// (signal_chain.hpp) from the first module on. A signal raised by guarded code on this thread is
// ours; every other one goes on to them, so the program's own crashes stay what they were.
#pragma once

#include <csetjmp>
#include <cstdint>
#include <string>

#include "cuda_cpu/runtime/driver_api.hpp"

namespace treadle::cuda_cpu {

enum class FaultReason {
  none,
  signal,
  stack_overflow,
  misaligned,  ///< a vector access; others need no alignment on x86
  trap,
  assertion,
  ended,      ///< by the program: no fault of the kernel's
  timed_out,  ///< by the watchdog
  violation   ///< found by a check that was compiled in: tell_violation()
};

/// What stopped guarded code. Filled by the signal handler: plain data only.
struct Fault {
  FaultReason reason = FaultReason::none;
  int signal = 0;
  int signal_code = 0;
  std::uintptr_t address = 0;
};

/// Puts the handlers in front of whatever the program has installed by now.
void take_faults_first();

/// The same if some milliseconds have passed since; gives the calling thread an alternate signal
/// stack, once in a thread.
void prepare_for_faults();

/// Calls body(argument). True if it returned; false if a fault or leave_guarded() stopped it.
/// Destructors of the frames in between do not run: guarded code owns nothing while it runs
/// kernels.
bool run_guarded(Fault& fault, void (*body)(void*), void* argument);

/// Ends the guarded code of this thread; the process if there is none.
[[noreturn]] void leave_guarded(FaultReason reason);

/// What a check of this thread has found, in words; leave_guarded(FaultReason::violation) follows.
void tell_violation(CUresult code, std::string text);

/// Whether an address lies on the calling thread's stack.
bool on_own_stack(std::uintptr_t address);

/// The CUDA error of a fault, and its description without place: "illegal memory access at 0x10
/// (SIGSEGV)".
CUresult fault_code(const Fault& fault);
std::string fault_description(const Fault& fault);
/// What lies where it happened, if anything does: "12 bytes past the end of ...".
std::string fault_place(const Fault& fault);

}  // namespace treadle::cuda_cpu
