// SPDX-License-Identifier: MIT
// Interrupts kernels that the program wants to end, by a signal of our own whose handler jumps back
// to where the kernel was called, as after a fault.
//
// Only compiled code can be interrupted at any instruction: it owns nothing. The run-time around it
// and the services it calls may hold locks and run to their end. So a thread announces when it
// enters and leaves compiled code, and checks for a request to stop each time it enters.
#pragma once

#include "cuda_cpu/runtime/context.hpp"

namespace treadle::cuda_cpu {

/// Installs the handler, once in a process; lets the signal reach the calling thread, once in a
/// thread.
void prepare_for_stop_signal();

/// This thread runs kernels of a context, for as long as the object lives. Stays before the
/// context's `ending` and a stream's `cancelled` are read: who sets them either finds the thread
/// here or is seen by it.
class KernelThread {
 public:
  explicit KernelThread(const Context& context) noexcept;
  KernelThread(const KernelThread&) = delete;
  KernelThread& operator=(const KernelThread&) = delete;
  ~KernelThread();
};

/// From here on this thread may be interrupted at any instruction. Leaves the guarded code at once
/// if the context is ending.
void enter_compiled_code();
/// From here on it may not. Never fails, and may be called twice.
void leave_compiled_code() noexcept;

/// Scope of a service that compiled code called: it is not interrupted.
class ServiceCall {
 public:
  ServiceCall() noexcept : called_by_kernel_(pause()) {}
  ServiceCall(const ServiceCall&) = delete;
  ServiceCall& operator=(const ServiceCall&) = delete;
  ~ServiceCall() {
    if (called_by_kernel_) enter_compiled_code();
  }

 private:
  static bool pause() noexcept;
  const bool called_by_kernel_;
};

/// Sends the signal to every thread that runs kernels of the context; the number of them.
unsigned signal_kernel_threads(const Context& context);

/// Ends the work of a context, as treadle_cpu_end_work() does.
void end_work(Context& context);

/// Leaves the kernels that were put on a stream so far, as treadle_cpu_cancel_kernels() does.
void cancel_kernels(Stream& stream);

}  // namespace treadle::cuda_cpu
