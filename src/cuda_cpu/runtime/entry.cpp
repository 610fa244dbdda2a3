// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/entry.hpp"

#include "cuda_cpu/runtime/stream.hpp"

namespace treadle::cuda_cpu {
namespace {

/// Ends with its thread. In a forked child nothing is released: the locks may be held by threads
/// that are gone.
struct ThreadStateHolder {
  ThreadState* state = new ThreadState;
  ThreadStateHolder() = default;
  ThreadStateHolder(const ThreadStateHolder&) = delete;
  ThreadStateHolder& operator=(const ThreadStateHolder&) = delete;
  ~ThreadStateHolder() {
    if (process_forked()) return;
    for (const auto& stream : state->per_thread_streams) {
      stream->abandoned = true;
      stream->context->drop_drained_streams();
    }
    delete state;
  }
};

}  // namespace

ThreadState& thread_state() {
  thread_local ThreadStateHolder holder;
  return *holder.state;
}

CUresult check_process() {
  if (!process_initialized()) return CUDA_ERROR_NOT_INITIALIZED;
  return thread_state().calls_forbidden ? CUDA_ERROR_NOT_PERMITTED : CUDA_SUCCESS;
}

CUresult enter(std::shared_ptr<Context>& context) {
  if (!process_initialized()) return CUDA_ERROR_NOT_INITIALIZED;
  ThreadState& state = thread_state();
  if (state.calls_forbidden) return CUDA_ERROR_NOT_PERMITTED;
  if (state.contexts.empty() || !state.contexts.back()) return CUDA_ERROR_INVALID_CONTEXT;
  if (state.contexts.back()->destroyed) {
    state.contexts.back() = renewed(state.contexts.back());
    if (state.contexts.back()->destroyed) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  }
  context = state.contexts.back();
  return context->error();
}

void forbid_calls_on_this_thread() { thread_state().calls_forbidden = true; }

}  // namespace treadle::cuda_cpu
