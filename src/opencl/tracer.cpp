// SPDX-License-Identifier: MIT
#include "opencl/tracer.hpp"

#include <algorithm>

namespace treadle::opencl {
namespace {

std::string device_name(const Table& cl, cl_device_id device) {
  char name[256] = "";
  if (cl.clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, nullptr) != CL_SUCCESS)
    name[0] = '\0';
  return "opencl: " + std::string(name);
}

}  // namespace

Tracer::Tracer(Table real, TraceRecorder& recorder) : real_(std::move(real)), recorder_(recorder) {
  recorder.collect_from([this] { return collect_all(); });
}

std::string Tracer::kernel_name(cl_kernel kernel) const {
  char name[1024] = "";
  const cl_int code =
      real_.clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, nullptr);
  return code == CL_SUCCESS ? name : "kernel";
}

void Tracer::forget_queue(cl_command_queue queue) {
  cl_uint references = 0;
  const cl_int code = real_.clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT,
                                                  sizeof references, &references, nullptr);
  if (code != CL_SUCCESS || references > 1) return;
  const std::lock_guard lock(mutex_);
  for (auto& [device, trace] : devices_) trace.timeline->forget_stream(queue);
}

Tracer::DeviceTrace& Tracer::device_trace(cl_device_id device) {
  DeviceTrace& trace = devices_[device];
  if (!trace.timeline)
    trace.timeline = std::make_unique<DeviceTimeline>(recorder_, device_name(real_, device));
  return trace;
}

void Tracer::end(TracedWork what, cl_int code, cl_event event, std::int64_t asked) {
  const std::int64_t returned = trace_now();
  if (code != CL_SUCCESS) what.details.add("error", std::to_string(code));
  DeviceWork work{.name = std::move(what.name), .category = what.device_category, .asked = asked};
  cl_device_id device = nullptr;
  if (real_.clGetCommandQueueInfo(what.queue, CL_QUEUE_DEVICE, sizeof device, &device, nullptr) ==
      CL_SUCCESS) {
    const std::lock_guard lock(mutex_);
    work.stream = device_trace(device).timeline->stream(what.queue);
    what.details.add("stream", DeviceTimeline::stream_name(work.stream));
    if (code == CL_SUCCESS && event != nullptr && real_.clRetainEvent(event) == CL_SUCCESS) {
      work.flow = recorder_.new_flow();
      work.details = what.details;
      pending_.push_back({event, device, work});
      if (pending_.size() >= collect_at_) collect();
    }
  }
  recorder_.add({.name = work.name,
                 .category = what.host_category,
                 .track = recorder_.host_track(),
                 .begin = asked,
                 .end = returned,
                 .details = what.details,
                 .flow = work.flow,
                 .flow_starts = true});
}

void Tracer::hand_out(cl_event event, cl_event* wanted) const {
  if (wanted != nullptr) {
    *wanted = event;
  } else if (event != nullptr) {
    real_.clReleaseEvent(event);
  }
}

bool Tracer::resolve(Pending& each) {
  cl_ulong queued = 0, begin = 0, end = 0;
  const auto ask = [&](cl_profiling_info what, cl_ulong& into) {
    return real_.clGetEventProfilingInfo(each.event, what, sizeof into, &into, nullptr) ==
           CL_SUCCESS;
  };
  if (!ask(CL_PROFILING_COMMAND_QUEUED, queued) || !ask(CL_PROFILING_COMMAND_START, begin) ||
      !ask(CL_PROFILING_COMMAND_END, end))
    return false;
  DeviceTrace& trace = device_trace(each.device);
  trace.clock.learn(each.work.asked, static_cast<std::int64_t>(queued));
  each.work.begin = trace.clock.host_time(static_cast<std::int64_t>(begin));
  each.work.end = trace.clock.host_time(static_cast<std::int64_t>(end));
  trace.timeline->add(each.work);
  return true;
}

bool Tracer::collect() {
  std::deque<Pending> left;
  for (Pending& each : pending_) {
    cl_int status = CL_COMPLETE;
    const cl_int code = real_.clGetEventInfo(each.event, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                             sizeof status, &status, nullptr);
    if (code == CL_SUCCESS && status > CL_COMPLETE) {
      left.push_back(std::move(each));
      continue;
    }
    if (code == CL_SUCCESS && status == CL_COMPLETE) resolve(each);
    real_.clReleaseEvent(each.event);
  }
  pending_ = std::move(left);
  collect_at_ = std::max<std::size_t>(512, 2 * pending_.size());
  return !pending_.empty();
}

bool Tracer::collect_all() {
  const std::lock_guard lock(mutex_);
  if (collect()) return true;
  for (auto& [device, trace] : devices_) trace.timeline->settle();
  return false;
}

}  // namespace treadle::opencl
