// SPDX-License-Identifier: MIT
// Reads wait_for= and event= of calls that queue work: events to wait for, and an event for the
// end.
#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "treadle/device/copy.hpp"
#include "treadle/device/stream.hpp"

namespace treadle::bindings {

namespace nb = nanobind;

/// `wait_for` is None, an Event or an iterable of Events. `event` is None or False for no event,
/// True for a new Event, or an Event that is recorded at the end. Both may be null.
class OrderArguments {
 public:
  /// Throws TypeError. Waits here for events of another run-time, which the stream cannot wait for:
  /// without the GIL, and Ctrl-C ends the wait.
  OrderArguments(device::Stream& stream, nb::handle wait_for, nb::handle event);

  /// Valid as long as this object.
  device::Order get() const noexcept { return {after_, done_}; }
  /// The result of the call: the Event of the end, or None.
  nb::object result() const { return event_; }

 private:
  void add(device::Stream& stream, PyObject* event);

  nb::object keep_;  // the events of `wait_for`
  std::vector<const device::Event*> after_;
  nb::object event_ = nb::none();
  device::Event* done_ = nullptr;
};

}  // namespace treadle::bindings
