// SPDX-License-Identifier: MIT
// wait_for= and event= of the calls that queue work: events to wait for, and one for the end.
#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "treadle/device/copy.hpp"
#include "treadle/device/stream.hpp"

namespace treadle::bindings {

namespace nb = nanobind;

/// `wait_for` is None, an Event or an iterable of Events; `event` is None or False (the end is of
/// no interest), True (in a new Event) or an Event to record the end in. Both may be null.
class OrderArguments {
 public:
  /// Throws TypeError. Waits here for events that the stream cannot wait for itself, those of
  /// another run-time: without the GIL, and so that Ctrl-C ends the wait.
  OrderArguments(device::Stream& stream, nb::handle wait_for, nb::handle event);

  /// Valid as long as this.
  device::Order get() const noexcept { return {after_, done_}; }
  /// What the call returns: the Event of the end, or None.
  nb::object result() const { return event_; }

 private:
  void add(device::Stream& stream, PyObject* event);

  nb::object keep_;  // the events of `wait_for`
  std::vector<const device::Event*> after_;
  nb::object event_ = nb::none();
  device::Event* done_ = nullptr;
};

}  // namespace treadle::bindings
