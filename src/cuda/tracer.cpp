// SPDX-License-Identifier: MIT
#include "cuda/tracer.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "cuda/kernel_names.hpp"

namespace treadle::cuda {
namespace {

/// Lets the calling thread ask for events while some stream is captured: a query would end the
/// capture otherwise.
class AmongCaptures {
 public:
  explicit AmongCaptures(const Table& cu) : cu_(cu) { exchange(); }
  ~AmongCaptures() { exchange(); }
  AmongCaptures(const AmongCaptures&) = delete;
  AmongCaptures& operator=(const AmongCaptures&) = delete;

 private:
  void exchange() { cu_.cuThreadExchangeStreamCaptureMode(&mode_); }
  const Table& cu_;
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

bool is_captured(const Table& cu, CUstream stream) {
  if (!is_present(cu.cuStreamIsCapturing)) return false;
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return cu.cuStreamIsCapturing(stream, &status) != CUDA_SUCCESS ||
         status != CU_STREAM_CAPTURE_STATUS_NONE;
}

std::string device_name(const Table& cu, CUdevice device) {
  char name[256] = "";
  if (cu.cuDeviceGetName(name, sizeof name, device) != CUDA_SUCCESS) name[0] = '\0';
  if (cu.provider == Provider::cpu) return "cpu: " + std::string(name);
  return "cuda:" + std::to_string(device) + ": " + name;
}

}  // namespace

Tracer::Tracer(Table real, TraceRecorder& recorder) : real_(std::move(real)), recorder_(recorder) {
  recorder.collect_from([this] { return collect_all(); });
}

void Tracer::add_error(TraceDetails& details, CUresult code) {
  if (code != CUDA_SUCCESS) details.add("error", static_cast<std::uint64_t>(code));
}

void Tracer::name_function(CUfunction function, const std::string& symbol) {
  std::string name = kernel_name(demangle(symbol));
  const std::lock_guard lock(mutex_);
  names_[function] = std::move(name);
}

void Tracer::copy_name(CUfunction to, CUkernel from) {
  const std::lock_guard lock(mutex_);
  const auto found = names_.find(from);
  if (found != names_.end()) names_[to] = found->second;
}

std::string Tracer::function_name(CUfunction function) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = names_.find(function);
    if (found != names_.end()) return found->second;
  }
  const char* symbol = nullptr;
  if (real_.cuFuncGetName(&symbol, function) != CUDA_SUCCESS || symbol == nullptr) return "kernel";
  name_function(function, symbol);
  return kernel_name(demangle(symbol));
}

void Tracer::forget_stream(CUstream stream) {
  const std::lock_guard lock(mutex_);
  for (auto& [device, timeline] : timelines_) timeline->forget_stream(stream);
}

DeviceTimeline& Tracer::timeline(CUdevice device) {
  auto& made = timelines_[device];
  if (!made) made = std::make_unique<DeviceTimeline>(recorder_, device_name(real_, device));
  return *made;
}

CUevent Tracer::record(ContextTrace& in, CUstream stream) {
  CUevent event = nullptr;
  if (!in.unused.empty()) {
    event = in.unused.back();
    in.unused.pop_back();
  } else if (real_.cuEventCreate(&event, CU_EVENT_DEFAULT) != CUDA_SUCCESS) {
    return nullptr;
  }
  if (real_.cuEventRecord(event, stream) == CUDA_SUCCESS) return event;
  in.unused.push_back(event);
  return nullptr;
}

Tracer::ContextTrace* Tracer::context_trace(CUcontext context, CUstream stream) {
  const auto found = contexts_.find(context);
  if (found != contexts_.end()) return &found->second;
  ContextTrace made;
  if (real_.cuCtxGetDevice(&made.device) != CUDA_SUCCESS) return nullptr;
  const std::int64_t before = trace_now();
  made.base = record(made, stream);
  if (made.base == nullptr) return nullptr;
  made.clock.learn(before, 0);
  return &contexts_.emplace(context, std::move(made)).first->second;
}

Tracer::Start Tracer::begin(CUstream stream) {
  Start start;
  if (real_.cuCtxGetCurrent(&start.context) != CUDA_SUCCESS || start.context == nullptr ||
      is_captured(real_, stream))
    return start;
  const std::lock_guard lock(mutex_);
  ContextTrace* const trace = context_trace(start.context, stream);
  if (trace == nullptr) return start;
  start.recorded = trace_now();
  start.event = record(*trace, stream);
  return start;
}

void Tracer::end(const Start& start, TracedWork what, CUresult code, std::int64_t asked) {
  const std::int64_t returned = trace_now();
  const bool is_timed = start.event != nullptr && code == CUDA_SUCCESS;
  DeviceWork work{.name = std::move(what.name), .category = what.device_category, .asked = asked};
  add_error(what.details, code);
  {
    const std::lock_guard lock(mutex_);
    const auto found = contexts_.find(start.context);
    if (found != contexts_.end()) {
      ContextTrace& trace = found->second;
      work.stream = timeline(trace.device).stream(what.stream);
      what.details.add("stream", DeviceTimeline::stream_name(work.stream));
      CUevent ended = is_timed ? record(trace, what.stream) : nullptr;
      if (ended != nullptr) {
        work.flow = recorder_.new_flow();
        work.details = what.details;
        trace.pending.push_back({start.event, ended, start.recorded, work});
        if (trace.pending.size() >= trace.collect_at) collect(trace);
      } else if (start.event != nullptr) {
        trace.unused.push_back(start.event);
      }
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

double Tracer::milliseconds(CUevent from, CUevent to, bool& known) const {
  const auto elapsed =
      is_present(real_.cuEventElapsedTime) ? real_.cuEventElapsedTime : real_.cuEventElapsedTime_v1;
  float value = 0;
  known = elapsed(&value, from, to) == CUDA_SUCCESS && known;
  return value;
}

bool Tracer::resolve(ContextTrace& of, Pending& done) {
  bool known = true;
  const double start = milliseconds(of.base, done.start, known);
  const double end = milliseconds(of.base, done.end, known);
  if (!known) return false;
  const std::int64_t begin = of.base_time + static_cast<std::int64_t>(1e6 * start);
  of.clock.learn(done.recorded, begin);
  done.work.begin = of.clock.host_time(begin);
  done.work.end = of.clock.host_time(of.base_time + static_cast<std::int64_t>(1e6 * end));
  timeline(of.device).add(done.work);
  // Milliseconds come as floats: over a second they are exact to 0.1 us, over an hour they are not.
  if (start > 1000) {
    of.base_time = begin;
    std::swap(of.base, done.start);
  }
  return true;
}

void Tracer::collect(ContextTrace& from) {
  const AmongCaptures relaxed(real_);
  std::deque<Pending> left;
  for (Pending& each : from.pending) {
    const CUresult code = real_.cuEventQuery(each.end);
    if (code == CUDA_ERROR_NOT_READY) {
      left.push_back(std::move(each));
      continue;
    }
    if (code == CUDA_SUCCESS) resolve(from, each);
    from.unused.push_back(each.start);
    from.unused.push_back(each.end);
  }
  from.pending = std::move(left);
  from.collect_at = std::max<std::size_t>(512, 2 * from.pending.size());
}

bool Tracer::collect_in(CUcontext context, ContextTrace& trace) {
  if (real_.cuCtxPushCurrent(context) != CUDA_SUCCESS) {
    trace.pending.clear();
    return false;
  }
  collect(trace);
  CUcontext popped = nullptr;
  real_.cuCtxPopCurrent(&popped);
  return !trace.pending.empty();
}

bool Tracer::collect_all() {
  const std::lock_guard lock(mutex_);
  bool is_more = false;
  for (auto& [context, trace] : contexts_) is_more = collect_in(context, trace) || is_more;
  if (!is_more)
    for (auto& [device, timeline] : timelines_) timeline->settle();
  return is_more;
}

void Tracer::end_context(CUcontext context) {
  const std::int64_t latest = trace_now() + 1'000'000'000;
  for (;; std::this_thread::sleep_for(std::chrono::microseconds(200))) {
    const std::lock_guard lock(mutex_);
    const auto found = contexts_.find(context);
    if (found == contexts_.end()) return;
    if (collect_in(context, found->second) && trace_now() < latest) continue;
    drop_events(context, found->second);
    contexts_.erase(found);
    return;
  }
}

void Tracer::drop_events(CUcontext context, ContextTrace& trace) {
  // Who releases a context may not be the last to hold it.
  if (real_.cuCtxPushCurrent(context) != CUDA_SUCCESS) return;
  for (CUevent event : trace.unused) real_.cuEventDestroy(event);
  real_.cuEventDestroy(trace.base);
  CUcontext popped = nullptr;
  real_.cuCtxPopCurrent(&popped);
}

void Tracer::end_contexts_of(CUdevice device) {
  std::vector<CUcontext> ending;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [context, trace] : contexts_)
      if (trace.device == device) ending.push_back(context);
  }
  for (CUcontext context : ending) end_context(context);
}

}  // namespace treadle::cuda
