// SPDX-License-Identifier: MIT
#pragma once

namespace treadle::cuda_cpu {

/// Starts a detached thread named `name` with a stack deep enough for recursive kernels. It
/// receives no signal but its own faults, so that a program's handlers keep running on the
/// program's threads. Detached, because the process may exit while a kernel runs and must not wait
/// for it. False if the system has no thread left.
bool start_detached_thread(const char* name, void (*body)());

/// Hints to the processor that this is a spin loop.
inline void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace treadle::cuda_cpu
