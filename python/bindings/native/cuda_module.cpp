// SPDX-License-Identifier: MIT
#include "treadle/cuda/module.hpp"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "calls/function.hpp"
#include "image.hpp"
#include "rooms.hpp"

namespace treadle::bindings {

void bind_cuda_module(nb::module_& m) {
  using cuda::Module;
  nb::class_<Module>(m, "Module", nb::is_weak_referenceable(),
                     "Code loaded into the current context.")
      .def(
          "__init__", [](Module* self, const PyImage& image) { new (self) Module(image.image); },
          nb::arg("image"), nb::call_guard<nb::gil_scoped_release>())
      .def(
          "__init__",
          [](Module* self, nb::bytes code) {
            const std::span bytes(static_cast<const std::byte*>(code.data()), code.size());
            nb::gil_scoped_release released;
            new (self) Module(bytes);
          },
          nb::arg("code"))
      .def_static("load_file", &Module::load_file, nb::arg("path"),
                  nb::call_guard<nb::gil_scoped_release>(),
                  "The driver reads the file. Raises DeviceError naming it if it cannot.")
      .def(
          "function",
          [](const Module& self, std::string_view name) {
            return make_function(self.function(name), Face::native);
          },
          nb::arg("name"), nb::sig("def function(self, name: str) -> Function"),
          "A kernel by symbol or by C++ name expression.")
      .def(
          "variable",
          [](const Module& self, std::string_view name) {
            const cuda::Global global = self.global(name);
            return nb::make_tuple(global.address, global.size_bytes);
          },
          nb::arg("name"), "(address, size) of a __device__ or __constant__ variable.")
      .def_prop_ro("function_names", &Module::function_names);
}

}  // namespace treadle::bindings
