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

/// Hold it around calls into the dynamic loader: dlopen(), dlclose(), dlsym(), dladdr(),
/// dl_iterate_phdr(). glibc holds a lock of its own in them; a child that is forked meanwhile would
/// inherit that lock and deadlock in its first such call. fork() takes this mutex first.
std::mutex& loader_mutex();

}  // namespace treadle::cuda_cpu
