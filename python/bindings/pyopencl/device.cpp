// SPDX-License-Identifier: MIT
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <string>

#include "html_table.hpp"
#include "kept_objects.hpp"
#include "pyopencl/classes.hpp"
#include "pyopencl/info.hpp"

namespace treadle::bindings::cl {
namespace {

/// The slot of an AMD device.
struct Topology {
  int type = 1, bus = 0, device = 0, function = 0;
};

// cl_device_topology_amd: the type, 17 unused bytes, then bus, device and function.
nb::object topology_of(const opencl::InfoValue& value) {
  const auto& bytes = std::get<opencl::Bytes>(value);
  if (bytes.size() < 24) return nb::none();
  const auto byte = [&](std::size_t at) { return std::to_integer<int>(bytes[at]); };
  return nb::cast(Topology{byte(0), byte(21), byte(22), byte(23)});
}

nb::object device_info(const Device& self, long long param) {
  const auto parameter = static_cast<opencl::DeviceInfo>(param);
  const opencl::InfoValue value = self.device.info(parameter);
  if (parameter == opencl::DeviceInfo::topology_amd) return topology_of(value);
  return to_python(self.device.shared_table(), value);
}

nb::object device_platform(Device& self) {
  if (!self.platform_object.is_valid())
    self.platform_object = make_platform(self.device.platform());
  return self.platform_object;
}

nb::list sub_devices(const Device& self, const std::vector<std::intptr_t>& properties) {
  nb::list list;
  for (opencl::Device& device : self.device.create_sub_devices(properties))
    list.append(make_device(std::move(device)));
  return list;
}

std::string text_of(const Device& self) {
  char pointer[32];
  std::snprintf(pointer, sizeof pointer, "%#zx",
                reinterpret_cast<std::uintptr_t>(self.device.raw()));
  return "<pyopencl.Device '" + self.device.name() + "' on '" + self.device.platform().name() +
         "' at " + pointer + ">";
}

std::string notebook_text_of(const Device& self) {
  using opencl::DeviceInfo;
  const opencl::Device& device = self.device;
  return html_table(device.name(),
                    {{"platform", device.platform().name()},
                     {"version", device.get<DeviceInfo::version>()},
                     {"driver", device.get<DeviceInfo::driver_version>()},
                     {"memory", bytes_text(device.get<DeviceInfo::global_mem_size>())},
                     {"local memory", bytes_text(device.get<DeviceInfo::local_mem_size>())},
                     {"compute units", std::to_string(device.get<DeviceInfo::max_compute_units>())},
                     {"work-items of a group, at most",
                      std::to_string(device.get<DeviceInfo::max_work_group_size>())}});
}

nb::tuple model_identifier(const Device& self) {
  using opencl::DeviceInfo;
  const opencl::Device& device = self.device;
  return nb::make_tuple("v1", device.get<DeviceInfo::vendor>(), device.get<DeviceInfo::vendor_id>(),
                        device.get<DeviceInfo::name>(), device.get<DeviceInfo::version>());
}

void bind_topology(nb::module_& m) {
  nb::class_<Topology>(m, "DeviceTopologyAmd", "Where a device of AMD's is plugged in.")
      .def(
          "__init__",
          [](Topology* self, int bus, int device, int function) {
            new (self) Topology{1, bus, device, function};
          },
          nb::arg("bus") = 0, nb::arg("device") = 0, nb::arg("function") = 0)
      .def_rw("type", &Topology::type)
      .def_rw("bus", &Topology::bus)
      .def_rw("device", &Topology::device)
      .def_rw("function", &Topology::function);
}

void bind_methods(nb::class_<Device>& type) {
  type.def("create_sub_devices", pyopencl(sub_devices), nb::arg("properties"),
           "Parts of the device; the 0 at the end of the properties is added.")
      .def("device_and_host_timer", pyopencl([](const Device& self) {
             const opencl::Timestamps now = self.device.timestamps();
             return nb::make_tuple(now.device, now.host);
           }),
           "Nanoseconds of the device's clock and of the host's, at nearly the same time.")
      .def("host_timer", pyopencl([](const Device& self) { return self.device.host_timestamp(); }),
           "Nanoseconds of the host's clock, as device_and_host_timer() has them.")
      .def("_get_cl_version", pyopencl([](const Device& self) {
             const opencl::Version version = self.device.version();
             return nb::make_tuple(version.major, version.minor);
           }))
      .def_prop_ro("hashable_model_and_version_identifier", pyopencl(model_identifier))
      .def_prop_ro("persistent_unique_id", pyopencl([](const Device& self) {
                     warn_python(PyExc_DeprecationWarning,
                                 "Device.persistent_unique_id is deprecated; it is called "
                                 "hashable_model_and_version_identifier");
                     return model_identifier(self);
                   }))
      .def("__repr__", pyopencl(text_of))
      .def("_repr_html_", pyopencl(notebook_text_of));
}

}  // namespace

std::vector<opencl::Device> devices_in(nb::handle given, const Argument& argument) {
  std::vector<opencl::Device> devices;
  for_each_in(given, argument, "an iterable of pyopencl.Device",
              [&](nb::handle device, const Argument& which) {
                devices.push_back(object_in<Device>(device, which).device);
              });
  return devices;
}

nb::object make_device(opencl::Device device) { return nb::cast(Device{std::move(device)}); }

void bind_device(nb::module_& m) {
  bind_topology(m);
  static PyType_Slot slots[] = {
      type_slot(Py_tp_traverse, traverse_kept<Device, &Device::platform_object>),
      type_slot(Py_tp_clear, clear_kept<Device, &Device::platform_object>),
      {0, nullptr}};
  auto type =
      nb::class_<Device>(m, "Device", nb::dynamic_attr(), nb::is_weak_referenceable(),
                         nb::type_slots(slots), "A device of a platform, or a part of one.");
  bind_identity(type, [](const Device& self) { return self.device.raw(); });
  bind_from_pointer<opencl::RawDevice>(type, [](opencl::RawDevice raw, opencl::Ownership own) {
    return make_device(opencl::Device(loader_table(), raw, own));
  });
  type.def_prop_ro("platform", pyopencl(device_platform));
  bind_info(type, "device_info", device_info);
  bind_methods(type);
}

}  // namespace treadle::bindings::cl
