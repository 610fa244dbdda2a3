// SPDX-License-Identifier: MIT
#include "device/opencl/event.hpp"

#include <string>
#include <utility>

#include "device/launch_log.hpp"
#include "treadle/base/error.hpp"
#include "treadle/device/device.hpp"
#include "treadle/device/host_wait.hpp"

namespace treadle::device {

void OpenclEvent::synchronize() {
  const opencl::Event event = recorded();
  if (!event) return;
  wait_as_set(
      device(), [&] { return event.is_done(); },
      [&] { naming_launches(device(), [&] { event.wait(); }); });
}

bool OpenclEvent::is_done() {
  const opencl::Event event = recorded();
  return !event || naming_launches(device(), [&] { return event.is_done(); });
}

void OpenclEvent::set(opencl::Event event, std::shared_ptr<const opencl::Queue> unflushed) {
  // What was recorded before ends after the lock.
  const std::lock_guard lock(mutex_);
  std::swap(event_, event);
  std::swap(unflushed_, unflushed);
}

opencl::Event OpenclEvent::recorded_for(const opencl::Queue* queue) const {
  opencl::Event event;
  std::shared_ptr<const opencl::Queue> unflushed;
  {
    const std::lock_guard lock(mutex_);
    event = event_;
    if (unflushed_ != nullptr && (queue == nullptr || !(*unflushed_ == *queue)))
      unflushed = std::exchange(unflushed_, nullptr);
  }
  // Another queue, or a host that polls, would wait for ever for what was never handed over.
  if (unflushed != nullptr) unflushed->flush();
  return event;
}

std::uint64_t OpenclEvent::end_time() const {
  if (timing_ == Timing::off)
    throw InvalidState("an event whose time was asked for takes none", "make it with Timing::on");
  const opencl::Event event = recorded();
  if (!event || !event.is_done())
    throw InvalidState(
        std::string("an event whose time was asked for is not ") + (event ? "done" : "recorded"),
        "synchronize() it first");
  constexpr int profiling_info_not_available = -7;
  try {
    return event.profiling(opencl::ProfilingInfo::end);
  } catch (const DeviceError& error) {
    if (error.code() != profiling_info_not_available) throw;
    throw InvalidState("an event whose time was asked for has none: its queue was made without " +
                           std::string("CL_QUEUE_PROFILING_ENABLE, or it is a user event"),
                       "make the queue with profiling, or use Device::make_stream()");
  }
}

double OpenclEvent::elapsed_seconds(const Event& start) {
  const std::uint64_t to = end_time();
  const std::uint64_t from = static_cast<const OpenclEvent&>(start).end_time();
  return 1e-9 * static_cast<double>(static_cast<std::int64_t>(to - from));
}

}  // namespace treadle::device
