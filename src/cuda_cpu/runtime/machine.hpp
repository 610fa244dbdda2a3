// SPDX-License-Identifier: MIT
// What this process may use of the machine: cores and memory, with affinity and cgroup limits
// honoured.
#pragma once

#include <cstddef>
#include <string>

namespace treadle::cuda_cpu {

struct Machine {
  unsigned cores = 1;    ///< cores the process may run on: affinity, then the cgroup's CPU quota
  unsigned threads = 1;  ///< threads that run kernels at once: TREADLE_CPU_THREADS, or `cores`
  std::size_t memory_bytes = 0;  ///< that the device gives out: memory_to_give()
  std::size_t level2_cache_bytes = 0;
  unsigned clock_khz = 0;
  std::string processor;  ///< name, as the processor tells it
};

/// Read once.
const Machine& machine();

/// How much of `usable` bytes, installed or the cgroup's limit, the device gives out in all:
/// `chosen`, by TREADLE_CPU_MEMORY_BYTES, or for 0 three quarters of what is `available` now. The
/// rest is for the program itself and for others. Whole MiB, unless it was chosen.
std::size_t memory_to_give(std::size_t usable, std::size_t available, std::size_t chosen);

/// Bytes that can still be used before the out-of-memory killer acts. Reads the kernel's counters.
std::size_t available_memory_bytes();

/// Bytes of this process that are in memory now.
std::size_t resident_bytes();

/// Folder `root`/sys/fs/cgroup of this process and its parents: the lowest memory limit, or
/// `otherwise`. `root` is "" but in tests.
std::size_t cgroup_memory_limit(const std::string& root, std::size_t otherwise);

/// Whole cores the cgroup's CPU quota amounts to, at least 1, or `otherwise` where there is no
/// quota.
unsigned cgroup_cores(const std::string& root, unsigned otherwise);

}  // namespace treadle::cuda_cpu
