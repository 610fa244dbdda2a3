// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/wait_hook.hpp"

#include <atomic>

#include "cuda_cpu/runtime/driver_api.hpp"

namespace treadle::cuda_cpu {
namespace {
std::atomic<WaitHook> hook{nullptr};
}

WaitHook wait_hook() { return hook.load(std::memory_order_acquire); }

std::int64_t& leave_work_at() {
  __attribute__((tls_model("initial-exec"))) thread_local std::int64_t time = 0;
  return time;
}

}  // namespace treadle::cuda_cpu

/// The hook is called about every 50 ms by threads inside cuCtxSynchronize, cuStreamSynchronize,
/// cuEventSynchronize and blocking copies, with no lock held. Null removes it. While there is one,
/// these threads run a kernel themselves only if it was quick before and has no loop that could
/// make it slow another time.
TREADLE_CPU_EXPORT void treadle_cpu_set_wait_hook(treadle::cuda_cpu::WaitHook new_hook) {
  treadle::cuda_cpu::hook.store(new_hook, std::memory_order_release);
}
