// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/event.hpp"

#include "cuda_cpu/runtime/entry.hpp"
#include "cuda_cpu/runtime/printing.hpp"
#include "cuda_cpu/runtime/scheduler.hpp"

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

}  // namespace

CUresult cuEventCreate(CUevent* handle, unsigned flags) {
  return with_context([&](const auto& context) -> CUresult {
    constexpr unsigned known =
        CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
    if (handle == nullptr || (flags & ~known) != 0) return CUDA_ERROR_INVALID_VALUE;
    if ((flags & CU_EVENT_INTERPROCESS) != 0) return CUDA_ERROR_NOT_SUPPORTED;
    *handle = event_handles().insert(std::make_shared<Event>(context, flags));
    return CUDA_SUCCESS;
  });
}

CUresult cuEventDestroy(CUevent handle) {
  return with_process([&]() -> CUresult {
    return event_handles().remove(handle) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  });
}

CUresult cuEventRecord(CUevent handle, CUstream stream_handle) {
  return with_event(handle, [&](const auto& context, Event& event) -> CUresult {
    std::shared_ptr<Stream> stream;
    if (const CUresult failure = resolve_stream(context, stream_handle, stream);
        failure != CUDA_SUCCESS)
      return failure;
    if (stream->context != event.context) return CUDA_ERROR_INVALID_HANDLE;
    const auto point = std::make_shared<StreamPoint>();
    Scheduler::instance().mark(point, stream);
    event.set_point(point);
    return CUDA_SUCCESS;
  });
}

CUresult cuEventRecordWithFlags(CUevent handle, CUstream stream, unsigned flags) {
  if ((flags & ~static_cast<unsigned>(CU_EVENT_RECORD_EXTERNAL)) != 0)
    return CUDA_ERROR_INVALID_VALUE;
  return cuEventRecord(handle, stream);
}

CUresult cuEventQuery(CUevent handle) {
  return with_event(handle, [&](const auto&, Event& event) -> CUresult {
    const auto point = event.point();
    return !point || point->reached() ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
  });
}

CUresult cuEventSynchronize(CUevent handle) {
  return with_event(handle, [&](const auto&, Event& event) -> CUresult {
    const auto point = event.point();
    if (point && !Scheduler::instance().wait(*point->stream, point->position, Hook::asked))
      return CUDA_ERROR_NOT_READY;
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
