// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/event.hpp"

#include "cuda_cpu/runtime/capture.hpp"
#include "cuda_cpu/runtime/entry.hpp"
#include "cuda_cpu/runtime/printing.hpp"
#include "cuda_cpu/runtime/scheduler.hpp"
#include "cuda_cpu/runtime/stop_signal.hpp"
#include "cuda_cpu/runtime/wait_hook.hpp"

namespace treadle::cuda_cpu {

EventHandles& event_handles() {
  static EventHandles* const handles = new EventHandles;
  return *handles;
}

}  // namespace treadle::cuda_cpu

using namespace treadle::cuda_cpu;

namespace {

/// Events work from any context of their device; the current one only has to be alive.
template <class Body>
CUresult with_event(CUevent handle, Body&& body) {
  return with_context([&](const auto& context) -> CUresult {
    const auto event = event_handles().find(handle);
    return event ? body(context, *event) : CUDA_ERROR_INVALID_HANDLE;
  });
}

/// For what other processes have recorded; false if the wait hook ends the wait.
bool wait_for_others(const Event& event) {
  const std::uint64_t last = event.shared->last();
  while (!event.shared->wait(last, wait_hook_interval_nanoseconds)) {
    const WaitHook hook = wait_hook();
    const int answer = hook == nullptr ? 0 : hook();
    if (answer == end_work_answer) end_work(*event.context);
    if (answer != 0) return false;
  }
  return true;
}

}  // namespace

CUresult cuEventCreate(CUevent* handle, unsigned flags) {
  return with_context([&](const auto& context) -> CUresult {
    constexpr unsigned known =
        CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
    if (handle == nullptr || (flags & ~known) != 0) return CUDA_ERROR_INVALID_VALUE;
    std::shared_ptr<SharedMark> shared;
    if ((flags & CU_EVENT_INTERPROCESS) != 0) {
      if ((flags & CU_EVENT_DISABLE_TIMING) == 0) return CUDA_ERROR_INVALID_VALUE;
      shared = SharedMark::make();
      if (shared == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *handle = event_handles().insert(std::make_shared<Event>(context, flags, std::move(shared)));
    return CUDA_SUCCESS;
  });
}

CUresult cuEventDestroy(CUevent handle) {
  return with_process([&]() -> CUresult {
    return event_handles().remove(handle) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  });
}

CUresult cuEventRecordWithFlags(CUevent handle, CUstream stream_handle, unsigned flags) {
  if ((flags & ~static_cast<unsigned>(CU_EVENT_RECORD_EXTERNAL)) != 0)
    return CUDA_ERROR_INVALID_VALUE;
  return with_context([&](const auto& context) -> CUresult {
    const auto event = event_handles().find(handle);
    if (!event) return CUDA_ERROR_INVALID_HANDLE;
    std::shared_ptr<Stream> stream;
    if (const CUresult failure = resolve_stream(context, stream_handle, stream);
        failure != CUDA_SUCCESS)
      return failure;
    if (stream->context != event->context) return CUDA_ERROR_INVALID_HANDLE;
    if (stream->capturing && flags != CU_EVENT_RECORD_EXTERNAL)
      return capture_record(stream, *event);
    if (stream->capturing) {
      NodeWork work;
      const CUresult failure = describe_record(handle, work);
      return failure != CUDA_SUCCESS ? failure : capture_work(stream, std::move(work));
    }
    const auto point = std::make_shared<StreamPoint>();
    if (event->shared != nullptr) {
      point->shared = event->shared;
      point->shared_number = event->shared->record();
    }
    Scheduler::instance().mark(point, stream);
    event->set_point(point);
    return CUDA_SUCCESS;
  });
}

CUresult cuEventRecord(CUevent handle, CUstream stream) {
  return cuEventRecordWithFlags(handle, stream, CU_EVENT_RECORD_DEFAULT);
}

CUresult cuEventQuery(CUevent handle) {
  return with_event(handle, [&](const auto&, Event& event) -> CUresult {
    if (event.captured()) return CUDA_ERROR_CAPTURED_EVENT;
    if (event.shared != nullptr)
      return event.shared->is_reached(event.shared->last()) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
    const auto point = event.point();
    if (point && !point->reached()) return CUDA_ERROR_NOT_READY;
    if (point) Scheduler::instance().note_seen(*point->stream, point->position);
    return CUDA_SUCCESS;
  });
}

CUresult cuEventSynchronize(CUevent handle) {
  return with_event(handle, [&](const auto&, Event& event) -> CUresult {
    if (event.captured()) return CUDA_ERROR_CAPTURED_EVENT;
    const auto point = event.point();
    if (point && !Scheduler::instance().wait(*point->stream, point->position, Hook::asked))
      return CUDA_ERROR_NOT_READY;
    if (event.shared != nullptr && !wait_for_others(event)) return CUDA_ERROR_NOT_READY;
    flush_printed();
    return event.context->error();
  });
}

CUresult cuEventElapsedTime(float* milliseconds, CUevent start_handle, CUevent end_handle) {
  return with_context([&](const auto&) -> CUresult {
    if (milliseconds == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const auto start = event_handles().find(start_handle), end = event_handles().find(end_handle);
    if (!start || !end || !start->timed() || !end->timed()) return CUDA_ERROR_INVALID_HANDLE;
    const auto from = start->point(), to = end->point();
    if (!from || !to) return CUDA_ERROR_INVALID_HANDLE;
    if (!from->reached() || !to->reached()) return CUDA_ERROR_NOT_READY;
    *milliseconds =
        static_cast<float>(static_cast<double>(to->nanoseconds - from->nanoseconds) * 1e-6);
    return CUDA_SUCCESS;
  });
}

// Programs built before CUDA 12.8 ask for this name; the two differ only in code that is out of
// date.
#undef cuEventElapsedTime
TREADLE_CPU_EXPORT CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  return cuEventElapsedTime_v2(milliseconds, start, end);
}
