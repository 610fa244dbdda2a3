// SPDX-License-Identifier: MIT
#include "treadle/cuda/device.hpp"

#include <nanobind/operators.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "errors.hpp"
#include "rooms.hpp"
#include "treadle/cuda/driver.hpp"

namespace treadle::bindings {

using namespace treadle::cuda;

namespace {

void bind_driver(nb::module_& m) {
  nb::enum_<Provider>(m, "Provider", "Who stands behind a driver.")
      .value("nvidia", Provider::nvidia)
      .value("cpu", Provider::cpu);
  nb::class_<Driver>(m, "Driver", "A loaded driver library.")
      .def_static("nvidia", &Driver::nvidia)
      .def_static("cpu", &Driver::cpu)
      .def("initialize", &Driver::initialize, nb::arg("flags") = 0,
           nb::call_guard<nb::gil_scoped_release>())
      .def("version", &Driver::version)
      .def("device_count", &Driver::device_count)
      .def("device", &Driver::device, nb::arg("ordinal"))
      .def("devices", &Driver::devices)
      .def_prop_ro("provider", &Driver::provider)
      .def_prop_ro("library", &Driver::library)
      .def(nb::self == nb::self);
  m.def("default_driver", &default_driver, nb::rv_policy::copy);
  m.def("default_driver_reason", &default_driver_reason,
        "Why default_driver() is what it is, in one sentence.");
  m.def("default_device", &default_device);
  m.def("header_version", &header_version);
}

DeviceAttribute attribute_named(const std::string& name) {
  const auto known = device_attributes();
  const auto found = std::find_if(known.begin(), known.end(),
                                  [&](const auto& entry) { return entry.name == name; });
  if (found == known.end())
    throw InvalidArgument("\"" + name + "\" is no device attribute",
                          "treadle.cuda.device_attribute_names() lists them");
  return found->attribute;
}

}  // namespace

void bind_cuda_device(nb::module_& m) {
  nb::class_<Device> device(m, "Device", "A device of one driver.");
  bind_driver(m);
  device.def(nb::init<int>(), nb::arg("ordinal"))
      .def_static(
          "by_pci_bus_id", [](const std::string& bus_id) { return Device::by_pci_bus_id(bus_id); },
          nb::arg("bus_id"))
      .def_prop_ro("name", &Device::name)
      .def_prop_ro("uuid",
                   [](const Device& self) {
                     const auto uuid = self.uuid();
                     return nb::bytes(uuid.data(), uuid.size());
                   })
      .def_prop_ro("pci_bus_id", &Device::pci_bus_id)
      .def_prop_ro("compute_capability",
                   [](const Device& self) {
                     const auto [major, minor] = self.compute_capability();
                     return nb::make_tuple(major, minor);
                   })
      .def_prop_ro("total_memory", &Device::total_memory, "Bytes.")
      .def(
          "attribute",
          [](const Device& self, const std::string& name) {
            return self.attribute(attribute_named(name));
          },
          nb::arg("name"), "An attribute by its name in cuda.h without the common prefix.")
      .def("can_access_peer", &Device::can_access_peer, nb::arg("peer"))
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
      .def("__repr__", [](const Device& self) { return "<device " + self.name() + ">"; });
  m.def("device_attribute_names", [] {
    std::vector<std::string> names;
    for (const auto& entry : device_attributes()) names.emplace_back(entry.name);
    return names;
  });
}

}  // namespace treadle::bindings
