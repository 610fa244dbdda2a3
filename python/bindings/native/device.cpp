// SPDX-License-Identifier: MIT
#include "native/device.hpp"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "calls/argument.hpp"
#include "errors.hpp"
#include "html_table.hpp"
#include "native/foreign.hpp"
#include "rooms.hpp"
#include "treadle/base/error.hpp"
#include "treadle/device/current.hpp"
#include "treadle/device/device.hpp"
#include "treadle/device/identity.hpp"
#include "treadle/device/launch_log.hpp"
#include "treadle/device/registry.hpp"
#include "treadle/opencl/platform.hpp"

namespace treadle::bindings {

using namespace treadle::device;

namespace {

std::string text_unless_0(unsigned number) { return number == 0 ? "" : std::to_string(number); }

std::string shown_in_notebooks(const DeviceInfo& info) {
  const auto bandwidth = static_cast<std::uint64_t>(info.performance.bandwidth_bytes_per_s / 1e9);
  return html_table(info.id + ": " + info.name,
                    {{"run-time", info.runtime},
                     {"kind", std::string(kind_name(info.kind))},
                     {"kernels in", std::string(language_name(info.language))},
                     {"target", info.target},
                     {"memory", bytes_text(info.memory_bytes)},
                     {"bandwidth", bandwidth == 0 ? "" : std::to_string(bandwidth) + " GB/s"},
                     {"compute units", text_unless_0(info.performance.compute_units)},
                     {"work-items of a group", text_unless_0(info.limits.max_group_items)},
                     {"local memory of a group", bytes_text(info.limits.local_memory_bytes)},
                     {"work-items in lockstep", text_unless_0(info.traits.sub_group_width)}});
}

void bind_info(nb::class_<Device>& type) {
  const auto info = [&](const char* name, auto member, const char* doc) {
    type.def_prop_ro(name, [member](const Device& self) { return self.info().*member; }, doc);
  };
  info("id", &DeviceInfo::id, "What TREADLE_DEVICE and find_device() take.");
  info("name", &DeviceInfo::name, "The vendor's.");
  info("runtime", &DeviceInfo::runtime, "The run-time system, with its version.");
  info("memory_bytes", &DeviceInfo::memory_bytes, "Of the whole device.");
  info("target", &DeviceInfo::target,
       "What compile_cuda compiles for; empty where traits.builds_text.");
  type.def_prop_ro(
          "kind", [](const Device& self) { return kind_name(self.info().kind); },
          "\"gpu\", \"cpu\", \"accelerator\" or \"null\".")
      .def_prop_ro(
          "language", [](const Device& self) { return self.info().language; },
          "Of the kernel text it takes.")
      .def_prop_ro(
          "limits", [](const Device& self) -> const DeviceLimits& { return self.info().limits; },
          nb::rv_policy::reference_internal, "What it allows.")
      .def_prop_ro(
          "traits", [](const Device& self) -> const DeviceTraits& { return self.info().traits; },
          nb::rv_policy::reference_internal, "What it is able to do.")
      .def_prop_ro(
          "performance",
          [](const Device& self) -> const DevicePerformance& { return self.info().performance; },
          nb::rv_policy::reference_internal, "How fast it is.")
      .def_prop_ro(
          "identity", [](const Device& self) { return identity_of(self); },
          "Which device of which make it is.")
      .def_prop_ro("is_adopted", &Device::is_adopted, "Whether the context is somebody else's.");
}

/// Makes the Python object `owner` live as long as `object`, whose handle belongs to the owner.
nb::object keeping(nb::object object, nb::handle owner) {
  if (PyLong_Check(owner.ptr()) == 0) nb::keep_alive_obj(object, owner);
  return object;
}

/// Keeps another library's stream for as long as arrays remember its work. Arrays may drop the
/// stream under a lock, where no thread may wait for the GIL.
std::shared_ptr<void> owner_of(const nb::object& stream) {
  if (PyLong_Check(stream.ptr()) != 0) return nullptr;
  return {nb::object(stream).release().ptr(), [](void* kept) {
            const auto let_go = [](void* object) {
              Py_DECREF(static_cast<PyObject*>(object));
              return 0;
            };
            // The GIL needs a thread state, and at the process's end there is none.
            if (_PyThreadState_UncheckedGet() != nullptr && PyGILState_Check() == 1)
              let_go(kept);
            else if (Py_IsInitialized() != 0)
              Py_AddPendingCall(let_go, kept);
          }};
}

nb::object adopt_stream(Device& self, nb::object stream) {
  if (const Stream* own = as_stream(stream.ptr()); own != nullptr) {
    if (&own->device() == &self) return stream;
    throw InvalidArgument(
        "the stream is of " + own->device().info().id + ", not of " + self.info().id,
        "events order work of two devices: stream.wait(other.record())");
  }
  return stream_object(self.adopt_stream(stream_handle(stream), owner_of(stream)));
}

nb::object adopt_event(Device& self, nb::object event) {
  if (const Event* own = as_event(event.ptr()); own != nullptr && &own->device() == &self)
    return event;
  return keeping(nb::cast(self.adopt_event(event_handle(event))), event);
}

void bind_streams_of(nb::class_<Device>& type) {
  type.def(
          "make_stream",
          [](Device& self, int priority) {
            return stream_object(self.make_stream({.priority = priority}));
          },
          nb::arg("priority") = 0, nb::sig("def make_stream(self, priority: int = 0) -> Stream"),
          "A queue of its own. Lower priorities are more urgent; limits tell which there are.")
      .def(
          "default_stream", [](Device& self) { return stream_object(self.default_stream()); },
          nb::sig("def default_stream(self) -> Stream"),
          "For those who need no other; on CUDA the legacy default stream.")
      .def("adopt_stream", &adopt_stream, nb::arg("stream").none(),
           nb::sig("def adopt_stream(self, stream: object) -> Stream"),
           "A stream that another library owns: its handle, or an object with __cuda_stream__, "
           "cuda_stream (PyTorch), ptr (CuPy), handle (PyCUDA) or int_ptr (PyOpenCL).")
      .def(
          "make_event",
          [](Device& self, bool timing) {
            return self.make_event(timing ? Timing::on : Timing::off);
          },
          nb::arg("timing") = true,
          "An event of its own, in which nothing is recorded yet. Without timing it is cheaper.")
      .def("adopt_event", &adopt_event, nb::arg("event").none(),
           nb::sig("def adopt_event(self, event: object) -> Event"),
           "An event that another library owns, with what is recorded in it: its handle, or an "
           "object that has it as raw, cuda_event, ptr, handle or int_ptr.");
}

void leave(const std::shared_ptr<Device>& self) {
  if (current_device() != self)
    throw InvalidState("a device that is not current on this thread cannot be left",
                       "leave with blocks on their own thread, in the reverse order");
  pop_current();
}

void bind_memory_of(nb::class_<Device>& type) {
  type.def("memory_info", &Device::memory_info, "How much memory is free now.")
      .def_prop_ro("pool", &pool_of_device, nb::sig("def pool(self) -> DevicePool"),
                   "What it holds of the memory that arrays have given up.")
      .def(
          "address_info",
          [](Device& self, nb::object address) {
            return self.address_info(pointer_argument(address.ptr(), "address"));
          },
          nb::arg("address"), nb::sig("def address_info(self, address: object) -> AddressInfo"),
          "What an address is: an integer or an object that stands for device memory.")
      .def("live_memory", &Device::live_memory,
           "Allocations that were not freed, and their bytes.");
}

void bind_device_class(nb::module_& m) {
  nb::class_<Device> type(m, "Device", nb::is_weak_referenceable(),
                          "One device of one run-time system, in a context. In a with block it is "
                          "the current device of the thread.");
  bind_info(type);
  bind_streams_of(type);
  bind_memory_of(type);
  type.def_static("of", &device_of_context, nb::arg("context").none(),
                  nb::arg("device") = nb::none(),
                  nb::sig("def of(context: object, device: object | None = None) -> Device"),
                  "The Device of a context of another library: a treadle.cuda.Context, PyCUDA's or "
                  "PyOpenCL's (with the device, if it has several), or a CUcontext as an integer.")
      .def(
          "last_launches", [](const Device& self) { return last_launches(self); },
          "The latest launches by streams of this device, at most eight, the latest first.")
      .def(
          "__enter__",
          [](const std::shared_ptr<Device>& self) {
            push_current(self, nullptr);
            return self;
          },
          nb::sig("def __enter__(self) -> Device"))
      .def(
          "__exit__", [](const std::shared_ptr<Device>& self, nb::args) { leave(self); },
          nb::sig("def __exit__(self, *exception: object) -> None"))
      .def("__repr__",
           [](const Device& self) { return "<" + self.info().id + ": " + self.info().name + ">"; })
      .def("_repr_html_", [](const Device& self) { return shown_in_notebooks(self.info()); });
}

void bind_registry(nb::module_& m) {
  m.def("devices", &devices, nb::call_guard<nb::gil_scoped_release>(),
        "Every device there is, the best first.");
  m.def("find_device", &find_device, nb::arg("id"), nb::call_guard<nb::gil_scoped_release>(),
        "The device of this id: \"cuda:0\", \"opencl:0:0\", \"cpu\", \"null\".");
  m.def("default_device", &default_device, nb::call_guard<nb::gil_scoped_release>(),
        "The device that TREADLE_DEVICE names, else the best there is. Kept, with its context and "
        "what was compiled for it, until the process ends or release_default_device().");
  m.def("release_default_device", &release_default_device, nb::call_guard<nb::gil_scoped_release>(),
        "Lets go of what default_device() keeps: the device, its context and its memory end with "
        "the last one that holds it. The next default_device() sets it up again.");
  m.def("current_device", &current_device, nb::call_guard<nb::gil_scoped_release>(),
        "The device of the innermost with block of this thread; else default_device().");
  m.def("missing_runtimes", &missing_runtimes, nb::call_guard<nb::gil_scoped_release>(),
        "Each run-time system without devices here, and why.");
}

void bind_opencl_search(nb::module_& m) {
  m.def(
      "opencl_library", [] { return opencl::Loader::system().library(); },
      nb::call_guard<nb::gil_scoped_release>(),
      "The OpenCL loader that is used; LibraryNotFound tells every place that was tried.");
  m.def("opencl_vendor_files", &opencl::vendor_files,
        "Where that loader looks for platforms: variables, folders and files, and what is there.");
}

}  // namespace

bool is_instance(PyObject* object, PyTypeObject* type) noexcept {
  return Py_TYPE(object) == type || PyType_IsSubtype(Py_TYPE(object), type) != 0;
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

void bind_device(nb::module_& m) {
  hear_signals_in_waits();
  bind_opencl_search(m);
  bind_device_structs(m);
  bind_device_info(m);
  bind_device_pool(m);
  bind_device_class(m);
  bind_registry(m);
  bind_events(m);
  bind_streams(m);
  bind_buffers(m);
}

}  // namespace treadle::bindings
