// SPDX-License-Identifier: MIT
#include "treadle/opencl/event.hpp"

#include <memory>
#include <string>

#include "opencl/callback.hpp"
#include "opencl/query.hpp"

namespace treadle::opencl {
namespace {

/// "NDRANGE_KERNEL ended with CL_OUT_OF_RESOURCES" for the first that failed.
std::string describe_failure(std::span<const Event> events) {
  for (const Event& event : events) {
    cl_int status = 0;
    cl_uint type = 0;
    const Table& cl = event.table();
    if (cl.clGetEventInfo(event.raw(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status,
                          nullptr) != CL_SUCCESS ||
        status >= 0)
      continue;
    if (cl.clGetEventInfo(event.raw(), CL_EVENT_COMMAND_TYPE, sizeof type, &type, nullptr) !=
        CL_SUCCESS)
      type = 0;
    const std::string_view name = enum_name("command_type", type);
    return "the command " + (name.empty() ? std::to_string(type) : std::string(name)) +
           " ended with " + error_name(status);
  }
  return "waiting for " + std::to_string(events.size()) + " event(s)";
}

void wait_for_all(std::span<const Event> events) {
  const Table& cl = events.front().table();
  const WaitList list(events);
  const int code = cl.clWaitForEvents(list.size(), list.data());
  check(cl, code, "clWaitForEvents", [&] { return describe_failure(events); });
  // NVIDIA's waits succeed although an event failed; the standard, and every caller, wants an
  // error.
  for (const Event& event : events)
    if (event.status() < 0)
      raise(cl, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "clWaitForEvents",
            describe_failure(events));
}

using Callback = std::function<void(int)>;

void CL_CALLBACK call_once(RawEvent, cl_int status, void* user) {
  const std::unique_ptr<Callback> callback(static_cast<Callback*>(user));
  call_safely("an OpenCL event's callback", *callback, static_cast<int>(status));
}

}  // namespace

InfoValue Event::info(EventInfo parameter) const {
  return query_object(table(), "clGetEventInfo", table().clGetEventInfo, raw(), parameter);
}

void Event::wait() const { wait_for_all(std::span(this, 1)); }

bool Event::is_done() const { return status() <= 0; }

int Event::status() const {
  return ask_value<cl_int>(table(), "clGetEventInfo", table().clGetEventInfo, raw(),
                           CL_EVENT_COMMAND_EXECUTION_STATUS);
}

std::uint64_t Event::profiling(ProfilingInfo parameter) const {
  cl_ulong nanoseconds = 0;
  check(table(),
        table().clGetEventProfilingInfo(raw(), static_cast<cl_uint>(parameter), sizeof nanoseconds,
                                        &nanoseconds, nullptr),
        "clGetEventProfilingInfo",
        [] { return "the queue must have profiling_enable, and the command must be done"; });
  return nanoseconds;
}

void Event::set_callback(CommandExecutionStatus status, std::function<void(int)> callback) const {
  auto owned = std::make_unique<Callback>(std::move(callback));
  check(table(),
        table().clSetEventCallback(raw(), static_cast<cl_int>(status), &call_once, owned.get()),
        "clSetEventCallback");
  // From here on call_once owns it, and may have deleted it already.
  static_cast<void>(owned.release());
}

namespace {

Event create_user_event(const Context& context) {
  const Table& cl = context.table();
  cl_int code = CL_SUCCESS;
  const RawEvent raw = cl.clCreateUserEvent(context.raw(), &code);
  check(cl, code, "clCreateUserEvent");
  return {context.shared_table(), raw, Ownership::adopt};
}

}  // namespace

UserEvent::UserEvent(const Context& context) : Event(create_user_event(context)) {}

void UserEvent::set_status(int status) const {
  constexpr const char* call = "clSetUserEventStatus";
  const auto describe = [&] {
    return "to " + std::to_string(status) + ": it must be 0 or negative, and can be set once";
  };
  // NVIDIA's driver lets a second status replace the first.
  if (is_done()) raise(table(), CL_INVALID_OPERATION, call, describe());
  check(table(), table().clSetUserEventStatus(raw(), status), call, describe);
}

void wait_for(std::span<const Event> events) {
  if (events.empty()) throw InvalidArgument("there is no event to wait for", "give one or more");
  wait_for_all(events);
}

}  // namespace treadle::opencl
