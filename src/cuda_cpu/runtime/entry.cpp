// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/entry.hpp"

#include <pthread.h>

#include <memory>
#include <new>

#include "cuda_cpu/runtime/printing.hpp"
#include "cuda_cpu/runtime/stream.hpp"

namespace treadle::cuda_cpu {
namespace {

__attribute__((tls_model("initial-exec"))) thread_local ThreadState* state_of_thread = nullptr;

/// In a forked child nothing is released: the locks may be held by threads that are gone.
void end_thread_state(void* ended) {
  state_of_thread = nullptr;
  if (process_forked()) return;
  const std::unique_ptr<ThreadState> state(static_cast<ThreadState*>(ended));
  for (const auto& stream : state->per_thread_streams) {
    stream->abandoned = true;
    stream->context->drop_drained_streams();
  }
}

/// Destroyed by a pthread key and not as a thread_local object: keys are destroyed last, and
/// destructors of the program's own thread_local objects may still call the driver.
ThreadState& new_thread_state() {
  static const pthread_key_t key = [] {
    pthread_key_t made{};
    if (pthread_key_create(&made, end_thread_state) != 0) throw std::bad_alloc();
    return made;
  }();
  auto state = std::make_unique<ThreadState>();
  if (pthread_setspecific(key, state.get()) != 0) throw std::bad_alloc();
  return *(state_of_thread = state.release());
}

}  // namespace

ThreadState& thread_state() {
  return state_of_thread != nullptr ? *state_of_thread : new_thread_state();
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
  const CUresult error = context->error();
  if (error != CUDA_SUCCESS) flush_printed();  // no call will wait for that context any more
  return error;
}

void forbid_calls_on_this_thread() { thread_state().calls_forbidden = true; }

}  // namespace treadle::cuda_cpu
