// SPDX-License-Identifier: MIT
// A program can register a hook that long waits call regularly and that decides whether they go on.
// Python checks for Ctrl-C there.
#pragma once

#include <cstdint>

namespace treadle::cuda_cpu {

/// Its answer: 0, the wait goes on; end_work_answer, the work of the context is ended and the wait
/// returns CUDA_ERROR_NOT_READY; any other, the wait returns that and queued work stays queued.
using WaitHook = int (*)();
inline constexpr int end_work_answer = 2;
WaitHook wait_hook();

inline constexpr std::int64_t wait_hook_interval_nanoseconds = 50'000'000;

/// Time at which the calling thread has to return from work it helps with; 0: when it is done.
std::int64_t& leave_work_at();

}  // namespace treadle::cuda_cpu
