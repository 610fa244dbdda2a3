// SPDX-License-Identifier: MIT
// What OpenCL is asked, and what its devices do then, on its way into the trace.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "process/trace_timeline.hpp"
#include "treadle/opencl/table.hpp"

namespace treadle::opencl {

/// Something that a call asks of a queue.
struct TracedWork {
  std::string name;
  const char* host_category = "";    ///< of the call
  const char* device_category = "";  ///< of what the device does
  cl_command_queue queue = nullptr;
  TraceDetails details = {};
};

/// One for the process; lives as long as it. Any thread. The times of devices are those that queues
/// keep of their commands; a queue that was made elsewhere and keeps none has only those of calls.
class Tracer {
 public:
  /// `real`: the entry points of a loader.
  Tracer(Table real, TraceRecorder& recorder);
  const Table& real() const noexcept { return real_; }

  /// Asks for the work by `call`, which is given the place for its event and returns the answer.
  template <class Call>
  cl_int work(TracedWork what, cl_event* wanted, Call&& call) {
    cl_event event = nullptr;
    const std::int64_t asked = trace_now();
    const cl_int code = call(&event);
    end(std::move(what), code, event, asked);
    if (code == CL_SUCCESS) hand_out(event, wanted);
    return code;
  }
  /// A call that concerns the host only.
  template <class Call>
  auto host_call(const char* name, const char* category, std::uint64_t bytes, Call&& call) {
    TraceSpan span(&recorder_);
    const auto result = call();
    TraceDetails details;
    if (bytes != 0) details.add("bytes", bytes);
    span.end(name, category, details);
    return result;
  }

  std::string kernel_name(cl_kernel kernel) const;
  void forget_queue(cl_command_queue queue);

 private:
  struct Pending {
    cl_event event;
    cl_device_id device;
    DeviceWork work;
  };
  struct DeviceTrace {
    std::unique_ptr<DeviceTimeline> timeline;
    DeviceClock clock;
  };

  void end(TracedWork what, cl_int code, cl_event event, std::int64_t asked);
  void hand_out(cl_event event, cl_event* wanted) const;
  DeviceTrace& device_trace(cl_device_id device);
  bool resolve(Pending& each);
  bool collect();
  bool collect_all();

  const Table real_;
  TraceRecorder& recorder_;
  std::mutex mutex_;
  std::map<cl_device_id, DeviceTrace> devices_;
  std::deque<Pending> pending_;
  std::size_t collect_at_ = 512;  ///< how many pending ones are worth a look
};

}  // namespace treadle::opencl
