// SPDX-License-Identifier: MIT
// Turns faults of kernels into errors of their context.
//
// From the first module on, handlers for SIGSEGV, SIGBUS, SIGFPE and SIGILL stand in front of the
// program's own (signal_chain.hpp). They handle signals that guarded code raised on this thread and
// pass on all others, so crashes of the program itself stay what they were.
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

/// Puts the handlers in front of those that the program has installed by now.
void take_faults_first();

/// The same if some milliseconds have passed since the last time. Gives the calling thread an
/// alternate signal stack, once per thread.
void prepare_for_faults();

/// Calls body(argument). True if it returned; false if a fault or leave_guarded() stopped it.
/// Destructors of the frames in between do not run: guarded code owns nothing while it runs
/// kernels.
bool run_guarded(Fault& fault, void (*body)(void*), void* argument);

/// Ends the guarded code of this thread; the process if there is none.
[[noreturn]] void leave_guarded(FaultReason reason);

/// Stores what a check of this thread has found; leave_guarded(FaultReason::violation) follows.
void tell_violation(CUresult code, std::string text);

/// Whether an address lies on the calling thread's stack.
bool on_own_stack(std::uintptr_t address);

/// The CUDA error of a fault, and its description without place: "illegal memory access at 0x10
/// (SIGSEGV)".
CUresult fault_code(const Fault& fault);
std::string fault_description(const Fault& fault);
/// Describes the address of the fault by the allocation near it: "12 bytes past the end of ...".
/// Empty if there is none.
std::string fault_place(const Fault& fault);

}  // namespace treadle::cuda_cpu
