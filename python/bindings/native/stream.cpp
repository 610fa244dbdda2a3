// SPDX-License-Identifier: MIT
// Streams and events of any device.
#include "treadle/device/stream.hpp"
#include "treadle/device/host_wait.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>

#include "errors.hpp"
#include "foreign_gil.hpp"
#include "gil_door.hpp"
#include "instance.hpp"
#include "interrupt.hpp"
#include "left_uses.hpp"
#include "native/device.hpp"
#include "native/host_array.hpp"
#include "native/host_calls.hpp"
#include "native/order.hpp"
#include "treadle/base/error.hpp"
#include "treadle/device/cuda.hpp"
#include "treadle/device/current.hpp"
#include "treadle/device/deferred.hpp"
#include "treadle/device/device.hpp"
#include "treadle/device/opencl.hpp"
#include "treadle/opencl/event.hpp"

namespace treadle::bindings {

using namespace treadle::device;
using memory::Buffer;

namespace {

PyTypeObject *stream_type, *event_type;  // set while the module is imported

void leave(const std::shared_ptr<Stream>& self) {
  if (current_stream() != self)
    throw InvalidState("a stream that is not current on this thread cannot be left",
                       "leave with blocks on their own thread, in the reverse order");
  pop_current();
}

/// Copies between two devices. A copy through the host waits for the stream, and Ctrl-C ends this
/// wait.
void copy_between(Stream& stream, const Buffer& to, const Buffer& from, const Order& order) {
  Device &destination = to.device(), &source = from.device();
  if (destination.event_domain() != source.event_domain()) wait_for(stream);
  const nb::gil_scoped_release released;
  if (&stream.device() == &source)
    stream.copy_to_peer(destination, to, from, from.size_bytes(), order);
  else
    stream.copy_from_peer(to, source, from, from.size_bytes(), order);
}

nb::object copy(Stream& self, const Buffer& destination, const Buffer& source, nb::handle wait_for,
                nb::handle event) {
  if (destination.size_bytes() < source.size_bytes())
    throw InvalidArgument("the source of a copy has " + std::to_string(source.size_bytes()) +
                          " bytes, the destination only " +
                          std::to_string(destination.size_bytes()));
  const OrderArguments order(self, wait_for, event);
  if (&destination.device() == &source.device())
    self.copy(destination, source, source.size_bytes(), order.get());
  else
    copy_between(self, destination, source, order.get());
  return order.result();
}

nb::object copy_host(Stream& self, const Buffer& buffer, nb::handle host, HostArray::Access access,
                     const OrderArguments& order) {
  HostCopy copy(host, access);
  copy.queue(self, buffer, order.get());
  copy.keep(self);
  return order.result();
}

nb::object queue_fill(Stream& self, const Buffer& buffer, nb::handle pattern, nb::handle wait_for,
                      nb::handle event) {
  const HostArray bytes(pattern, HostArray::Access::read);
  if (!bytes.is_contiguous())
    throw InvalidArgument("a fill pattern with strides", "pass a NumPy scalar");
  const std::size_t size = std::max<std::size_t>(bytes.size_bytes(), 1);
  if (buffer.size_bytes() % size != 0)
    throw InvalidArgument("a buffer of " + std::to_string(buffer.size_bytes()) +
                              " bytes is no multiple of the fill pattern of " +
                              std::to_string(size),
                          "fill a part of it: buffer[:size]");
  const OrderArguments order(self, wait_for, event);
  self.fill(buffer, bytes.span(), buffer.size_bytes() / size, order.get());
  return order.result();
}

/// The stream's handle in cuda.core's protocol.
nb::tuple cuda_stream_protocol(const Stream& self) {
  if (cuda_context(self.device()) == nullptr)
    throw NotSupported("a stream of " + self.device().info().id + " is none of CUDA's",
                       "Stream.raw is the handle of every run-time");
  return nb::make_tuple(0, self.raw());
}

void bind_copies(nb::class_<Stream>& type) {
  type.def("copy", &copy, nb::arg("destination"), nb::arg("source"), nb::kw_only(),
           nb::arg("wait_for") = nb::none(), nb::arg("event") = nb::none(),
           nb::sig("def copy(self, destination: Buffer, source: Buffer, *, wait_for: Event | "
                   "collections.abc.Iterable[Event] | None = None, event: Event | bool | None = "
                   "None) -> Event | "
                   "None"),
           "Queues copying a whole buffer to the start of another, of this device or of two.")
      .def(
          "copy_in",
          [](Stream& self, const Buffer& destination, nb::object source, nb::object wait_for,
             nb::object event) {
            return copy_host(self, destination, source, HostArray::Access::read,
                             OrderArguments(self, wait_for, event));
          },
          nb::arg("destination"), nb::arg("source"), nb::kw_only(),
          nb::arg("wait_for") = nb::none(), nb::arg("event") = nb::none(),
          nb::sig("def copy_in(self, destination: Buffer, source: Buffer | object, *, wait_for: "
                  "Event | collections.abc.Iterable[Event] | None = None, event: Event | bool | "
                  "None = None) -> "
                  "Event | None"),
          "Queues copying an array of the host to the start of a buffer. One with strides arrives "
          "without gaps, in C order. It is kept, and must not change, until the copy is over.")
      .def(
          "copy_out",
          [](Stream& self, nb::object destination, const Buffer& source, nb::object wait_for,
             nb::object event) {
            return copy_host(self, source, destination, HostArray::Access::write,
                             OrderArguments(self, wait_for, event));
          },
          nb::arg("destination"), nb::arg("source"), nb::kw_only(),
          nb::arg("wait_for") = nb::none(), nb::arg("event") = nb::none(),
          nb::sig("def copy_out(self, destination: Buffer | object, source: Buffer, *, wait_for: "
                  "Event | collections.abc.Iterable[Event] | None = None, event: Event | bool | "
                  "None = None) -> "
                  "Event | None"),
          "The same, the other way: fills an array of the host from the start of a buffer.")
      .def("fill", &queue_fill, nb::arg("buffer"), nb::arg("pattern"), nb::kw_only(),
           nb::arg("wait_for") = nb::none(), nb::arg("event") = nb::none(),
           nb::sig("def fill(self, buffer: Buffer, pattern: object, *, wait_for: Event | "
                   "collections.abc.Iterable[Event] | None = None, event: Event | bool | None = "
                   "None) -> Event | "
                   "None"),
           "Queues filling a buffer with the bytes of a NumPy scalar: 1, 2, 4, 8 or 16, of which "
           "its size is a multiple.");
}

void bind_waits(nb::class_<Stream>& type) {
  type.def(
          "synchronize",
          [](Stream& self) {
            {
              const nb::gil_scoped_release released;
              self.queue_deferred();
            }
            wait_for(self);
          },
          "Computes the expressions of arrays that wait for this stream, then waits for the work "
          "queued so far; Ctrl-C ends the wait.")
      .def_prop_ro("is_done", &Stream::is_done, "Whether the work queued so far is done.")
      .def(
          "record",
          [](Stream& self, std::shared_ptr<Event> event) {
            if (event == nullptr) event = self.device().make_event();
            const nb::gil_scoped_release released;
            self.record(*event);
            return event;
          },
          nb::arg("event") = nb::none(),
          "Marks the work queued so far, in a new event if none is given; returns it.")
      .def(
          "wait",
          [](Stream& self, Event& event) {
            if (event.device().event_domain() != self.device().event_domain())
              return wait_for(event);
            const nb::gil_scoped_release released;
            self.wait(event);
          },
          nb::arg("event"),
          "Later work of this stream starts after what the event has recorded. An event of another "
          "run-time is waited for here.")
      .def(
          "call_host",
          [](Stream& self, nb::object callable) {
            if (PyCallable_Check(callable.ptr()) == 0)
              raise_python(PyExc_TypeError, std::string("call_host() takes a function, not ") +
                                                Py_TYPE(callable.ptr())->tp_name);
            self.call_host(host_call(std::move(callable)));
          },
          nb::arg("callable"),
          nb::sig("def call_host(self, callable: collections.abc.Callable[[], object]) -> None"),
          "Calls a function of Python, without arguments, once the stream is past the work queued "
          "so far: on another thread, and not waited for by synchronize(). What it raises goes to "
          "sys.unraisablehook. Where work of the device has failed it may never be called.");
}

}  // namespace

void bind_streams(nb::module_& m) {
  nb::class_<Stream> type(m, "Stream", nb::is_weak_referenceable(),
                          "A queue of work on one device, made by Device.make_stream(). In a with "
                          "block it is the current stream of the thread.");
  type.def_prop_ro("device", [](const Stream& self) { return self.device().shared_from_this(); })
      .def_prop_ro(
          "raw", &Stream::raw,
          "What the run-time calls it: CUstream, cl_command_queue; 0: CUDA's legacy default "
          "stream.")
      .def("__cuda_stream__", &cuda_stream_protocol,
           nb::sig("def __cuda_stream__(self) -> tuple[int, int]"),
           "(0, CUstream), as other libraries ask for it; NotSupported on other run-times.")
      .def(
          "__enter__",
          [](const std::shared_ptr<Stream>& self) {
            push_current(nullptr, self);
            return self;
          },
          nb::sig("def __enter__(self) -> Stream"))
      .def(
          "__exit__", [](const std::shared_ptr<Stream>& self, nb::args) { leave(self); },
          nb::sig("def __exit__(self, *exception: object) -> None"))
      .def("__repr__",
           [](const Stream& self) { return "<stream of " + self.device().info().id + ">"; });
  bind_copies(type);
  bind_waits(type);
  stream_type = reinterpret_cast<PyTypeObject*>(type.ptr());
  m.def(
      "current_stream", [] { return stream_object(current_stream()); },
      nb::sig("def current_stream() -> Stream"),
      "The stream of the innermost with block of this thread; else the default stream of "
      "current_device().");
}

void bind_events(nb::module_& m) {
  nb::class_<Event> type(m, "Event", nb::is_weak_referenceable(),
                         "A mark in a stream, with its time; made by Device.make_event().");
  type.def_prop_ro("device", &Event::shared_device)
      .def_prop_ro(
          "raw",
          [](const Event& self) -> std::uint64_t {
            if (opencl_device(self.device()) == nullptr) return cuda_event(self);
            return reinterpret_cast<std::uint64_t>(opencl_event(self).raw());
          },
          "What the run-time calls it: CUevent, or the cl_event that is recorded now; 0: none.")
      .def(
          "synchronize", [](Event& self) { wait_for(self); },
          "Waits for the recorded work; Ctrl-C ends the wait.")
      .def_prop_ro("is_done", &Event::is_done)
      .def("seconds_since", &Event::seconds_since, nb::arg("start"),
           "Seconds of the device's clock. Both must be done: it waits for neither.");
  event_type = reinterpret_cast<PyTypeObject*>(type.ptr());
}

Stream* as_stream(PyObject* object) {
  return is_instance(object, stream_type) ? &instance_of<Stream>(object) : nullptr;
}
Event* as_event(PyObject* object) {
  return is_instance(object, event_type) ? &instance_of<Event>(object) : nullptr;
}

nb::object stream_object(const std::shared_ptr<Stream>& stream) {
  nb::object object = nb::cast(stream);
  nb::keep_alive_obj(object, nb::cast(stream->device().shared_from_this()));
  return object;
}

std::shared_ptr<Stream> stream_for(Device& device) {
  if (Stream* scoped = scoped_stream(device)) return scoped->shared_from_this();
  return device.default_stream();
}

std::shared_ptr<Stream> stream_or_current(nb::handle stream, Device& device) {
  if (stream.is_none()) return stream_for(device);
  if (Stream* given = as_stream(stream.ptr())) return given->shared_from_this();
  raise_python(PyExc_TypeError, std::string("stream is a treadle.Stream or None, not ") +
                                    Py_TYPE(stream.ptr())->tp_name);
}

void wait_for(Stream& stream) {
  {
    const device::LeaveDeferred leave;  // a wait for a copy needs no pending expression
    const nb::gil_scoped_release released;
    stream.synchronize();
  }
  release_left_uses();
}

void wait_for(Event& event) {
  const nb::gil_scoped_release released;
  event.synchronize();
}

namespace {

/// All waits of the waist use this function: other threads run, and Ctrl-C ends the wait.
void wait_in_python(device::Device& device, const std::function<bool()>& is_done,
                    const std::function<void()>& wait) {
  if (is_gil_door_closed()) return wait();  // no Python code can be asked
  const nb::gil_scoped_acquire gil;         // the thread may hold it already
  if (const cuda::Context* context = cuda_context(device))
    wait_for(*context, is_done, wait);
  else
    wait_by_asking(is_done, wait);
}

}  // namespace

void hear_signals_in_waits() noexcept { device::set_host_wait(&wait_in_python); }

}  // namespace treadle::bindings
