// SPDX-License-Identifier: MIT
// State of the process as a whole: initialised, or a forked child in which this device is gone.
#pragma once

#include <mutex>

namespace treadle::cuda_cpu {

/// Idempotent; registers the fork handler. After a fork the child keeps no worker thread and must
/// not touch locks that a thread of the parent held: every call there answers
/// CUDA_ERROR_NOT_INITIALIZED.
void initialize_process();
bool process_initialized() noexcept;

/// True in a child forked after initialize_process(): destructors that would touch shared state
/// leak instead.
bool process_forked() noexcept;

/// To be held around calls of the loader: dlopen(), dlclose(), dlsym(), dladdr(),
/// dl_iterate_phdr(). glibc takes a lock in them that a child inherits locked, if one is forked
/// meanwhile: its own first call would wait for ever. fork() waits for this mutex.
std::mutex& loader_mutex();

}  // namespace treadle::cuda_cpu
