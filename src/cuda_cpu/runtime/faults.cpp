// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/faults.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "cuda_cpu/runtime/diagnostics.hpp"
#include "cuda_cpu/runtime/local_stack.hpp"
#include "cuda_cpu/runtime/memory_operand.hpp"
#include "cuda_cpu/runtime/signal_chain.hpp"
#include "cuda_cpu/runtime/stop_signal.hpp"
#include "treadle/process/settings.hpp"

namespace treadle::cuda_cpu {
namespace {

struct Guard {
  sigjmp_buf environment;
  Guard* outer;
  Fault* fault;
};

// Read in a signal handler: initial-exec, because the general model may allocate on first use.
__attribute__((tls_model("initial-exec"))) thread_local Guard* active_guard = nullptr;
__attribute__((tls_model("initial-exec"))) thread_local std::uintptr_t stack_low = 0;
__attribute__((tls_model("initial-exec"))) thread_local std::uintptr_t stack_high = 0;

struct Violation {
  CUresult code = CUDA_SUCCESS;
  std::string text;
};
Violation& violation() {
  thread_local Violation last;
  return last;
}

/// Endless recursion ends in the guard page below the stack: stack pointer and address are both
/// there.
bool is_stack_overflow(std::uintptr_t address, const void* machine_state) {
#if defined(__x86_64__)
  const auto* state = static_cast<const ucontext_t*>(machine_state);
  const auto stack_pointer = static_cast<std::uintptr_t>(state->uc_mcontext.gregs[REG_RSP]);
  constexpr std::uintptr_t near = 64u << 10, frame = 1u << 20;
  return stack_low != 0 && stack_pointer < stack_low + near && stack_pointer + frame > stack_low &&
         address + frame > stack_pointer && address < stack_pointer + near;
#else
  (void)machine_state;
  constexpr std::uintptr_t near = 64u << 10;
  return stack_low != 0 && address < stack_low + near && address + near > stack_low;
#endif
}

/// The processor gives no address with a "general protection" fault: a vector access that is not
/// aligned, or an address that cannot be one.
void find_address(Fault& fault, const void* machine_state) {
  if (fault.signal != SIGSEGV || fault.signal_code != SI_KERNEL) return;
  const MemoryOperand operand = memory_operand(machine_state);
  if (!operand.known) return;
  fault.address = operand.address;
  if (operand.well_formed()) fault.reason = FaultReason::misaligned;
}

void on_signal(int signal, siginfo_t* info, void* machine_state) {
  Guard* const guard = active_guard;
  if (guard == nullptr || info->si_code <= 0) return;  // the next handler's
  Fault& fault = *guard->fault;
  fault.signal = signal;
  fault.signal_code = info->si_code;
  fault.address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  const bool overflows =
      is_stack_overflow(fault.address, machine_state) || beyond_local_stack(fault.address);
  fault.reason = signal == SIGSEGV && overflows ? FaultReason::stack_overflow : FaultReason::signal;
  find_address(fault, machine_state);
  leave_compiled_code();
  // siglongjmp() restores no signal mask here (saving it would cost each launch a system call).
  pthread_sigmask(SIG_SETMASK, &static_cast<const ucontext_t*>(machine_state)->uc_sigmask, nullptr);
  siglongjmp(guard->environment, 1);
}

/// The thread's alternate signal stack, for as long as the thread lives.
class AlternateStack {
 public:
  AlternateStack() {
    stack_t present{};
    constexpr std::size_t enough = 16u << 10;
    if (sigaltstack(nullptr, &present) == 0 && (present.ss_flags & SS_DISABLE) == 0 &&
        present.ss_size >= enough)
      return;  // Python's faulthandler or a sanitizer has given this thread one
    size_ = static_cast<std::size_t>(sysconf(_SC_SIGSTKSZ)) + (64u << 10);
    memory_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) return;
    stack_t ours{};
    ours.ss_sp = memory_;
    ours.ss_size = size_;
    sigaltstack(&ours, nullptr);
  }
  AlternateStack(const AlternateStack&) = delete;
  AlternateStack& operator=(const AlternateStack&) = delete;
  ~AlternateStack() {
    if (memory_ == MAP_FAILED) return;
    stack_t present{};
    if (sigaltstack(nullptr, &present) == 0 && present.ss_sp == memory_) {
      stack_t none{};
      none.ss_flags = SS_DISABLE;
      sigaltstack(&none, nullptr);
    }
    munmap(memory_, size_);
  }

 private:
  void* memory_ = MAP_FAILED;
  std::size_t size_ = 0;
};

void find_stack_bounds() {
  pthread_attr_t attributes;
  void* low = nullptr;
  std::size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  if (pthread_attr_getstack(&attributes, &low, &size) == 0) {
    stack_low = reinterpret_cast<std::uintptr_t>(low);
    stack_high = stack_low + size;
  }
  pthread_attr_destroy(&attributes);
}

const char* signal_name(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "SIGSEGV";
    case SIGBUS:
      return "SIGBUS";
    case SIGFPE:
      return "SIGFPE";
    default:
      return "SIGILL";
  }
}

}  // namespace

// Not inlined, not merged with another empty function, and not a tail call: debuggers stop here.
TREADLE_CPU_EXPORT __attribute__((noinline)) void treadle_cpu_kernel_failed() { asm volatile(""); }

void take_faults_first() { put_in_front(on_signal); }

void prepare_for_faults() {
  keep_in_front(on_signal);
  thread_local AlternateStack stack;
  if (stack_low == 0) find_stack_bounds();
  prepare_for_stop_signal();
}

bool run_guarded(Fault& fault, void (*body)(void*), void* argument) {
  Guard guard;
  guard.outer = active_guard;
  guard.fault = &fault;
  if (sigsetjmp(guard.environment, 0) != 0) {
    active_guard = guard.outer;
    return false;
  }
  active_guard = &guard;
  // The signal handler reads it: a body that the compiler sees may not be moved past these lines.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  body(argument);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  active_guard = guard.outer;
  return true;
}

void leave_guarded(FaultReason reason) {
  Guard* const guard = active_guard;
  if (guard == nullptr)
    std::abort();  // device code was called outside of a launch: no context could get the error
  leave_compiled_code();
  if (reason != FaultReason::ended && reason != FaultReason::timed_out) treadle_cpu_kernel_failed();
  guard->fault->reason = reason;
  siglongjmp(guard->environment, 1);
}

void tell_violation(CUresult code, std::string text) { violation() = {code, std::move(text)}; }

bool on_own_stack(std::uintptr_t address) { return address >= stack_low && address < stack_high; }

CUresult fault_code(const Fault& fault) {
  switch (fault.reason) {
    case FaultReason::assertion:
      return CUDA_ERROR_ASSERT;
    case FaultReason::ended:
    case FaultReason::timed_out:
      return CUDA_ERROR_LAUNCH_TIMEOUT;
    case FaultReason::trap:
      return CUDA_ERROR_LAUNCH_FAILED;
    case FaultReason::stack_overflow:
      return CUDA_ERROR_HARDWARE_STACK_ERROR;
    case FaultReason::violation:
      return violation().code;
    case FaultReason::misaligned:
      return CUDA_ERROR_MISALIGNED_ADDRESS;
    default:
      break;
  }
  switch (fault.signal) {
    case SIGSEGV:
      return CUDA_ERROR_ILLEGAL_ADDRESS;
    case SIGBUS:
      return fault.signal_code == BUS_ADRALN ? CUDA_ERROR_MISALIGNED_ADDRESS
                                             : CUDA_ERROR_ILLEGAL_ADDRESS;
    case SIGILL:
      return CUDA_ERROR_ILLEGAL_INSTRUCTION;
    default:
      return CUDA_ERROR_LAUNCH_FAILED;
  }
}

std::string fault_description(const Fault& fault) {
  switch (fault.reason) {
    case FaultReason::assertion:
      return "device-side assertion failed";
    case FaultReason::trap:
      return "trap instruction";
    case FaultReason::violation:
      return violation().text;
    case FaultReason::ended:
      return "ended by the program";
    case FaultReason::timed_out:
      return "ran longer than the " + std::to_string(settings().watchdog_seconds) +
             " s of TREADLE_WATCHDOG";
    case FaultReason::stack_overflow:
      return "stack overflow (recursion too deep)";
    default:
      break;
  }
  char text[96];
  const auto address = static_cast<unsigned long long>(fault.address);
  const char* const name = signal_name(fault.signal);
  if (fault.signal == SIGFPE)
    std::snprintf(text, sizeof text, "arithmetic fault (%s)", name);
  else if (fault.signal == SIGILL)
    std::snprintf(text, sizeof text, "illegal instruction (%s)", name);
  else if (fault.reason == FaultReason::misaligned)
    std::snprintf(text, sizeof text, "misaligned memory access at 0x%llx (%s)", address, name);
  else if (fault.signal_code == SI_KERNEL && fault.address == 0)
    std::snprintf(text, sizeof text, "illegal memory access at a malformed address (%s)", name);
  else
    std::snprintf(text, sizeof text, "illegal memory access at 0x%llx (%s)", address, name);
  return text;
}

std::string fault_place(const Fault& fault) {
  const bool at_address =
      fault.reason == FaultReason::signal || fault.reason == FaultReason::misaligned;
  if (!at_address || (fault.signal != SIGSEGV && fault.signal != SIGBUS)) return {};
  if (fault.signal_code == SI_KERNEL && fault.address == 0) return {};
  return describe_address(fault.address, 1);
}

}  // namespace treadle::cuda_cpu
