// SPDX-License-Identifier: MIT
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <span>
#include <string>
#include <vector>

#include "pyopencl/classes.hpp"
#include "pyopencl/info.hpp"
#include "pyopencl/kernel.hpp"
#include "python_parts.hpp"

namespace treadle::bindings::cl {
namespace {

std::span<const std::byte> bytes_in(nb::handle object, const Argument& argument) {
  if (PyBytes_Check(object.ptr()) == 0) refuse_kind(object, argument, "bytes");
  return std::as_bytes(std::span(PyBytes_AS_STRING(object.ptr()),
                                 static_cast<std::size_t>(PyBytes_GET_SIZE(object.ptr()))));
}

// None means the core's default: all devices of the context or of the program.
std::vector<opencl::Device> devices_or_all(nb::handle given, const char* call) {
  return given.is_none() ? std::vector<opencl::Device>() : devices_in(given, {call, "devices"});
}

void construct_from_source(Program* self, const Context& context, nb::handle source) {
  const std::string text = text_in(source, {"Program", "source"});
  new (self) Program{opencl::Program::from_source(context.context, text)};
}

void construct_from_binaries(Program* self, const Context& context, nb::handle devices,
                             nb::handle binaries) {
  const std::vector<opencl::Device> chosen = devices_or_all(devices, "Program");
  std::vector<opencl::Bytes> code;
  for_each_in(binaries, {"Program", "binaries"}, "an iterable of bytes",
              [&](nb::handle binary, const Argument& which) {
                const auto bytes = bytes_in(binary, which);
                code.emplace_back(bytes.begin(), bytes.end());
              });
  if (chosen.size() != code.size())
    raise_logic_error("clCreateProgramWithBinary", std::to_string(chosen.size()) + " devices, " +
                                                       std::to_string(code.size()) + " binaries");
  new (self) Program{opencl::Program::from_binaries(context.context, chosen, code)};
}

void build(const Program& self, nb::handle options, nb::handle devices) {
  const std::string words = text_in(options, {"Program.build", "options"});
  const std::vector<opencl::Device> chosen = devices_or_all(devices, "Program.build");
  nb::gil_scoped_release released;
  self.program.build(words, chosen);
}

void compile(const Program& self, nb::handle options, nb::handle devices, nb::handle headers) {
  const std::string words = text_in(options, {"Program.compile", "options"});
  const std::vector<opencl::Device> chosen = devices_or_all(devices, "Program.compile");
  std::vector<opencl::Program::Header> included;
  constexpr const char* pairs = "pairs of a header's name and its program";
  for_each_in(headers, {"Program.compile", "headers"}, pairs,
              [&](nb::handle header, const Argument& which) {
                const auto [name, program] =
                    pair_in(header, which, "a pair of a header's name and its program");
                included.emplace_back(text_in(name, which),
                                      object_in<Program>(program, which).program);
              });
  nb::gil_scoped_release released;
  self.program.compile(words, included, chosen);
}

Program link(const Context& context, nb::handle programs, nb::handle options, nb::handle devices) {
  std::vector<opencl::Program> parts;
  for_each_in(programs, {"link_program", "programs"}, "an iterable of programs",
              [&](nb::handle program, const Argument& which) {
                parts.push_back(object_in<Program>(program, which).program);
              });
  const std::string words = text_in(options, {"link_program", "options"});
  const std::vector<opencl::Device> chosen = devices_or_all(devices, "link_program");
  nb::gil_scoped_release released;
  return {opencl::Program::link(context.context, parts, words, chosen)};
}

nb::object program_info(const Program& self, long long param) {
  return to_python(self.program.shared_table(),
                   self.program.info(static_cast<opencl::ProgramInfo>(param)));
}

nb::object build_info(const Program& self, const Device& device, long long param) {
  return to_python(
      self.program.shared_table(),
      self.program.build_info(device.device, static_cast<opencl::ProgramBuildInfo>(param)));
}

// (device, its compiler's log) for each device. An error replaces a log that cannot be read.
nb::list build_logs(const Program& self) {
  nb::list logs;
  for (const opencl::Device& device : self.program.devices()) {
    std::string log;
    try {
      log = self.program.build_log(device);
    } catch (const Error&) {
      log = "<error retrieving log>";
    }
    logs.append(nb::make_tuple(make_device(device), log));
  }
  return logs;
}

// The name that the constant classes use.
std::string kind_name(nb::handle value, nb::handle default_format) {
  opencl::ProgramKind kind{};
  if (!nb::try_cast(value, kind)) {
    const auto number = static_cast<long long>(bits_in(value, {"program_kind.to_string", "value"}));
    constexpr const char* names[] = {"UNKNOWN", "SOURCE", "BINARY", "IL"};
    if (number >= 0 && number < 4) return names[number];
    if (default_format.is_none())
      raise_python(PyExc_ValueError, "a program_kind of value " + std::to_string(number) +
                                         " has no name: pass one of 0 to 3, or a default_format");
    return nb::cast<std::string>(nb::steal(PyNumber_Remainder(default_format.ptr(), value.ptr())));
  }
  return nb::cast<std::string>(nb::cast(kind).attr("name"));
}

void bind_kind(nb::module_& m) {
  nb::enum_<opencl::ProgramKind>(m, "program_kind", "What a program was made from.")
      .value("UNKNOWN", opencl::ProgramKind::unknown)
      .value("SOURCE", opencl::ProgramKind::source)
      .value("BINARY", opencl::ProgramKind::binary)
      .value("IL", opencl::ProgramKind::il)
      .def_static("to_string", pyopencl(kind_name), nb::arg("value"),
                  nb::arg("default_format") = nb::none(),
                  "The name of a kind or of its number; a number without one as the format "
                  "has it, or ValueError.");
}

void bind_builds(nb::class_<Program>& type) {
  type.def("_build", pyopencl(build), nb::arg("options") = nb::bytes(""),
           nb::arg("devices") = nb::none())
      .def("build", pyopencl([](nb::object self, nb::handle options, nb::handle devices) {
             build(nb::cast<const Program&>(self), options, devices);
             return self;
           }),
           nb::arg("options") = nb::bytes(""), nb::arg("devices") = nb::none(),
           "_build() that gives the program.")
      .def("compile", pyopencl(compile), nb::arg("options") = nb::bytes(""),
           nb::arg("devices") = nb::none(), nb::arg("headers") = nb::list())
      .def_static("link", pyopencl(link), nb::arg("context"), nb::arg("programs"),
                  nb::arg("options") = nb::bytes(""), nb::arg("devices") = nb::none())
      .def("get_build_info", pyopencl(build_info), nb::arg("device"), nb::arg("param"))
      .def("_get_build_logs", pyopencl(build_logs))
      .def("set_specialization_constant",
           pyopencl([](const Program& self, unsigned id, nb::handle value) {
             const HostBuffer bytes(value, HostBuffer::read, "buffer");
             self.program.set_specialization_constant(id, bytes.bytes());
           }),
           nb::arg("spec_id"), nb::arg("buffer"));
}

}  // namespace

nb::object make_program(opencl::Program program) {
  const nb::object face = python_part("pyopencl Program");
  return face(Program{std::move(program)});
}

void bind_program(nb::module_& m) {
  bind_kind(m);
  auto type = nb::class_<Program>(m, "_Program", nb::dynamic_attr(), nb::is_weak_referenceable(),
                                  "Code for the devices of a context.");
  type.def("__init__", pyopencl(construct_from_source), nb::arg("context"), nb::arg("src"))
      .def("__init__", pyopencl(construct_from_binaries), nb::arg("context"), nb::arg("devices"),
           nb::arg("binaries"))
      .def_static(
          "create_with_built_in_kernels",
          pyopencl([](const Context& context, nb::handle devices, const std::string& names) {
            const auto chosen = devices_or_all(devices, "create_program_with_built_in_kernels");
            return Program{opencl::Program::from_built_in_kernels(context.context, chosen, names)};
          }),
          nb::arg("context"), nb::arg("devices"), nb::arg("kernel_names"))
      .def("kind", pyopencl([](const Program& self) { return self.program.kind(); }))
      .def("all_kernels", pyopencl([](const Program& self) {
             nb::list kernels;
             for (opencl::Kernel& kernel : self.program.kernels())
               kernels.append(make_kernel(std::move(kernel)));
             return kernels;
           }));
  bind_identity(type, [](const Program& self) { return self.program.raw(); });
  bind_from_pointer<opencl::RawProgram>(type, [](opencl::RawProgram raw, opencl::Ownership own) {
    return nb::cast(Program{opencl::Program(loader_table(), raw, own)});
  });
  bind_info(type, "program_info", program_info);
  bind_builds(type);
  m.def("_create_program_with_il", pyopencl([](const Context& context, nb::handle il) {
          return Program{
              opencl::Program::from_il(context.context, bytes_in(il, {"Program", "source"}))};
        }),
        nb::arg("context"), nb::arg("src"));
}

}  // namespace treadle::bindings::cl
