// SPDX-License-Identifier: MIT
// Entry points for streams. A stream is its queue in the scheduler; what stands here is names,
// flags and lifetimes. A destroyed stream's handle is refused at once, but its queued work goes on:
// commands hold the object.
#include "cuda_cpu/runtime/stream.hpp"

#include <algorithm>

#include "cuda_cpu/runtime/capture.hpp"
#include "cuda_cpu/runtime/entry.hpp"
#include "cuda_cpu/runtime/event.hpp"
#include "cuda_cpu/runtime/printing.hpp"
#include "cuda_cpu/runtime/scheduler.hpp"

namespace treadle::cuda_cpu {
namespace {

std::uint64_t next_stream_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

std::shared_ptr<Stream> per_thread_stream(const std::shared_ptr<Context>& context) {
  auto& mine = thread_state().per_thread_streams;
  std::erase_if(mine, [](const auto& stream) { return stream->context->destroyed.load(); });
  for (const auto& stream : mine)
    if (stream->context == context) return stream;
  mine.push_back(std::make_shared<Stream>(context, CU_STREAM_DEFAULT, least_priority, false));
  context->add_stream(mine.back());
  return mine.back();
}

}  // namespace

Stream::Stream(std::shared_ptr<Context> owner, unsigned stream_flags, int stream_priority,
               bool is_legacy)
    : context(std::move(owner)),
      flags(stream_flags),
      priority(stream_priority),
      legacy(is_legacy),
      id(next_stream_id()) {
  CUstreamAttrValue own{};
  own.priority = priority;
  attributes.set(CU_STREAM_ATTRIBUTE_PRIORITY, own);
}

StreamHandles& stream_handles() {
  static StreamHandles* const handles = new StreamHandles;
  return *handles;
}

CUresult resolve_stream(const std::shared_ptr<Context>& context, CUstream handle,
                        std::shared_ptr<Stream>& stream) {
  if (handle == nullptr || handle == CU_STREAM_LEGACY) {
    if (const CUresult failure = refuse_implicit_in_capture(*context); failure != CUDA_SUCCESS)
      return failure;
    stream = context->legacy_stream();
  } else if (handle == CU_STREAM_PER_THREAD) {
    stream = per_thread_stream(context);
  } else {
    stream = stream_handles().find(handle);
  }
  if (!stream) return CUDA_ERROR_INVALID_HANDLE;
  return stream->context == context ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

}  // namespace treadle::cuda_cpu

using namespace treadle::cuda_cpu;

namespace {

/// For calls on a stream: `body(stream)`, the stream belonging to the current context.
template <class Body>
CUresult with_stream(CUstream handle, Body&& body) {
  return with_context([&](const auto& context) -> CUresult {
    std::shared_ptr<Stream> stream;
    const CUresult failure = resolve_stream(context, handle, stream);
    return failure != CUDA_SUCCESS ? failure : body(stream);
  });
}

}  // namespace

CUresult cuStreamCreateWithPriority(CUstream* handle, unsigned flags, int priority) {
  return with_context([&](const auto& context) -> CUresult {
    if (handle == nullptr || (flags & ~static_cast<unsigned>(CU_STREAM_NON_BLOCKING)) != 0)
      return CUDA_ERROR_INVALID_VALUE;
    const int clamped = std::clamp(priority, greatest_priority, least_priority);
    auto stream = std::make_shared<Stream>(context, flags, clamped, false);
    stream->handle = stream_handles().insert(stream);
    *handle = stream->handle;
    context->add_stream(std::move(stream));
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamCreate(CUstream* handle, unsigned flags) {
  return cuStreamCreateWithPriority(handle, flags, least_priority);
}

CUresult cuStreamDestroy(CUstream handle) {
  return with_process([&]() -> CUresult {
    const auto stream = stream_handles().remove(handle);
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    // Queued work goes on and keeps the stream alive; the context lists it until it has drained.
    abandon_capture(*stream);
    stream->abandoned = true;
    stream->context->drop_drained_streams();
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamQuery(CUstream handle) {
  return with_stream(handle, [](const auto& stream) -> CUresult {
    if (const CUresult failure = refuse_captured(*stream); failure != CUDA_SUCCESS) return failure;
    const std::uint64_t submitted = stream->submitted.load(std::memory_order_acquire);
    if (!stream->idle()) return CUDA_ERROR_NOT_READY;
    Scheduler::instance().note_seen(*stream, submitted);
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamSynchronize(CUstream handle) {
  return with_stream(handle, [](const auto& stream) -> CUresult {
    if (const CUresult failure = refuse_captured(*stream); failure != CUDA_SUCCESS) return failure;
    if (!Scheduler::instance().wait_all(*stream, Hook::asked)) return CUDA_ERROR_NOT_READY;
    flush_printed();
    return stream->context->error();
  });
}

CUresult cuStreamWaitEvent(CUstream handle, CUevent event_handle, unsigned flags) {
  return with_stream(handle, [&](const auto& stream) -> CUresult {
    if ((flags & ~static_cast<unsigned>(CU_EVENT_WAIT_EXTERNAL)) != 0)
      return CUDA_ERROR_INVALID_VALUE;
    const auto event = event_handles().find(event_handle);
    if (!event) return CUDA_ERROR_INVALID_HANDLE;
    if (stream->capturing && (flags & CU_EVENT_WAIT_EXTERNAL) != 0) {
      NodeWork work;
      const CUresult failure = describe_wait(event_handle, work);
      return failure != CUDA_SUCCESS ? failure : capture_work(stream, std::move(work));
    }
    if (stream->capturing || event->captured()) return capture_wait(stream, *event);
    if (event->shared != nullptr) {
      const std::uint64_t last = event->shared->last();
      if (!event->shared->is_reached(last))
        Scheduler::instance().submit(std::make_unique<SharedWaitCommand>(event->shared, last),
                                     stream);
      return CUDA_SUCCESS;
    }
    const auto point = event->point();
    if (!point) return CUDA_SUCCESS;
    StreamPoint* const after[] = {point.get()};
    Scheduler::instance().submit(std::make_unique<MarkerCommand>(), stream, after);
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamGetFlags(CUstream handle, unsigned* flags) {
  return with_stream(handle, [&](const auto& stream) -> CUresult {
    if (flags == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *flags = stream->flags;
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamGetPriority(CUstream handle, int* priority) {
  return with_stream(handle, [&](const auto& stream) -> CUresult {
    if (priority == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *priority = stream->priority;
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamGetId(CUstream handle, unsigned long long* id) {
  return with_stream(handle, [&](const auto& stream) -> CUresult {
    if (id == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *id = stream->id;
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamGetDevice(CUstream handle, CUdevice* device) {
  return with_stream(handle, [&](const auto&) -> CUresult {
    if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *device = 0;
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamGetCtx(CUstream handle, CUcontext* context) {
  return with_stream(handle, [&](const auto& stream) -> CUresult {
    if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *context = stream->context->handle;
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamGetCtx_v2(CUstream handle, CUcontext* context, CUgreenCtx* green) {
  if (green != nullptr) *green = nullptr;
  return cuStreamGetCtx(handle, context);
}

CUresult cuStreamAttachMemAsync(CUstream handle, CUdeviceptr, size_t, unsigned) {
  // Managed memory is the host's own: there is nothing to move or to keep apart.
  return with_stream(handle, [](const auto&) -> CUresult { return CUDA_SUCCESS; });
}

CUresult cuLaunchHostFunc(CUstream handle, CUhostFn function, void* data) {
  return with_stream(handle, [&](const auto& stream) -> CUresult {
    if (function == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (stream->capturing) return capture_work(stream, HostWork{function, data});
    Context* const context = stream->context.get();
    Scheduler::instance().submit(std::make_unique<HostCommand>([=] {
                                   if (context->error() == CUDA_SUCCESS)
                                     function(data);  // CUDA does not call it in a failed context
                                 }),
                                 stream);
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamAddCallback(CUstream handle, CUstreamCallback callback, void* data,
                             unsigned flags) {
  return with_stream(handle, [&](const auto& stream) -> CUresult {
    if (callback == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult failure = refuse_captured(*stream); failure != CUDA_SUCCESS) return failure;
    Context* const context = stream->context.get();
    Scheduler::instance().submit(std::make_unique<HostCommand>([=] {
                                   callback(handle, context->error(),
                                            data);  // told of a failure, unlike host functions
                                 }),
                                 stream);
    return CUDA_SUCCESS;
  });
}
