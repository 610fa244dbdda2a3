// SPDX-License-Identifier: MIT
#include "treadle/cuda/stream.hpp"

#include "calls/argument.hpp"
#include "instance.hpp"
#include "interrupt.hpp"
#include "rooms.hpp"
#include "treadle/cuda/event.hpp"

namespace treadle::bindings {

using namespace treadle::cuda;

namespace {

void bind_stream(nb::module_& m) {
  nb::enum_<StreamFlags>(m, "StreamFlags",
                         "CUstream_flags: whether a stream is ordered with the default stream.")
      .value("blocking", StreamFlags::blocking)
      .value("non_blocking", StreamFlags::non_blocking);
  nb::class_<Stream> type(m, "Stream", nb::is_weak_referenceable(),
                          "A queue of work on one device.");
  type.def(nb::init<StreamFlags, int>(), nb::arg("flags") = StreamFlags::blocking,
           nb::arg("priority") = 0)
      .def(
          "synchronize", [](const Stream& self) { wait_for(self); },
          "Waits for the work queued so far; Ctrl-C ends the wait.")
      .def_prop_ro("is_done", &Stream::is_done)
      .def("wait", &Stream::wait, nb::arg("event"),
           "Later work on this stream starts after what `event` recorded; does not block.")
      .def_prop_ro("priority", &Stream::priority)
      .def_prop_ro("flags", &Stream::flags)
      .def_prop_ro("id", &Stream::id, "A number that no other stream of the process ever has.")
      .def_prop_ro("raw",
                   [](const Stream& self) { return reinterpret_cast<std::uintptr_t>(self.raw()); })
      .def("__cuda_stream__", [](const Stream& self) {
        return nb::make_tuple(0, reinterpret_cast<std::uintptr_t>(self.raw()));
      });
  register_stream_type(type,
                       [](PyObject* object) { return StreamRef(instance_of<Stream>(object)); });
}

void bind_event(nb::module_& m) {
  nb::enum_<EventFlags>(m, "EventFlags", "CUevent_flags; combine with |.", nb::is_arithmetic(),
                        nb::is_flag())
      .value("none", EventFlags::none)
      .value("blocking_sync", EventFlags::blocking_sync)
      .value("disable_timing", EventFlags::disable_timing)
      .value("interprocess", EventFlags::interprocess);
  nb::class_<Event>(m, "Event", nb::is_weak_referenceable(),
                    "A mark in a stream, with a time stamp.")
      .def(nb::init<EventFlags>(), nb::arg("flags") = EventFlags::none)
      .def(
          "record",
          [](const Event& self, nb::object stream) { self.record(stream_argument(stream.ptr())); },
          nb::arg("stream") = nb::none(),
          "Marks the work queued on `stream` so far; a second record replaces the first.")
      .def(
          "synchronize", [](const Event& self) { wait_for(self); },
          "Waits for the recorded work; Ctrl-C ends the wait.")
      .def_prop_ro("is_done", &Event::is_done)
      .def("milliseconds_since", &Event::milliseconds_since, nb::arg("start"),
           "Device time from `start` to this event. Both must be done and have timing.")
      .def_prop_ro("raw",
                   [](const Event& self) { return reinterpret_cast<std::uintptr_t>(self.raw()); });
}

}  // namespace

void bind_cuda_stream(nb::module_& m) {
  bind_stream(m);
  bind_event(m);
}

}  // namespace treadle::bindings
