// SPDX-License-Identifier: MIT
#include <nanobind/stl/string.h>

#include <nanobind/stl/vector.h>
#include <string>

#include "pyopencl/classes.hpp"
#include "pyopencl/info.hpp"
#include "treadle/process/settings.hpp"

namespace treadle::bindings::cl {
namespace {

nb::object platform_info(const Platform& self, long long param) {
  return to_python(self.platform.shared_table(),
                   self.platform.info(static_cast<opencl::PlatformInfo>(param)));
}

nb::list devices_of(const Platform& self, std::uint64_t bits) {
  const auto type = static_cast<opencl::DeviceType>(bits);
  nb::list list;
  for (opencl::Device& device : devices_that_answer(self.platform, type))
    list.append(make_device(std::move(device)));
  if (list.empty() && cpu_could_answer(self.platform, type))
    warn_python(PyExc_UserWarning,
                "platform '" + self.platform.name() + "' has no GPU; " + cpu_as_gpu_hint);
  return list;
}

// A program that accepts CPUs, too, gets the CPU anyway.
bool asks_for_gpu(opencl::DeviceType type) {
  return opencl::has(type, opencl::DeviceType::gpu) && !opencl::has(type, opencl::DeviceType::cpu);
}

void bind_name_version(nb::module_& m) {
  using opencl::NameVersion;
  nb::class_<NameVersion>(m, "NameVersion", "A name with a version of 10, 10 and 12 bits.")
      .def(
          "__init__",
          [](NameVersion* self, std::uint32_t version, const std::string& name) {
            new (self) NameVersion{version, name.substr(0, 63)};
          },
          nb::arg("version") = 0, nb::arg("name") = "")
      .def_rw("version", &NameVersion::version)
      .def_prop_rw(
          "name", [](const NameVersion& self) { return self.name; },
          [](NameVersion& self, const std::string& name) { self.name = name.substr(0, 63); })
      .def("__repr__", [](const NameVersion& self) {
        return "NameVersion(" + std::to_string(self.version) + ", '" + self.name + "')";
      });
}

}  // namespace

std::vector<opencl::Device> devices_that_answer(const opencl::Platform& platform,
                                                opencl::DeviceType type) {
  std::vector<opencl::Device> devices = platform.devices(type);
  if (devices.empty() && asks_for_gpu(type) && settings().opencl_cpu_as_gpu)
    devices = platform.devices(opencl::DeviceType::cpu);
  return devices;
}

bool cpu_could_answer(const opencl::Platform& platform, opencl::DeviceType type) {
  return asks_for_gpu(type) && !platform.devices(opencl::DeviceType::cpu).empty();
}

std::shared_ptr<const opencl::Table> loader_table() {
  return opencl::Loader::system().shared_table();
}

nb::object make_platform(opencl::Platform platform) {
  return nb::cast(Platform{std::move(platform)});
}

void bind_platform(nb::module_& m) {
  bind_name_version(m);
  auto type =
      nb::class_<Platform>(m, "Platform", nb::dynamic_attr(), "One implementation of OpenCL.");
  bind_identity(type, [](const Platform& self) { return self.platform.raw(); });
  bind_from_pointer<opencl::RawPlatform>(type, [](opencl::RawPlatform raw, opencl::Ownership) {
    return make_platform(opencl::Loader::system().platform(raw));
  });
  bind_info(type, "platform_info", platform_info);
  type.def("get_devices", pyopencl(devices_of),
           nb::arg("device_type") = static_cast<std::uint64_t>(opencl::DeviceType::all),
           "Every device of a type; none is an empty list. Where there is no GPU, "
           "TREADLE_OPENCL_CPU_AS_GPU=1 lets the platform's processors answer for one.")
      .def("_get_cl_version", pyopencl([](const Platform& self) {
             const opencl::Version version = self.platform.version();
             return nb::make_tuple(version.major, version.minor);
           }))
      .def("__repr__", pyopencl([](const Platform& self) {
             char pointer[32];
             std::snprintf(pointer, sizeof pointer, "%#zx",
                           reinterpret_cast<std::uintptr_t>(self.platform.raw()));
             return "<pyopencl.Platform '" + self.platform.name() + "' at " + pointer + ">";
           }));
  m.def("get_platforms", pyopencl([] {
          nb::list list;
          for (opencl::Platform& platform : opencl::Loader::system().platforms())
            list.append(make_platform(std::move(platform)));
          return list;
        }),
        "Every platform, in the loader's order. Raises LogicError if there is none.");
  m.def("unload_platform_compiler",
        pyopencl([](const Platform& platform) { platform.platform.unload_compiler(); }),
        nb::arg("platform"),
        "Lets the platform free what its compiler holds; the next build loads it again.");
}

}  // namespace treadle::bindings::cl
