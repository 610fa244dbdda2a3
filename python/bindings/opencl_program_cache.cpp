// SPDX-License-Identifier: MIT
// Programs of OpenCL C through Treadle's cache: the two rooms meet here, for neither knows the
// other.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "opencl_classes.hpp"
#include "treadle/compile/cached.hpp"

namespace treadle::bindings::cl {
namespace {

using opencl::DeviceInfo;
using opencl::PlatformInfo;

struct Request {
  std::string source;
  std::vector<std::string> words;                   ///< all options, in order
  std::vector<std::filesystem::path> include_dirs;  ///< those among them that -I names
  compile::CachePlace place;
};

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// Whatever else decides what a platform's compiler makes of a text.
std::vector<compile::KeyField> identity_of(const opencl::Device& device) {
  const opencl::Platform platform = device.platform();
  return {{"platform", platform.name()},
          {"platform vendor", platform.vendor()},
          {"platform version", platform.get<PlatformInfo::version>()},
          {"device", device.get<DeviceInfo::name>()},
          {"device vendor", device.get<DeviceInfo::vendor>()},
          {"device version", device.get<DeviceInfo::version>()},
          {"driver version", device.get<DeviceInfo::driver_version>()}};
}

compile::BinaryKey key_of(const Request& request, const opencl::Device& device) {
  compile::BinaryKey key;
  key.language = "opencl-c";
  key.source = request.source;
  key.include_dirs = request.include_dirs;
  key.identity = identity_of(device);
  // Folders are no part of the key, the headers found in them are.
  for (std::size_t i = 0; i < request.words.size(); ++i) {
    if (request.words[i] == "-I")
      ++i;
    else if (!request.words[i].starts_with("-I"))
      key.options.push_back(request.words[i]);
  }
  return key;
}

compile::Binary build_for(const opencl::Context& context, const opencl::Device& device,
                          const Request& request) {
  const auto program = opencl::Program::from_source(context, request.source);
  program.build(joined(request.words), std::span(&device, 1));
  const std::vector<opencl::Device> devices = program.devices();
  const std::vector<opencl::Bytes> binaries = program.binaries();
  for (std::size_t i = 0; i < devices.size(); ++i)
    if (devices[i].raw() == device.raw()) return {binaries[i], program.build_log(device)};
  throw NotSupported("platform " + device.platform().name() + " gives no binary of a program");
}

struct Built {
  opencl::Program program;
  std::vector<std::string> logs;  ///< one for each device
  bool from_cache = true;
};

Built build_cached(const opencl::Context& context, const std::vector<opencl::Device>& devices,
                   const Request& request) {
  Built built;
  std::vector<compile::Program> images;
  std::vector<opencl::Bytes> binaries;
  for (const opencl::Device& device : devices) {
    images.push_back(compile::cached(
        key_of(request, device), [&] { return build_for(context, device, request); },
        request.place));
    if (images.back().origin == compile::Origin::compiled) built.from_cache = false;
    built.logs.push_back(images.back().log);
    binaries.push_back(images.back().image.code);
  }
  try {
    built.program = opencl::Program::from_binaries(context, devices, binaries);
    built.program.build(joined(request.words), devices);
  } catch (const Error&) {
    if (!built.from_cache) throw;
    // The platform no longer takes what it once made: away with it, and once more from the source.
    for (const compile::Program& image : images) compile::discard_cached(image);
    return build_cached(context, devices, request);
  }
  return built;
}

nb::tuple build_from_source(const Context& context, const std::string& source,
                            std::vector<std::string> words,
                            std::vector<std::filesystem::path> include_dirs, nb::handle given,
                            std::optional<std::filesystem::path> folder) {
  Request request{source, std::move(words), std::move(include_dirs), {}};
  request.place.folder = folder.value_or(std::filesystem::path());
  std::vector<opencl::Device> devices = context.context.devices();
  if (!given.is_none()) {
    devices.clear();
    for (const nb::handle device : nb::borrow<nb::iterable>(given))
      devices.push_back(nb::cast<const Device&>(device).device);
  }
  Built built = [&] {
    nb::gil_scoped_release released;
    return build_cached(context.context, devices, request);
  }();
  nb::list logs;
  for (std::size_t i = 0; i < devices.size(); ++i)
    logs.append(nb::make_tuple(make_device(devices[i]), built.logs[i]));
  return nb::make_tuple(Program{std::move(built.program)}, logs, built.from_cache);
}

}  // namespace

void bind_program_cache(nb::module_& m) {
  m.def("_build_cached", pyopencl(build_from_source), nb::arg("context"), nb::arg("source"),
        nb::arg("options"), nb::arg("include_dirs"), nb::arg("devices") = nb::none(),
        nb::arg("folder") = nb::none(),
        "(built program, [(device, log)], whether the cache had it)");
}

}  // namespace treadle::bindings::cl
