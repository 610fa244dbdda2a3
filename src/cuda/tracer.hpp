// SPDX-License-Identifier: MIT
// What one driver is asked, and what its devices do then, on its way into the trace.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "process/trace_timeline.hpp"
#include "treadle/cuda/table.hpp"

namespace treadle::cuda {

/// Something that a call asks of a stream.
struct TracedWork {
  std::string name;
  const char* host_category = "";    ///< of the call
  const char* device_category = "";  ///< of what the device does
  CUstream stream = nullptr;
  TraceDetails details = {};
};

/// One for each driver that is traced; lives as long as the process. Any thread. The times of
/// devices are those between two events in the stream, around the work.
class Tracer {
 public:
  /// `real`: the driver's own entry points.
  Tracer(Table real, TraceRecorder& recorder);
  const Table& real() const noexcept { return real_; }

  /// Asks for the work by `call`, which returns the driver's answer.
  template <class Call>
  CUresult work(TracedWork what, Call&& call) {
    const Start start = begin(what.stream);
    const std::int64_t asked = trace_now();
    const CUresult code = call();
    end(start, std::move(what), code, asked);
    return code;
  }
  /// A call that concerns the host only.
  template <class Call>
  CUresult host_call(const char* name, const char* category, std::uint64_t bytes, Call&& call) {
    TraceSpan span(&recorder_);
    const CUresult code = call();
    TraceDetails details;
    if (bytes != 0) details.add("bytes", bytes);
    add_error(details, code);
    span.end(name, category, details);
    return code;
  }

  void name_function(CUfunction function, const std::string& symbol);
  /// As C++ spells it, without parameters.
  std::string function_name(CUfunction function);
  void copy_name(CUfunction to, CUkernel from);
  void forget_stream(CUstream stream);
  /// Waits for the work of contexts that are about to end, as collect() does.
  void end_context(CUcontext context);
  void end_contexts_of(CUdevice device);

 private:
  struct Pending {
    CUevent start, end;
    std::int64_t recorded;  ///< before `start` was
    DeviceWork work;
  };
  struct ContextTrace {
    CUdevice device = 0;
    CUevent base = nullptr;      ///< what times are measured from
    std::int64_t base_time = 0;  ///< nanoseconds after the first base
    DeviceClock clock;
    std::vector<CUevent> unused;
    std::deque<Pending> pending;
    std::size_t collect_at = 512;  ///< how many pending ones are worth a look
  };
  struct Start {
    CUcontext context = nullptr;
    CUevent event = nullptr;  ///< null: no time of the device
    std::int64_t recorded = 0;
  };

  Start begin(CUstream stream);
  void end(const Start& start, TracedWork what, CUresult code, std::int64_t asked);
  static void add_error(TraceDetails& details, CUresult code);
  ContextTrace* context_trace(CUcontext context, CUstream stream);
  DeviceTimeline& timeline(CUdevice device);
  CUevent record(ContextTrace& in, CUstream stream);
  void collect(ContextTrace& from);
  bool resolve(ContextTrace& of, Pending& done);
  bool collect_all();
  bool collect_in(CUcontext context, ContextTrace& trace);
  void drop_events(CUcontext context, ContextTrace& trace);
  double milliseconds(CUevent from, CUevent to, bool& known) const;

  const Table real_;
  TraceRecorder& recorder_;
  std::mutex mutex_;
  std::map<CUcontext, ContextTrace> contexts_;
  std::map<CUdevice, std::unique_ptr<DeviceTimeline>> timelines_;
  std::map<const void*, std::string> names_;  ///< of CUfunction and CUkernel
};

}  // namespace treadle::cuda
