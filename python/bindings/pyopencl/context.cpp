// SPDX-License-Identifier: MIT
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pyopencl/callback.hpp"
#include "pyopencl/classes.hpp"
#include "pyopencl/info.hpp"

namespace treadle::bindings::cl {
namespace {

using opencl::ContextProperties;

bool is_sharing(std::intptr_t key) {
  using enum ContextProperties;
  for (const auto known :
       {gl_context_khr, egl_display_khr, glx_display_khr, wgl_hdc_khr, cgl_sharegroup_khr})
    if (key == static_cast<std::intptr_t>(known)) return true;
  return false;
}

// Reads a handle from OpenGL's bindings: a ctypes pointer, or its address.
std::intptr_t address_of(nb::handle value, const Argument& argument) {
  if (PyLong_Check(value.ptr()) != 0) return static_cast<std::intptr_t>(bits_in(value, argument));
  const nb::module_ ctypes = nb::module_::import_("ctypes");
  nb::object address;
  try {
    address = ctypes.attr("cast")(value, ctypes.attr("c_void_p")).attr("value");
  } catch (const nb::python_error&) {
    refuse_kind(value, argument, "the address of an OpenGL object, an int or a ctypes pointer");
  }
  return address.is_none() ? 0 : static_cast<std::intptr_t>(bits_in(address, argument));
}

}  // namespace

Properties read_properties(nb::handle given) {
  Properties properties;
  if (given.is_none()) return properties;
  constexpr const char* pairs = "pairs of a context_properties constant and its value";
  for_each_in(given, {"Context", "properties"}, pairs, [&](nb::handle item, Argument which) {
    const auto [name, value] =
        pair_in(item, which, "a pair of a context_properties constant and its value");
    const auto key = static_cast<std::intptr_t>(bits_in(name, which));
    if (key == static_cast<std::intptr_t>(ContextProperties::platform)) {
      properties.platform = object_in<Platform>(value, which).platform;
      const auto raw = reinterpret_cast<std::intptr_t>(properties.platform->raw());
      properties.pairs.insert(properties.pairs.end(), {key, raw});
    } else if (is_sharing(key)) {
      properties.pairs.insert(properties.pairs.end(), {key, address_of(value, which)});
    } else {
      raise_logic_error("Context", "context property " + std::to_string(key) +
                                       " is none of PLATFORM and the OpenGL ones");
    }
  });
  return properties;
}

namespace {

// As clCreateContextFromType: the devices of the first platform that has devices of this type. A
// true GPU comes before a processor that stands in for a GPU.
std::vector<opencl::Device> devices_of_type(const Properties& properties, opencl::DeviceType type) {
  std::vector<opencl::Platform> platforms;
  if (properties.platform)
    platforms.push_back(*properties.platform);
  else
    platforms = opencl::Loader::system().platforms();
  for (const opencl::Platform& platform : platforms)
    if (std::vector<opencl::Device> found = platform.devices(type); !found.empty()) return found;
  std::string text =
      "no platform has a device of type " + std::to_string(static_cast<std::uint64_t>(type));
  for (const opencl::Platform& platform : platforms) {
    std::vector<opencl::Device> found = devices_that_answer(platform, type);
    if (!found.empty()) return found;
    if (!cpu_could_answer(platform, type)) continue;
    text = std::string("there is no GPU; ") + cpu_as_gpu_hint;
    break;
  }
  raise_error(static_cast<int>(opencl::StatusCode::device_not_found), "clCreateContextFromType",
              text);
}

opencl::Context create(nb::handle devices, nb::handle given, nb::handle dev_type) {
  if (!devices.is_none() && !dev_type.is_none())
    raise_logic_error("Context", "give either devices or dev_type, not both");
  const Properties properties = read_properties(given);
  std::vector<opencl::Device> chosen;
  if (!devices.is_none()) {
    chosen = devices_in(devices, {"Context", "devices"});
  } else {
    const auto type = dev_type.is_none() ? static_cast<std::uint64_t>(opencl::DeviceType::default_)
                                         : bits_in(dev_type, {"Context", "dev_type"});
    chosen = devices_of_type(properties, static_cast<opencl::DeviceType>(type));
  }
  return with_retry([&] { return opencl::Context(chosen, properties.pairs); });
}

// The pairs, with the platform as an object.
nb::list property_pairs(const Context& self) {
  nb::list pairs;
  const auto raw = self.context.get<opencl::ContextInfo::properties>();
  for (std::size_t i = 0; i + 1 < raw.size() && raw[i] != 0; i += 2) {
    if (raw[i] == static_cast<std::uint64_t>(ContextProperties::platform))
      pairs.append(nb::make_tuple(raw[i], make_platform(self.context.platform())));
    else
      pairs.append(nb::make_tuple(raw[i], raw[i + 1]));
  }
  return pairs;
}

// The devices given by the program: PoCL names the whole device for a context of sub-devices.
nb::list devices_of(const Context& self) {
  nb::list devices;
  for (const opencl::Device& device : self.context.devices()) devices.append(make_device(device));
  return devices;
}

nb::object context_info(const Context& self, long long param) {
  const auto parameter = static_cast<opencl::ContextInfo>(param);
  if (parameter == opencl::ContextInfo::properties) return property_pairs(self);
  if (parameter == opencl::ContextInfo::devices) return devices_of(self);
  if (parameter == opencl::ContextInfo::num_devices) return nb::int_(self.context.devices().size());
  return to_python(self.context.shared_table(), self.context.info(parameter));
}

std::string represent(const Context& self) {
  char pointer[32];
  std::snprintf(pointer, sizeof pointer, "%#zx",
                reinterpret_cast<std::uintptr_t>(self.context.raw()));
  std::string text = std::string("<pyopencl.Context at ") + pointer + " on ";
  bool is_first = true;
  for (const opencl::Device& device : self.context.devices()) {
    if (!is_first) text += ", ";
    is_first = false;
    text += nb::cast<std::string>(nb::repr(make_device(device)));
  }
  return text + ">";
}

}  // namespace

nb::object make_context(opencl::Context context) { return nb::cast(Context{std::move(context)}); }

void bind_context(nb::module_& m) {
  auto type = nb::class_<Context>(m, "Context", nb::dynamic_attr(), nb::is_weak_referenceable(),
                                  "Devices of one platform that share memory and programs.");
  type.def("__init__",
           pyopencl([](nb::pointer_and_handle<Context> self, nb::object devices,
                       nb::object properties, nb::object dev_type, nb::object cache_dir) {
             new (self.p) Context{create(devices, properties, dev_type)};
             // An attribute, because programs also set it on existing contexts. Program.build()
             // reads it.
             if (!cache_dir.is_none()) nb::setattr(self.h, "cache_dir", cache_dir);
           }),
           nb::arg("devices") = nb::none(), nb::arg("properties") = nb::none(),
           nb::arg("dev_type") = nb::none(), nb::arg("cache_dir") = nb::none());
  bind_identity(type, [](const Context& self) { return self.context.raw(); });
  bind_from_pointer<opencl::RawContext>(type, [](opencl::RawContext raw, opencl::Ownership own) {
    return make_context(opencl::Context(loader_table(), raw, own));
  });
  bind_info(type, "context_info", context_info);
  type.def("set_default_device_command_queue",
           pyopencl([](const Context& self, const Device& device, const CommandQueue& queue) {
             self.context.set_default_device_queue(device.device, queue.queue);
           }),
           nb::arg("device"), nb::arg("queue"),
           "Where kernels on `device` enqueue to by default. Needs OpenCL 2.1.")
      .def("on_destruction", pyopencl([](const Context& self, nb::handle callback) {
             self.context.on_destruction(
                 [callback = Callback(callback, {"Context.on_destruction", "callback"})] {
                   callback.call_apart([] { return nb::make_tuple(); });
                 });
           }),
           nb::arg("callback"),
           "Calls callback() on another thread when the context ends, after all that was made in "
           "it. Needs OpenCL 3.0.")
      .def("_get_cl_version", pyopencl([](const Context& self) {
             const opencl::Version version = self.context.platform().version();
             return nb::make_tuple(version.major, version.minor);
           }))
      .def("__repr__", pyopencl(represent));
}

}  // namespace treadle::bindings::cl
