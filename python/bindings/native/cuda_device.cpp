// SPDX-License-Identifier: MIT
#include "treadle/cuda/device.hpp"

#include <nanobind/operators.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "cuda_html.hpp"
#include "rooms.hpp"
#include "treadle/cuda/driver.hpp"

namespace treadle::bindings {

using namespace treadle::cuda;

namespace {

void bind_driver(nb::module_& m) {
  nb::enum_<Provider>(m, "Provider", "Who provides a driver.")
      .value("nvidia", Provider::nvidia)
      .value("cpu", Provider::cpu);
  nb::class_<Driver>(m, "Driver", "A loaded driver library.")
      .def_static(
          "nvidia", &Driver::nvidia,
          "NVIDIA's driver, opened by the first call. Raises LibraryNotFound with each path tried.")
      .def_static("cpu", &Driver::cpu,
                  "The CPU device's run-time, opened by the first call. Raises LibraryNotFound.")
      .def("initialize", &Driver::initialize, nb::arg("flags") = 0,
           nb::call_guard<nb::gil_scoped_release>(),
           "Calling it again is harmless; whatever needs it calls it.")
      .def("version", &Driver::version,
           "The CUDA version the driver supports: 1000 * major + 10 * minor.")
      .def("device_count", &Driver::device_count,
           "Devices that this process may see; 0 is no error.")
      .def("device", &Driver::device, nb::arg("ordinal"),
           "Raises DeviceError, naming the range, if there is no such device.")
      .def("devices", &Driver::devices, "All of them, by ordinal. Makes no context.")
      .def_prop_ro("provider", &Driver::provider)
      .def_prop_ro("library", &Driver::library)
      .def(nb::self == nb::self);
  m.def("default_driver", &default_driver, nb::rv_policy::copy,
        "What TREADLE_DEVICE names; else NVIDIA's if it has a device, else the CPU device's.");
  m.def("default_driver_reason", &default_driver_reason,
        "Why default_driver() is what it is, in one sentence.");
  m.def("default_device", &default_device,
        "The device of default_driver() that TREADLE_DEVICE or CUDA_DEVICE names, else its first.");
  m.def("requested_ordinal", &requested_ordinal,
        "The number of the device of default_driver() that TREADLE_DEVICE, CUDA_DEVICE or "
        "~/.cuda_device names; None: none of them does.");
  m.def("header_version", &header_version,
        "The CUDA version Treadle was built with: 1000 * major + 10 * minor.");
}

void bind_attributes(nb::module_& m) {
  nb::enum_<DeviceAttribute>(m, "DeviceAttribute", "CUdevice_attribute: what a device tells.")
#define TREADLE_DEVICE_ATTRIBUTE(name, driver_name, number) .value(#name, DeviceAttribute::name)
#include "treadle/cuda/device_attributes.def"
#undef TREADLE_DEVICE_ATTRIBUTE
      ;
  nb::class_<ComputeCapability>(m, "ComputeCapability", "Ordered: a later architecture is greater.")
      .def(nb::init<int, int>(), nb::arg("major"), nb::arg("minor"))
      .def_ro("major", &ComputeCapability::major)
      .def_ro("minor", &ComputeCapability::minor)
      .def(nb::self == nb::self)
      .def(nb::self < nb::self)
      .def(nb::self <= nb::self)
      .def(nb::self > nb::self)
      .def(nb::self >= nb::self)
      .def("__hash__", [](const ComputeCapability& self) { return 1000 * self.major + self.minor; })
      .def("__str__",
           [](const ComputeCapability& self) {
             return std::to_string(self.major) + "." + std::to_string(self.minor);
           })
      .def("__repr__", [](const ComputeCapability& self) {
        return "ComputeCapability(" + std::to_string(self.major) + ", " +
               std::to_string(self.minor) + ")";
      });
}

}  // namespace

void bind_cuda_device(nb::module_& m) {
  bind_attributes(m);
  nb::class_<Device> device(m, "Device", "A device of one driver.");
  bind_driver(m);
  device.def(nb::init<int>(), nb::arg("ordinal"))
      .def_static(
          "by_pci_bus_id", [](const std::string& bus_id) { return Device::by_pci_bus_id(bus_id); },
          nb::arg("bus_id"), "The device at \"0000:3b:00.0\". Raises DeviceError if there is none.")
      .def_prop_ro("name", &Device::name)
      .def_prop_ro("uuid",
                   [](const Device& self) {
                     const auto uuid = self.uuid();
                     return nb::bytes(uuid.data(), uuid.size());
                   })
      .def_prop_ro("pci_bus_id", &Device::pci_bus_id)
      .def_prop_ro("compute_capability", &Device::compute_capability)
      .def_prop_ro("total_memory", &Device::total_memory, "Bytes.")
      .def("attribute", &Device::attribute, nb::arg("attribute"),
           "In the unit that cuda.h tells. Raises DeviceError if the driver does not know it.")
      .def("can_access_peer", &Device::can_access_peer, nb::arg("peer"),
           "Whether kernels of this device may be given memory of `peer`.")
      .def_prop_ro("target", &Device::target, "What to compile for: \"sm_90\", \"cpu\".")
      .def_prop_ro("driver", &Device::driver)
      .def_prop_ro("raw", &Device::raw)
      .def(
          "__eq__",
          [](const Device& self, nb::handle other) {
            return nb::isinstance<Device>(other) && self == nb::cast<const Device&>(other);
          },
          nb::is_operator())
      .def("__hash__", [](const Device& self) { return self.raw(); })
      .def("__repr__", [](const Device& self) { return "<device " + self.name() + ">"; })
      .def("_repr_html_", [](const Device& self) { return html_of(self); });
}

}  // namespace treadle::bindings
