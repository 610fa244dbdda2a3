// SPDX-License-Identifier: MIT
// A program can ask to be asked, now and then, whether a long wait shall go on: Python checks for
// Ctrl-C there.
#pragma once

#include <cstdint>

namespace treadle::cuda_cpu {

/// Non-zero: the wait returns CUDA_ERROR_NOT_READY at once; queued work stays queued.
using WaitHook = int (*)();
WaitHook wait_hook();

inline constexpr std::int64_t wait_hook_interval_nanoseconds = 50'000'000;

/// Time at which the calling thread wants to be back from work it does for others; 0: when it is
/// done.
std::int64_t& leave_work_at();

}  // namespace treadle::cuda_cpu
