// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/context.hpp"

#include <algorithm>

#include "cuda_cpu/runtime/array.hpp"
#include "cuda_cpu/runtime/capture.hpp"
#include "cuda_cpu/runtime/device.hpp"
#include "cuda_cpu/runtime/entry.hpp"
#include "cuda_cpu/runtime/event.hpp"
#include "cuda_cpu/runtime/linker.hpp"
#include "cuda_cpu/runtime/memory.hpp"
#include "cuda_cpu/runtime/module.hpp"
#include "cuda_cpu/runtime/printing.hpp"
#include "cuda_cpu/runtime/scheduler.hpp"
#include "cuda_cpu/runtime/texture.hpp"

namespace treadle::cuda_cpu {
namespace {

std::uint64_t next_context_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

bool valid_flags(unsigned flags) {
  const unsigned schedule = flags & CU_CTX_SCHED_MASK;
  return (flags & ~static_cast<unsigned>(CU_CTX_FLAGS_MASK)) == 0 &&
         (schedule == CU_CTX_SCHED_AUTO || schedule == CU_CTX_SCHED_SPIN ||
          schedule == CU_CTX_SCHED_YIELD || schedule == CU_CTX_SCHED_BLOCKING_SYNC);
}

/// The last fault of any context.
struct LastFault {
  std::mutex mutex;
  FaultText text;
};
LastFault& last_fault() {
  static LastFault* const instance = new LastFault;  // outlives every thread
  return *instance;
}

}  // namespace

Context::Context(bool is_primary, unsigned context_flags)
    : primary(is_primary), id(next_context_id()), flags(context_flags) {
  set_limit(CU_LIMIT_STACK_SIZE, 1024);
  set_limit(CU_LIMIT_PRINTF_FIFO_SIZE, 1u << 20);
  set_limit(CU_LIMIT_MALLOC_HEAP_SIZE, 8u << 20);
  set_limit(CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT, 2048);
  set_limit(CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 64);
}

void Context::fail(CUresult code, const std::string& text) {
  const std::lock_guard lock(fault_mutex_);
  if (error() != CUDA_SUCCESS) return;
  fault_text_ = std::make_shared<const std::string>(text);
  error_.store(code, std::memory_order_release);
  const std::lock_guard last_lock(last_fault().mutex);
  last_fault().text = fault_text_;
}

void Context::fail_ended() {
  fail(CUDA_ERROR_LAUNCH_TIMEOUT, "the work of this context was ended by the program");
}

FaultText Context::fault_text() const {
  const std::lock_guard lock(fault_mutex_);
  return fault_text_;
}

std::shared_ptr<Stream> Context::legacy_stream() const {
  const std::lock_guard lock(streams_mutex_);
  return streams_.empty() ? nullptr : streams_.front();
}

void Context::add_stream(std::shared_ptr<Stream> stream) {
  drop_drained_streams();
  const std::lock_guard lock(streams_mutex_);
  streams_.push_back(std::move(stream));
}

void Context::drop_drained_streams() {
  const std::lock_guard lock(streams_mutex_);
  std::erase_if(streams_, [](const auto& stream) { return stream->abandoned && stream->idle(); });
}

std::vector<std::shared_ptr<Stream>> Context::streams() const {
  const std::lock_guard lock(streams_mutex_);
  return streams_;
}

void Context::destroy() {
  if (destroyed.exchange(true)) return;
  abandon_captures(*this);
  Scheduler::instance().wait_all(*this);
  flush_printed();
  const auto mine = [this](const auto& object) { return object.context.get() == this; };
  function_handles().remove_if([&](const Function& function) { return mine(*function.module); });
  module_handles().remove_if(mine);
  event_handles().remove_if(mine);
  link_handles().remove_if(mine);
  stream_handles().remove_if(mine);
  drop_textures_of(*this);
  drop_arrays_of(*this);
  free_memory_of(*this);
  kernel_heap.release_all();
  const std::lock_guard lock(streams_mutex_);
  streams_.clear();  // breaks the cycle: streams hold their context
}

ContextHandles& context_handles() {
  // Never destroyed, like every registry here: threads of the program may call the driver until the
  // process ends.
  static ContextHandles* const handles = new ContextHandles;
  return *handles;
}

CUresult find_context(CUcontext handle, std::shared_ptr<Context>& context) {
  context = context_handles().find(handle);
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  return context->destroyed ? CUDA_ERROR_CONTEXT_IS_DESTROYED : CUDA_SUCCESS;
}

std::shared_ptr<Context> renewed(std::shared_ptr<Context> context) {
  auto now = context->primary ? context_handles().find(context->handle) : nullptr;
  return now ? now : context;
}

namespace {

std::shared_ptr<Context> make_context(bool primary, unsigned flags) {
  auto context = std::make_shared<Context>(primary, flags);
  context->add_stream(std::make_shared<Stream>(context, CU_STREAM_DEFAULT, least_priority, true));
  return context;
}

/// The primary context keeps one handle for the life of the process, whatever stands behind it.
struct Primary {
  std::mutex mutex;
  std::shared_ptr<Context> context;  ///< null until the first retain
  unsigned users = 0;
  unsigned flags = 0;

  bool active() const { return context && !context->destroyed; }
  void activate() {
    auto made = make_context(true, flags);
    if (context) {
      made->handle = context->handle;
      context_handles().replace(made->handle, made);
    } else {
      made->handle = context_handles().insert(made);
    }
    context = std::move(made);
  }
};

Primary& primary() {
  static Primary* const instance = new Primary;
  return *instance;
}

CUresult create_context(CUcontext* result, unsigned flags, CUdevice device) {
  return with_process([&]() -> CUresult {
    if (result == nullptr || !valid_flags(flags)) return CUDA_ERROR_INVALID_VALUE;
    if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
    auto context = make_context(false, flags);
    context->handle = context_handles().insert(context);
    *result = context->handle;
    thread_state().contexts.push_back(std::move(context));
    return CUDA_SUCCESS;
  });
}

}  // namespace
}  // namespace treadle::cuda_cpu

using namespace treadle::cuda_cpu;

// ---- the primary context

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  return with_process([&]() -> CUresult {
    if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
    const std::lock_guard lock(primary().mutex);
    if (!primary().active()) primary().activate();
    ++primary().users;
    *context = primary().context->handle;
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  return with_process([&]() -> CUresult {
    if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
    const std::lock_guard lock(primary().mutex);
    if (primary().users == 0) return CUDA_ERROR_INVALID_CONTEXT;
    if (--primary().users == 0 && primary().active()) primary().context->destroy();
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxReset(CUdevice device) {
  return with_process([&]() -> CUresult {
    if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
    const std::lock_guard lock(primary().mutex);
    if (!primary().active()) return CUDA_SUCCESS;
    primary().context->destroy();
    // Its holders may go on using it, as a fresh context, and still have to release it.
    if (primary().users > 0) primary().activate();
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
  return with_process([&]() -> CUresult {
    if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
    if (!valid_flags(flags)) return CUDA_ERROR_INVALID_VALUE;
    const std::lock_guard lock(primary().mutex);
    primary().flags = flags;
    if (primary().active()) primary().context->flags = flags;
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  return with_process([&]() -> CUresult {
    if (flags == nullptr || active == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
    const std::lock_guard lock(primary().mutex);
    *flags = primary().flags;
    *active = primary().active() ? 1 : 0;
    return CUDA_SUCCESS;
  });
}

// ---- explicit contexts and the stack of each thread

CUresult cuCtxCreate(CUcontext* context, CUctxCreateParams* parameters, unsigned flags,
                     CUdevice device) {
  // Execution affinity limits a context to some multiprocessors; this device does not offer it.
  if (parameters != nullptr && parameters->numExecAffinityParams > 0)
    return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
  return create_context(context, flags, device);
}
TREADLE_CPU_EXPORT CUresult cuCtxCreate_v2(CUcontext* context, unsigned flags, CUdevice device) {
  return create_context(context, flags, device);
}
TREADLE_CPU_EXPORT CUresult cuCtxCreate_v3(CUcontext* context, CUexecAffinityParam*, int count,
                                           unsigned flags, CUdevice device) {
  return count > 0 ? CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY : create_context(context, flags, device);
}

CUresult cuCtxDestroy(CUcontext handle) {
  return with_process([&]() -> CUresult {
    std::shared_ptr<Context> context;
    if (const CUresult failure = find_context(handle, context); failure != CUDA_SUCCESS)
      return failure;
    if (context->primary || !context_handles().remove(handle)) return CUDA_ERROR_INVALID_CONTEXT;
    context->destroy();
    auto& stack = thread_state().contexts;
    if (!stack.empty() && stack.back() == context) stack.pop_back();
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxPushCurrent(CUcontext handle) {
  return with_process([&]() -> CUresult {
    std::shared_ptr<Context> context;
    if (const CUresult failure = find_context(handle, context); failure != CUDA_SUCCESS)
      return failure;
    thread_state().contexts.push_back(std::move(context));
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxPopCurrent(CUcontext* handle) {
  return with_process([&]() -> CUresult {
    auto& stack = thread_state().contexts;
    if (stack.empty()) return CUDA_ERROR_INVALID_CONTEXT;
    if (handle != nullptr) *handle = stack.back()->handle;
    stack.pop_back();
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxSetCurrent(CUcontext handle) {
  return with_process([&]() -> CUresult {
    auto& stack = thread_state().contexts;
    std::shared_ptr<Context> context;
    if (handle != nullptr)
      if (const CUresult failure = find_context(handle, context); failure != CUDA_SUCCESS)
        return failure;
    if (!stack.empty()) stack.pop_back();
    if (context) stack.push_back(std::move(context));
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetCurrent(CUcontext* handle) {
  return with_process([&]() -> CUresult {
    if (handle == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const auto& stack = thread_state().contexts;
    *handle = stack.empty() ? nullptr : stack.back()->handle;
    return CUDA_SUCCESS;
  });
}

/// Kernel, block and thread of the fault that made a context unusable; for a handle that is not a
/// live context's, null for example, those of the last fault in the process. Never null; "" if
/// there was no fault. The text stays valid as long as the context lives, and at least until the
/// calling thread asks again or ends.
TREADLE_CPU_EXPORT const char* treadleCpuLastFault(CUcontext handle) {
  if (process_forked()) return "";
  const auto context = context_handles().find(handle);
  FaultText& told = thread_state().told_fault;
  if (context) {
    told = context->fault_text();
  } else {
    const std::lock_guard lock(last_fault().mutex);
    told = last_fault().text;
  }
  return told ? told->c_str() : "";
}
