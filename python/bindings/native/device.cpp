// SPDX-License-Identifier: MIT
#include "native/device.hpp"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <vector>

#include "calls/argument.hpp"
#include "interrupt.hpp"
#include "rooms.hpp"
#include "treadle/device/cuda.hpp"
#include "treadle/device/event.hpp"
#include "treadle/device/launch_log.hpp"
#include "treadle/device/registry.hpp"
#include "treadle/opencl/platform.hpp"

namespace treadle::bindings {

using namespace treadle::device;

namespace {

PyTypeObject *buffer_type, *stream_type;  // set while the module is imported

bool is_instance(PyObject* object, PyTypeObject* type) noexcept {
  return Py_TYPE(object) == type || PyType_IsSubtype(Py_TYPE(object), type) != 0;
}

// ---- host memory of copies that nobody waited for

/// A range of the host that a queued copy still uses.
struct Kept {
  std::shared_ptr<Event> after;
  std::unique_ptr<HostBytes> bytes;
};
std::vector<Kept>& kept() {  // guarded by the GIL; never destroyed: Python may be gone before it
  static auto* list = new std::vector<Kept>;
  return *list;
}

void release_done() {
  // Taken out first: releasing a buffer may run Python code that comes here again.
  std::vector<Kept> waiting = std::exchange(kept(), {});
  std::erase_if(waiting, [](const Kept& one) { return one.after->is_done(); });
  for (Kept& one : waiting) kept().push_back(std::move(one));
}

void keep(Stream& stream, std::unique_ptr<HostBytes> bytes) {
  release_done();
  auto event = stream.device().make_event();
  stream.record(*event);
  kept().push_back({std::move(event), std::move(bytes)});
}

// ---- waits

void wait_event(Event& event) {
  if (const cuda::Event* shell = cuda_event(event)) return bindings::wait_for(*shell);
  wait_by_asking([&] { return event.is_done(); }, [&] { event.synchronize(); });
}

// ---- classes

nb::object extent_object(const Extent& extent) { return nb::cast(extent); }

void bind_info(nb::class_<Device>& type) {
  const auto info = [&](const char* name, auto member, const char* doc) {
    type.def_prop_ro(name, [member](const Device& self) { return self.info().*member; }, doc);
  };
  info("id", &DeviceInfo::id, "What TREADLE_DEVICE and find_device() take.");
  info("name", &DeviceInfo::name, "The maker's.");
  info("runtime", &DeviceInfo::runtime, "The run-time system, with its version.");
  info("memory_bytes", &DeviceInfo::memory_bytes, "Of the whole device.");
  info("max_group_items", &DeviceInfo::max_group_items, "Work-items of one group.");
  info("local_memory_bytes", &DeviceInfo::local_memory_bytes, "That one group can use.");
  info("compute_units", &DeviceInfo::compute_units, "Multiprocessors or cores.");
  info("offset_alignment", &DeviceInfo::offset_alignment,
       "What offsets of memory passed to kernels are multiples of, in bytes.");
  info("builds_text", &DeviceInfo::builds_text, "Whether the run-time compiles text itself.");
  info("target", &DeviceInfo::target, "What compile_cuda compiles for; empty with builds_text.");
  info("has_shape_local_memory", &DeviceInfo::has_shape_local_memory,
       "Dynamic local memory by local_bytes; False: by an argument Local(bytes).");
  info("has_cooperative_launch", &DeviceInfo::has_cooperative_launch,
       "Groups of one launch may meet: kernel(..., cooperative=True).");
  info("runs_kernels", &DeviceInfo::runs_kernels, "False for the null device.");
  type.def_prop_ro(
          "kind", [](const Device& self) { return std::string(kind_name(self.info().kind)); },
          "\"gpu\", \"cpu\", \"accelerator\" or \"null\".")
      .def_prop_ro(
          "language", [](const Device& self) { return self.info().language; },
          "Of the kernel text it takes.")
      .def_prop_ro(
          "max_groups", [](const Device& self) { return extent_object(self.info().max_groups); },
          nb::sig("def max_groups(self) -> Extent"))
      .def_prop_ro(
          "max_group_size",
          [](const Device& self) { return extent_object(self.info().max_group_size); },
          nb::sig("def max_group_size(self) -> Extent"));
}

void bind_launch_record(nb::module_& m) {
  nb::class_<LaunchRecord>(m, "LaunchRecord", "One launch, as a device remembers it.")
      .def_ro("kernel", &LaunchRecord::kernel)
      .def_prop_ro(
          "groups", [](const LaunchRecord& self) { return extent_object(self.shape.groups); },
          nb::sig("def groups(self) -> Extent"))
      .def_prop_ro(
          "group_size",
          [](const LaunchRecord& self) { return extent_object(self.shape.group_size); },
          nb::sig("def group_size(self) -> Extent"))
      .def_prop_ro("local_bytes", [](const LaunchRecord& self) { return self.shape.local_bytes; })
      .def_prop_ro("cooperative", [](const LaunchRecord& self) { return self.shape.cooperative; })
      .def_prop_ro(
          "file", [](const LaunchRecord& self) { return self.site.file; },
          nb::sig("def file(self) -> str | None"), "Of the line that launched; None: not known.")
      .def_prop_ro("line", [](const LaunchRecord& self) { return self.site.line; })
      .def("__repr__", [](const LaunchRecord& self) {
        const std::string where =
            self.site.file == nullptr
                ? ""
                : " at " + std::string(self.site.file) + ":" + std::to_string(self.site.line);
        return "<launch of " + self.kernel + where + ">";
      });
}

void bind_device_class(nb::module_& m) {
  nb::class_<Device> type(m, "Device", nb::is_weak_referenceable(),
                          "One device of one run-time system.");
  bind_info(type);
  type.def("make_stream", &Device::make_stream, "A queue of its own.")
      .def("default_stream", &Device::default_stream, "For those who need no other.")
      .def("make_event", &Device::make_event,
           "An event of its own, in which nothing is recorded yet.")
      .def(
          "last_launches", [](const Device& self) { return last_launches(self); },
          "The latest launches by streams of this device, at most eight, the latest first.")
      .def("live_memory", &Device::live_memory, "Allocations that were not freed, and their bytes.")
      .def("__repr__",
           [](const Device& self) { return "<" + self.info().id + ": " + self.info().name + ">"; });
  m.def("devices", &devices, nb::call_guard<nb::gil_scoped_release>(),
        "Every device there is, the best first.");
  m.def("find_device", &find_device, nb::arg("id"), nb::call_guard<nb::gil_scoped_release>(),
        "The device of this id: \"cuda:0\", \"opencl:0:0\", \"cpu\", \"null\".");
  m.def("default_device", &default_device, nb::call_guard<nb::gil_scoped_release>(),
        "The device that TREADLE_DEVICE names, else the best there is.");
  m.def("missing_runtimes", &missing_runtimes, nb::call_guard<nb::gil_scoped_release>(),
        "Each run-time system without devices here, and why.");
}

void bind_stream_class(nb::module_& m) {
  nb::class_<Stream> type(m, "Stream", nb::is_weak_referenceable(),
                          "A queue of work on one device; made by Device.make_stream().");
  type.def_prop_ro("device", [](const Stream& self) { return self.device().shared_from_this(); })
      .def(
          "synchronize", [](Stream& self) { wait_for(self); },
          "Waits for the work queued so far; Ctrl-C ends the wait.")
      .def_prop_ro("is_done", &Stream::is_done, "Whether the work queued so far is done.")
      .def(
          "record",
          [](Stream& self, std::shared_ptr<Event> event) {
            if (event == nullptr) event = self.device().make_event();
            self.record(*event);
            return event;
          },
          nb::arg("event") = nb::none(),
          "Marks the work queued so far, in a new event if none is given; returns it.")
      .def("wait", &Stream::wait, nb::arg("event"),
           "Later work of this stream starts after what the event has recorded.")
      .def(
          "copy",
          [](Stream& self, const Buffer& destination, const Buffer& source) {
            if (destination.size_bytes() < source.size_bytes())
              throw InvalidArgument(
                  "the source of a copy has " + std::to_string(source.size_bytes()) +
                  " bytes, the destination only " + std::to_string(destination.size_bytes()));
            self.copy(destination.location(), source.location(), source.size_bytes());
          },
          nb::arg("destination"), nb::arg("source"), "Queues copying a whole buffer.")
      .def(
          "fill",
          [](Stream& self, const Buffer& buffer, nb::object pattern) {
            const HostBytes bytes(pattern, 0);
            const std::size_t size = std::max<std::size_t>(bytes.span().size(), 1);
            self.fill(buffer.location(), bytes.span(), buffer.size_bytes() / size);
          },
          nb::arg("buffer"), nb::arg("pattern"),
          "Queues filling a buffer with the bytes of a NumPy scalar: 1, 2, 4, 8 or 16.");
  stream_type = reinterpret_cast<PyTypeObject*>(type.ptr());
}

void bind_event_class(nb::module_& m) {
  nb::class_<Event>(m, "Event", nb::is_weak_referenceable(), "A mark in a stream, with its time.")
      .def_prop_ro("device", [](const Event& self) { return self.device().shared_from_this(); })
      .def(
          "synchronize", [](Event& self) { wait_event(self); },
          "Waits for the recorded work; Ctrl-C ends the wait.")
      .def_prop_ro("is_done", &Event::is_done)
      .def("seconds_since", &Event::seconds_since, nb::arg("start"),
           "Seconds of the device's clock. Both must be done: it waits for neither.");
}

// With a stream the copy is only queued: the host's memory is kept until the stream is past it.
// Without one it is on the default stream, and waited for. What is queued there before may take
// long, and a driver may not return from the copy until it is done: Ctrl-C ends the wait for that.
template <class Queue>
void copy(const Buffer& buffer, nb::handle host, Stream* stream, int flags, Queue queue) {
  auto bytes = std::make_unique<HostBytes>(host, flags);
  if (stream != nullptr) {
    queue(bytes->span(), *stream);
    return keep(*stream, std::move(bytes));
  }
  const auto waiting = buffer.device().default_stream();
  wait_for(*waiting);
  {
    const nb::gil_scoped_release released;
    queue(bytes->span(), *waiting);
  }
  try {
    wait_for(*waiting);
  } catch (nb::python_error&) {
    keep(*waiting, std::move(bytes));  // Ctrl-C: the copy goes on
    throw;
  }
}

void copy_from(Buffer& self, nb::handle host, Stream* stream) {
  copy(self, host, stream, 0,
       [&](std::span<std::byte> bytes, Stream& queue) { self.copy_from(bytes, queue); });
}
void copy_to(const Buffer& self, nb::handle host, Stream* stream) {
  copy(self, host, stream, PyBUF_WRITABLE,
       [&](std::span<std::byte> bytes, Stream& queue) { self.copy_to(bytes, queue); });
}

void bind_buffer_class(nb::module_& m) {
  nb::class_<Buffer> type(m, "Buffer", nb::is_weak_referenceable(), "Memory of one device.");
  type.def(
          "__init__",
          [](Buffer* self, std::shared_ptr<Device> device, std::size_t size_bytes) {
            new (self) Buffer(std::move(device), size_bytes);
          },
          nb::arg("device"), nb::arg("size_bytes"), "With undefined contents.")
      .def(
          "__init__",
          [](Buffer* self, std::shared_ptr<Device> device, nb::object host) {
            // Before there is memory: if Ctrl-C comes, freeing it would be one more wait.
            if (device != nullptr) wait_for(*device->default_stream());
            Buffer made(std::move(device), HostBytes(host, 0).span().size());
            copy_from(made, host, nullptr);
            new (self) Buffer(std::move(made));
          },
          nb::arg("device"), nb::arg("host"), "With the contents of a NumPy array or other buffer.")
      .def("free", &Buffer::free, "Frees now; work that is queued already may still use it.")
      .def_prop_ro("is_freed", &Buffer::is_freed)
      .def_prop_ro("device", &Buffer::shared_device)
      .def_prop_ro("size_bytes", &Buffer::size_bytes)
      .def(
          "copy_from",
          [](Buffer& self, nb::object host, Stream* stream) { copy_from(self, host, stream); },
          nb::arg("host"), nb::arg("stream") = nb::none(),
          "Copies a whole buffer of the host in and waits; with a stream, without waiting.")
      .def(
          "copy_to",
          [](const Buffer& self, nb::object host, Stream* stream) { copy_to(self, host, stream); },
          nb::arg("host"), nb::arg("stream") = nb::none(),
          "Fills a whole buffer of the host and waits; with a stream, without waiting.");
  buffer_type = reinterpret_cast<PyTypeObject*>(type.ptr());
}

}  // namespace

const Buffer* as_buffer(PyObject* object) noexcept {
  return is_instance(object, buffer_type) ? nb::inst_ptr<Buffer>(object) : nullptr;
}
Stream* as_stream(PyObject* object) noexcept {
  return is_instance(object, stream_type) ? nb::inst_ptr<Stream>(object) : nullptr;
}

Extent extent_argument(PyObject* object, const char* what) {
  if (PyLong_CheckExact(object))
    return static_cast<unsigned>(unsigned_argument(object, what, 0xFFFFFFFFu));
  if (PySequence_Check(object) == 0) {
    Extent extent;
    if (nb::try_cast(nb::handle(object), extent)) return extent;
    raise_python(PyExc_TypeError, std::string(what) + " is an integer or 1 to 3 of them, not " +
                                      Py_TYPE(object)->tp_name);
  }
  const auto [x, y, z] = dim3_argument(object, what);
  return {x, y, z};
}

void wait_for(Stream& stream) {
  if (const cuda::Stream* shell = cuda_stream(stream))
    bindings::wait_for(*shell);
  else
    wait_by_asking([&] { return stream.is_done(); }, [&] { stream.synchronize(); });
  if (!kept().empty()) release_done();
}

void bind_opencl_search(nb::module_& m) {
  m.def(
      "opencl_library", [] { return opencl::Loader::system().library(); },
      nb::call_guard<nb::gil_scoped_release>(),
      "The OpenCL loader that is used; LibraryNotFound tells every place that was tried.");
  m.def("opencl_vendor_files", &opencl::vendor_files,
        "Where that loader looks for platforms: variables, folders and files, and what is there.");
}

void bind_device(nb::module_& m) {
  bind_opencl_search(m);
  bind_device_structs(m);
  bind_launch_record(m);
  bind_device_class(m);
  bind_event_class(m);
  bind_stream_class(m);
  bind_buffer_class(m);
}

}  // namespace treadle::bindings
