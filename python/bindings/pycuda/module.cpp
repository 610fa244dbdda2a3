// SPDX-License-Identifier: MIT
#include <nanobind/stl/string.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "calls/bindings_handle.hpp"
#include "calls/function.hpp"
#include "image.hpp"
#include "interrupt.hpp"
#include "pycuda/module.hpp"
#include "pycuda/texture.hpp"
#include "rooms.hpp"
#include "treadle/device/c_parameters.hpp"

namespace treadle::bindings {
namespace face {

JitOptions jit_options(nb::handle options) {
  JitOptions list;
  const auto refuse = [](const char* what, nb::handle object) {
    raise_python(PyExc_TypeError, std::string(what) + Py_TYPE(object.ptr())->tp_name +
                                      ": pass [(jit_option.OPTIMIZATION_LEVEL, 3), ...]");
  };
  if (!nb::isinstance<nb::iterable>(options))
    refuse("options are pairs in a list, not a ", options);
  for (const nb::handle pair : nb::borrow<nb::iterable>(options)) {
    const bool is_pair = PySequence_Check(pair.ptr()) && PySequence_Size(pair.ptr()) == 2;
    PyErr_Clear();  // an object without a length
    if (!is_pair) refuse("an option is a pair of it and its value, not a ", pair);
    const nb::object option = pair[nb::int_(0)], value = pair[nb::int_(1)];
    list.emplace_back(static_cast<cuda::JitOption>(enum_value(option, "option")),
                      static_cast<unsigned>(unsigned_argument(value.ptr(), "option's value", ~0u)));
  }
  return list;
}

void report(nb::handle message_handler, bool success, const cuda::JitLog& log) {
  if (message_handler.is_valid() && !message_handler.is_none())
    message_handler(success, log.info, log.error);
}

namespace {

Module load(std::span<const std::byte> code, nb::handle options, nb::handle message_handler) {
  const JitOptions list = jit_options(options);
  current_context();
  cuda::JitLog log;
  try {
    std::optional<cuda::Module> module;
    {
      nb::gil_scoped_release released;
      module.emplace(code, list, &log);
    }
    report(message_handler, true, log);
    return {std::move(*module)};
  } catch (const Error&) {
    report(message_handler, false, log);
    throw;
  }
}

// NVIDIA's driver tells only the sizes of parameters. The source tells more where it is simple.
std::vector<device::Parameter> declared_parameters(const Module& module,
                                                   const cuda::Function& function) {
  const auto& parameters = function.parameters().parameters;
  if (module.source.empty() || parameters.empty() || !parameters[0].type.empty()) return {};
  std::vector<device::Parameter> found;
  for (device::KernelText& kernel : device::kernels_in(module.source)) {
    if (kernel.name != function.name()) continue;
    if (!found.empty()) return {};  // only the preprocessor knows which one is compiled
    found = std::move(kernel.parameters);
  }
  return found;
}

Module load_buffer(nb::handle buffer, nb::handle options, nb::handle message_handler) {
  const HostBuffer code(buffer, HostBuffer::read);
  return load({static_cast<const std::byte*>(code.data()), code.size()}, options, message_handler);
}

}  // namespace
}  // namespace face

void bind_pycuda_module(nb::module_& m) {
  using face::Module;
  auto type = nb::class_<Module>(m, "Module", nb::dynamic_attr(), nb::is_weak_referenceable(),
                                 "Code loaded into a context.");
  let_go_without_gil<Module>();
  refuse_construction(type);
  make_integer<Module>(type, "CUmodule", [](const Module& self) { return self.module.raw(); });
  type.def("get_function", pycuda([](const Module& self, const std::string& name) {
             cuda::Function function = function_without_gil(self.module, name);
             const auto declared = face::declared_parameters(self, function);
             return make_function(std::move(function), Face::pycuda, declared,
                                  scalar_aliases(self.source));
           }),
           nb::arg("name"), nb::sig("def get_function(self, name: str) -> Function"),
           "The kernel of that name, or of that C++ name expression.")
      .def("get_global", pycuda([](const Module& self, const std::string& name) {
             const cuda::Global global = self.module.global(name);
             return nb::make_tuple(global.address, global.size_bytes);
           }),
           nb::arg("name"), "(address, size) of a __device__ or __constant__ variable.")
      .def("get_texref", pycuda([](const Module& self, const std::string& name) {
             const nb::gil_scoped_release released;  // the driver may wait for what reads it
             return face::TextureReference{self.module.texture_reference(name)};
           }),
           nb::arg("name"), "The variable that was declared as texture<float, 2> name.")
      .def("get_surfref", pycuda([](const Module& self, const std::string& name) {
             const nb::gil_scoped_release released;  // the driver may wait for what reads it
             return face::SurfaceReference{self.module.surface_reference(name)};
           }),
           nb::arg("name"), "The variable that was declared as surface<void, 2> name.");
  m.def("module_from_file", pycuda([](nb::object filename) {
          const auto path =
              nb::cast<std::string>(nb::module_::import_("os").attr("fspath")(filename));
          face::current_context();
          nb::gil_scoped_release released;
          return Module{cuda::Module::load_file(path)};
        }),
        nb::arg("filename"), "Loads a cubin, PTX or fatbin file into the current context.");
  m.def("module_from_buffer",
        pycuda([](nb::object buffer, nb::object options, nb::object message_handler) {
          return face::load_buffer(buffer, options, message_handler);
        }),
        nb::arg("buffer"), nb::arg("options") = nb::tuple(),
        nb::arg("message_handler") = nb::none(), "Loads cubin, PTX or fatbin.");
  m.def("_module_from_image", pycuda([](const PyImage& image, std::string source) {
          face::current_context();
          nb::gil_scoped_release released;
          return Module{cuda::Module(image.image), std::move(source)};
        }),
        nb::arg("image"), nb::arg("source") = "",
        "Loads what treadle.compile_cuda made, with its C++ names.");
}

}  // namespace treadle::bindings
