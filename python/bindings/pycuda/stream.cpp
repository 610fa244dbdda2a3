// SPDX-License-Identifier: MIT
#include "calls/bindings_handle.hpp"
#include "instance.hpp"
#include "interrupt.hpp"
#include "pycuda/classes.hpp"
#include "pycuda/ipc.hpp"
#include "rooms.hpp"

namespace treadle::bindings {

using face::Event;
using face::Stream;

namespace {

unsigned flag_bits(nb::handle flags) {
  return static_cast<unsigned>(unsigned_argument(flags.ptr(), "flags", 0xFFFFFFFFu));
}

void bind_stream(nb::module_& m) {
  auto type = nb::class_<Stream>(m, "Stream", nb::dynamic_attr(), nb::is_weak_referenceable(),
                                 "A queue of work; with flags=0 in order with the default stream.");
  type.def("__init__", pycuda([](Stream* self, nb::object flags) {
             const auto bits = static_cast<cuda::StreamFlags>(flag_bits(flags));
             new (self) Stream{cuda::Stream(face::current_context(), bits)};
           }),
           nb::arg("flags") = 0)
      .def("synchronize", pycuda([](const Stream& self) {
             face::queue_deferred();
             wait_for(self.stream);
           }),
           "Blocks until all work queued so far is done.")
      .def("is_done", pycuda([](const Stream& self) { return self.stream.is_done(); }),
           "Whether all work queued so far is done; does not block.")
      .def("wait_for_event",
           pycuda([](const Stream& self, const Event& event) { self.stream.wait(event.event); }),
           nb::arg("evt"),
           "Later work on this stream starts after what the event recorded; does not block.")
      .def("__cuda_stream__",
           [](const Stream& self) {
             return nb::make_tuple(0, reinterpret_cast<std::uintptr_t>(self.stream.raw()));
           })
      .def_prop_ro("handle", [](const Stream& self) {
        return reinterpret_cast<std::uintptr_t>(self.stream.raw());
      });
  make_integer<Stream>(type, "CUstream", [](const Stream& self) { return self.stream.raw(); });
  register_stream_type(
      type, [](PyObject* object) { return cuda::StreamRef(instance_of<Stream>(object).stream); });
}

void bind_event(nb::module_& m) {
  auto type = nb::class_<Event>(m, "Event", nb::dynamic_attr(), nb::is_weak_referenceable(),
                                "A mark in a stream, with a time stamp.");
  make_integer<Event>(type, "CUevent", [](const Event& self) { return self.event.raw(); });
  type.def("__init__", pycuda([](Event* self, nb::object flags) {
             const auto bits = static_cast<cuda::EventFlags>(flag_bits(flags));
             new (self) Event{cuda::Event(face::current_context(), bits)};
           }),
           nb::arg("flags") = 0)
      .def("record", pycuda([](nb::object self, nb::object stream) {
             face::queue_deferred();
             nb::cast<const Event&>(self).event.record(stream_argument(stream.ptr()));
             return self;
           }),
           nb::arg("stream") = nb::none(),
           nb::sig("def record(self, stream: Stream | int | None = None) -> Event"),
           "Marks the work queued on `stream` so far; returns the event.")
      .def("synchronize", pycuda([](nb::object self) {
             wait_for(nb::cast<const Event&>(self).event);
             return self;
           }),
           nb::sig("def synchronize(self) -> Event"),
           "Blocks until the recorded work is done; returns the event.")
      .def("query", pycuda([](const Event& self) { return self.event.is_done(); }),
           "Whether the recorded work is done; does not block.")
      .def("time_since", pycuda([](const Event& self, const Event& start) {
             return self.event.milliseconds_since(start.event);
           }),
           nb::arg("start"), "Milliseconds from the other event to this one. Both must be done.")
      .def("time_till", pycuda([](const Event& self, const Event& end) {
             return end.event.milliseconds_since(self.event);
           }),
           nb::arg("end"), "Milliseconds from this event to the other one. Both must be done.")
      .def("ipc_handle", pycuda([](const Event& self) { return face::event_ipc_handle(self); }),
           nb::sig("def ipc_handle(self) -> bytearray"),
           "64 bytes for another process, of an event with INTERPROCESS and DISABLE_TIMING.")
      .def_static("from_ipc_handle",
                  pycuda([](nb::object handle) { return face::event_from_ipc_handle(handle); }),
                  nb::arg("handle"), "Another process's event.");
}

}  // namespace

void bind_pycuda_stream(nb::module_& m) {
  // Stream comes first: its methods name Event, which nanobind looks up only when they are called.
  bind_stream(m);
  bind_event(m);
}

}  // namespace treadle::bindings
