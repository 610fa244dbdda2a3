// SPDX-License-Identifier: MIT
// How every entry point begins and ends.
#pragma once

#include <new>

#include "cuda_cpu/runtime/context.hpp"
#include "cuda_cpu/runtime/process.hpp"

namespace treadle::cuda_cpu {

/// State of one thread of the program.
struct ThreadState {
  std::vector<std::shared_ptr<Context>> contexts;  ///< pushed, the current one last
  std::vector<std::shared_ptr<Stream>>
      per_thread_streams;        ///< CU_STREAM_PER_THREAD, one per context
  FaultText told_fault;          ///< the last answer of treadleCpuLastFault
  bool calls_forbidden = false;  ///< CUDA forbids calls from host functions
};
ThreadState& thread_state();

/// CUDA_SUCCESS if the process may call at all.
CUresult check_process();
/// The calling thread's current context: alive and without sticky error.
CUresult enter(std::shared_ptr<Context>& context);
/// Marks the thread that runs host functions.
void forbid_calls_on_this_thread();

/// Runs `body`, which returns a CUresult; what it throws becomes an error code.
template <class Body>
CUresult guarded(Body&& body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  } catch (...) {
    return CUDA_ERROR_UNKNOWN;
  }
}

/// For calls that need no context.
template <class Body>
CUresult with_process(Body&& body) noexcept {
  return guarded([&]() -> CUresult {
    const CUresult failure = check_process();
    return failure != CUDA_SUCCESS ? failure : body();
  });
}

/// For calls that work in the current context: `body(Context&)`.
template <class Body>
CUresult with_context(Body&& body) noexcept {
  return guarded([&]() -> CUresult {
    std::shared_ptr<Context> context;
    const CUresult failure = enter(context);
    return failure != CUDA_SUCCESS ? failure : body(context);
  });
}

}  // namespace treadle::cuda_cpu
