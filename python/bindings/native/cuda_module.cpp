// SPDX-License-Identifier: MIT
#include "treadle/cuda/module.hpp"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "calls/function.hpp"
#include "image.hpp"
#include "interrupt.hpp"
#include "rooms.hpp"

namespace treadle::bindings {

void bind_cuda_function(nb::module_& m) {
  using cuda::FunctionAttribute;
  nb::enum_<FunctionAttribute>(m, "FunctionAttribute", "CUfunction_attribute.")
      .value("max_threads_per_block", FunctionAttribute::max_threads_per_block)
      .value("shared_size_bytes", FunctionAttribute::shared_size_bytes)
      .value("const_size_bytes", FunctionAttribute::const_size_bytes)
      .value("local_size_bytes", FunctionAttribute::local_size_bytes)
      .value("num_regs", FunctionAttribute::num_regs)
      .value("ptx_version", FunctionAttribute::ptx_version)
      .value("binary_version", FunctionAttribute::binary_version)
      .value("cache_mode_ca", FunctionAttribute::cache_mode_ca)
      .value("max_dynamic_shared_size_bytes", FunctionAttribute::max_dynamic_shared_size_bytes)
      .value("preferred_shared_memory_carveout",
             FunctionAttribute::preferred_shared_memory_carveout)
      .value("cluster_size_must_be_set", FunctionAttribute::cluster_size_must_be_set)
      .value("required_cluster_width", FunctionAttribute::required_cluster_width)
      .value("required_cluster_height", FunctionAttribute::required_cluster_height)
      .value("required_cluster_depth", FunctionAttribute::required_cluster_depth)
      .value("non_portable_cluster_size_allowed",
             FunctionAttribute::non_portable_cluster_size_allowed)
      .value("cluster_scheduling_policy_preference",
             FunctionAttribute::cluster_scheduling_policy_preference);
  nb::class_<cuda::KernelParameter>(m, "KernelParameter", "One parameter of a kernel.")
      .def_ro("name", &cuda::KernelParameter::name, "Empty where the driver does not tell.")
      .def_ro("type", &cuda::KernelParameter::type,
              "As in the source; empty where the driver does not tell.")
      .def_ro("offset", &cuda::KernelParameter::offset, "Bytes, in the packed parameter buffer.")
      .def_ro("size", &cuda::KernelParameter::size, "Bytes.");
  bind_function(m, Face::native);
}

void bind_cuda_module(nb::module_& m) {
  using cuda::Module;
  nb::class_<cuda::Global>(m, "Global", "A variable of a module.")
      .def_ro("address", &cuda::Global::address)
      .def_ro("size_bytes", &cuda::Global::size_bytes);
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
            return make_function(function_without_gil(self, name), Face::native);
          },
          nb::arg("name"), nb::sig("def function(self, name: str) -> Function"),
          "A kernel by symbol or by C++ name expression.")
      .def("variable", &Module::global, nb::arg("name"), "A __device__ or __constant__ variable.")
      .def_prop_ro("raw",
                   [](const Module& self) { return reinterpret_cast<std::uintptr_t>(self.raw()); })
      .def_prop_ro("function_names", &Module::function_names);
  let_go_without_gil<Module>();
}

}  // namespace treadle::bindings
