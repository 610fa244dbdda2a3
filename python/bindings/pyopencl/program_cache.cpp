// SPDX-License-Identifier: MIT
// Compiles OpenCL C through Treadle's cache. The opencl and compile rooms meet here, because
// neither includes the other.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pyopencl/classes.hpp"
#include "treadle/compile/cached.hpp"
#include "treadle/opencl/program_binary.hpp"
#include "treadle/process/debug_files.hpp"

namespace treadle::bindings::cl {
namespace {

struct Request {
  std::string source;
  std::vector<std::string> words;                   ///< all options in order
  std::vector<std::filesystem::path> include_dirs;  ///< the folders of -I
  compile::CachePlace place;
};

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

compile::BinaryKey key_of(const Request& request, const opencl::Device& device) {
  compile::BinaryKey key;
  key.language = Language::opencl_c;
  key.source = request.source;
  key.include_dirs = request.include_dirs;
  for (auto& [name, value] : opencl::binary_identity(device))
    key.identity.push_back({std::move(name), std::move(value)});
  // Folders do not belong to the key; the headers found in them do.
  for (std::size_t i = 0; i < request.words.size(); ++i) {
    if (request.words[i] == "-I")
      ++i;
    else if (!request.words[i].starts_with("-I"))
      key.options.push_back(request.words[i]);
  }
  return key;
}

struct Built {
  opencl::Program program;
  std::vector<compile::CompileResult> images;  ///< one for each device
};

/// `compiled` is set to the program that was compiled last, even if compiling failed.
Built build_cached(const opencl::Context& context, const std::vector<opencl::Device>& devices,
                   const Request& request, opencl::Program& compiled) {
  const std::string options = joined(request.words);
  std::vector<compile::BinaryRequest> wanted;
  for (const opencl::Device& device : devices)
    wanted.push_back({key_of(request, device), [&] {
                        compiled = opencl::Program::from_source(context, request.source);
                        auto made = opencl::compile_binary(compiled, device, options);
                        return compile::Binary{std::move(made.code), std::move(made.log)};
                      }});
  Built built;
  const auto text = std::make_shared<const opencl::ProgramText>(request.source, options);
  const auto load = [&](const std::vector<compile::CompileResult>& images) {
    std::vector<opencl::Bytes> binaries;
    for (const compile::CompileResult& image : images) binaries.push_back(image.image.code);
    built.program = opencl::Program::from_binaries(context, devices, binaries, text);
    built.program.build(options, devices);
  };
  built.images = compile::load_cached(wanted, load, request.place);
  return built;
}

// over 6 parameters because Python passes each by itself
nb::tuple build_from_source(const Context& context, const std::string& source,
                            std::vector<std::string> words,
                            std::vector<std::filesystem::path> include_dirs, nb::handle given,
                            std::optional<std::filesystem::path> folder, nb::list left) {
  Request request{source, std::move(words), std::move(include_dirs), {}};
  request.place.folder = folder.value_or(std::filesystem::path());
  std::vector<opencl::Device> devices = context.context.devices();
  if (!given.is_none()) {
    devices = devices_in(given, {"Program.build", "devices"});
  }
  opencl::Program compiled;
  Built built;
  try {
    nb::gil_scoped_release released;
    built = build_cached(context.context, devices, request, compiled);
  } catch (const Error&) {
    // With several devices it would be the program of only one of them.
    if (compiled && devices.size() == 1) left.append(Program{std::move(compiled)});
    throw;
  }
  nb::list logs;
  for (std::size_t i = 0; i < devices.size(); ++i)
    logs.append(nb::make_tuple(make_device(devices[i]), built.images[i].log));
  const bool from_cache =
      std::ranges::none_of(built.images, [](const compile::CompileResult& image) {
        return image.origin == compile::Origin::compiled;
      });
  return nb::make_tuple(Program{std::move(built.program)}, logs, from_cache);
}

}  // namespace

void bind_program_cache(nb::module_& m) {
  m.def(
      "_name_cache_folder", [] { name_xdg_cache_folder("pyopencl"); },
      "Below XDG_CACHE_HOME the cache is called as PyOpenCL's from now on.");
  m.def(
      "_is_costly_as_binary",
      [](const std::string& source, const Device& device) {
        return opencl::is_costly_as_binary(device.device, source);
      },
      nb::arg("source"), nb::arg("device"), "Whether the platform's own cache is the better one.");
  m.def("_build_cached", pyopencl(build_from_source), nb::arg("context"), nb::arg("source"),
        nb::arg("options"), nb::arg("include_dirs"), nb::arg("devices").none(),
        nb::arg("folder").none(), nb::arg("left"),
        "(built program, [(device, log)], whether the cache had it). Where that fails after a "
        "compile for the one device, `left` gets the program, with the compiler's log.");
}

}  // namespace treadle::bindings::cl
