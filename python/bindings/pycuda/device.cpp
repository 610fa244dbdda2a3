// SPDX-License-Identifier: MIT
#include <nanobind/stl/string.h>

#include <atomic>
#include <mutex>

#include "calls/bindings_handle.hpp"
#include "cuda_html.hpp"
#include "pycuda/classes.hpp"
#include "python_parts.hpp"
#include "rooms.hpp"
#include "treadle/process/settings.hpp"

namespace treadle::bindings {
namespace face {
namespace {

std::atomic<bool> initialized{false};

std::size_t device_count(const char* call) {
  require_init(call);
  return static_cast<std::size_t>(cuda::default_driver().device_count());
}

Device device_of(nb::handle which) {
  require_init("cuDeviceGet");
  if (PyUnicode_Check(which.ptr()) != 0)
    return {cuda::Device::by_pci_bus_id(nb::cast<std::string>(which))};
  const nb::object index = nb::steal(PyNumber_Index(which.ptr()));
  if (!index.is_valid()) throw nb::python_error();
  const long ordinal = PyLong_AsLong(index.ptr());
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  return {cuda::default_driver().device(static_cast<int>(ordinal))};
}

nb::object attribute(const Device& self, int number) {
  const int value = self.device.attribute(static_cast<cuda::DeviceAttribute>(number));
  constexpr int compute_mode = 20;
  return number == compute_mode ? enum_member("compute_mode", value) : nb::object(nb::int_(value));
}

nb::dict attributes(const Device& self) {
  const nb::object known = python_part("pycuda enumerations").attr("device_attribute");
  nb::dict result;
  for (const nb::handle member : nb::borrow<nb::iterable>(known.attr("values").attr("values")())) {
    try {
      result[member] = attribute(self, nb::cast<int>(nb::int_(member)));
    } catch (const DeviceError&) {
      warn_python(PyExc_UserWarning, "CUDA driver raised an error when querying device attribute " +
                                         nb::cast<std::string>(nb::str(member)));
    }
  }
  return result;
}

nb::object attribute_by_name(const Device& self, const std::string& name) {
  const nb::object known = python_part("pycuda enumerations").attr("device_attribute");
  const nb::object member = known.attr("names").attr("get")(nb::str(name.c_str()).attr("upper")());
  if (member.is_none())
    raise_python(PyExc_AttributeError, "Device object has no attribute '" + name +
                                           "', and it is no device_attribute either");
  return attribute(self, nb::cast<int>(nb::int_(member)));
}

// Some programs refuse textures on CUDA 12, whose compiler had no texture references.
int told_version(int version) {
  const int told = settings().pycuda_cuda_version;
  return told != 0 ? told : version;
}

nb::tuple version_tuple(int version) {
  return nb::make_tuple(version / 1000, version % 1000 / 10, version % 10);
}

}  // namespace

void set_initialized() { initialized = true; }

void require_init(const char* call) {
  if (!initialized) raise_logic_error(std::string(call) + " failed: initialization error");
}

nb::object enum_member(const char* enumeration, int value) {
  return python_part("pycuda enumerations").attr(enumeration)(value);
}

int enum_value(nb::handle member, const char* what) {
  if (PyLong_Check(member.ptr()) == 0 && PyIndex_Check(member.ptr()) == 0)
    raise_python(PyExc_TypeError, std::string(what) + " must be a member of its enumeration");
  const nb::object index = nb::steal(PyNumber_Index(member.ptr()));
  const long value = index.is_valid() ? PyLong_AsLong(index.ptr()) : -1;
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  return static_cast<int>(value);
}

namespace {

/// Binds queries of the driver that need no device.
void bind_driver(nb::module_& m) {
  m.def(
      "get_version", [] { return version_tuple(told_version(cuda::header_version())); },
      "The CUDA version Treadle was built with, as a tuple.");
  m.def("get_driver_version", pycuda([] { return told_version(cuda::default_driver().version()); }),
        "The CUDA version of the driver, 1000 * major + 10 * minor.");
  m.def("init", pycuda([](nb::object flags) {
          const auto value =
              static_cast<unsigned>(unsigned_argument(flags.ptr(), "flags", 0xFFFFFFFFu));
          {
            nb::gil_scoped_release released;
            cuda::default_driver().initialize(value);
          }
          set_initialized();
        }),
        nb::arg("flags") = 0, "Calling it again is harmless. Raises Error if there is no driver.");
}

}  // namespace
}  // namespace face

void bind_pycuda_device(nb::module_& m) {
  using face::Device;
  face::bind_driver(m);
  auto type = nb::class_<Device>(m, "Device", nb::dynamic_attr(), nb::is_weak_referenceable(),
                                 "A device, by number or by PCI bus id.");
  make_integer<Device>(type, "CUdevice", [](const Device& self) { return self.device.raw(); });
  type.def("__init__", pycuda([](Device* self, nb::object which) {
             new (self) Device(face::device_of(which));
           }),
           nb::arg("ordinal"))
      .def_static("count", pycuda([] { return face::device_count("cuDeviceGetCount"); }),
                  "Devices that this process may see.")
      .def("name", pycuda([](const Device& self) { return self.device.name(); }),
           "As its maker calls it.")
      .def("pci_bus_id", pycuda([](const Device& self) { return self.device.pci_bus_id(); }),
           "\"0000:3b:00.0\".")
      .def("compute_capability", pycuda([](const Device& self) {
             const auto [major, minor] = self.device.compute_capability();
             return nb::make_tuple(major, minor);
           }),
           "(9, 0) for sm_90.")
      .def("total_memory", pycuda([](const Device& self) { return self.device.total_memory(); }),
           "Bytes.")
      .def("get_attribute", pycuda([](const Device& self, nb::object attribute) {
             return face::attribute(self, face::enum_value(attribute, "attr"));
           }),
           nb::arg("attr"), nb::sig("def get_attribute(self, attr: int) -> int"),
           "In the attribute's own unit: a count, bytes, kHz, or an enumeration's member.")
      .def("get_attributes", pycuda([](const Device& self) { return face::attributes(self); }),
           "Every attribute this device has, by device_attribute.")
      .def("_repr_html_", pycuda([](const Device& self) { return html_of(self.device); }))
      .def("__getattr__", pycuda([](const Device& self, const std::string& name) {
             return face::attribute_by_name(self, name);
           }),
           nb::sig("def __getattr__(self, name: str, /) -> int"))
      .def("can_access_peer", pycuda([](const Device& self, const Device& peer) {
             return self.device.can_access_peer(peer.device);
           }),
           nb::arg("dev"), "Whether kernels of this device may be given memory of the other.")
      .def("make_context", pycuda([](const Device& self, nb::object flags) {
             return face::make_context(self, flags);
           }),
           nb::arg("flags") = 0, "A new context, current on the calling thread.")
      .def("retain_primary_context", pycuda([](const Device& self) {
             nb::gil_scoped_release released;
             return face::Context{cuda::Context::primary(self.device)};
           }),
           "The primary context, which other libraries share; not made current.")
      .def(
          "__eq__",
          [](const Device& self, nb::handle other) {
            return nb::isinstance<Device>(other) &&
                   self.device == nb::cast<const Device&>(other).device;
          },
          nb::is_operator())
      .def(
          "__ne__",
          [](const Device& self, nb::handle other) {
            return !nb::isinstance<Device>(other) ||
                   !(self.device == nb::cast<const Device&>(other).device);
          },
          nb::is_operator())
      .def("__hash__", [](const Device& self) { return self.device.raw(); })
      .def("_target", pycuda([](const Device& self) { return self.device.target(); }),
           "What compile_cuda compiles for.");
}

}  // namespace treadle::bindings
