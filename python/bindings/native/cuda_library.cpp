// SPDX-License-Identifier: MIT
#include "treadle/cuda/library.hpp"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "calls/function.hpp"
#include "cuda_html.hpp"
#include "html_table.hpp"
#include "image.hpp"
#include "interrupt.hpp"
#include "rooms.hpp"

namespace treadle::bindings {

namespace {

using LibraryKernel = cuda::Kernel;

void bind_library_kernel(nb::module_& m) {
  nb::class_<LibraryKernel> kernel(m, "Kernel", nb::is_weak_referenceable(),
                                   "A kernel of a library, for every context.");
  let_go_without_gil<LibraryKernel>();
  kernel
      .def(
          "function",
          [](const LibraryKernel& self) {
            nb::gil_scoped_release released;
            cuda::Function function = self.function();
            nb::gil_scoped_acquire held;
            return make_function(std::move(function), Face::native);
          },
          nb::sig("def function(self) -> Function"),
          "In the current context, where the library is loaded by this if it was not.")
      .def_prop_ro(
          "parameters",
          [](const LibraryKernel& self) -> nb::object {
            const cuda::ParameterLayout layout = self.parameters();
            return layout.known ? nb::cast(layout.parameters) : nb::none();
          },
          nb::for_getter(nb::sig("def parameters(self, /) -> list[KernelParameter] | None")),
          "Offsets and sizes; None where the driver does not tell.")
      .def("attribute", &LibraryKernel::attribute, nb::arg("attribute"), nb::arg("device"),
           "What the driver knows about the kernel on a device.")
      .def("set_attribute", &LibraryKernel::set_attribute, nb::arg("attribute"), nb::arg("value"),
           nb::arg("device"),
           "For the functions of all contexts that do not have a value of their own.")
      .def("set_cache_config", &LibraryKernel::set_cache_config, nb::arg("config"),
           nb::arg("device"), "Prefers shared memory or L1.")
      .def("_repr_html_",
           [](const LibraryKernel& self) {
             return html_table(
                 "kernel " + self.name(),
                 {{"symbol", self.symbol()}, {"parameters", parameters_text(self.parameters())}});
           })
      .def_prop_ro("name", &LibraryKernel::name, "As a reader knows it.")
      .def_prop_ro("symbol", &LibraryKernel::symbol, "As the library's symbol table has it.")
      .def_prop_ro("library", &LibraryKernel::library)
      .def_prop_ro(
          "raw",
          [](const LibraryKernel& self) { return reinterpret_cast<std::uintptr_t>(self.raw()); })
      .def(
          "__eq__",
          [](const LibraryKernel& self, nb::handle other) {
            return nb::isinstance<LibraryKernel>(other) &&
                   self == nb::cast<const LibraryKernel&>(other);
          },
          nb::is_operator())
      .def("__hash__",
           [](const LibraryKernel& self) { return reinterpret_cast<std::uintptr_t>(self.raw()); });
}

}  // namespace

void bind_cuda_library(nb::module_& m) {
  using cuda::Library;
  nb::class_<Library> type(m, "Library", nb::is_weak_referenceable(),
                           "Code that is loaded once for all contexts.");
  let_go_without_gil<Library>();
  bind_library_kernel(m);
  type.def(
          "__init__", [](Library* self, const PyImage& image) { new (self) Library(image.image); },
          nb::arg("image"), nb::call_guard<nb::gil_scoped_release>())
      .def(
          "__init__",
          [](Library* self, nb::bytes code) {
            const std::span bytes(static_cast<const std::byte*>(code.data()), code.size());
            nb::gil_scoped_release released;
            new (self) Library(bytes);
          },
          nb::arg("code"))
      .def_static(
          "load_file", [](const std::filesystem::path& path) { return Library::load_file(path); },
          nb::arg("path"), nb::call_guard<nb::gil_scoped_release>(),
          "The driver reads the file. Raises DeviceError naming it if it cannot.")
      .def("kernel", &Library::kernel, nb::arg("name"),
           "A kernel by symbol or by C++ name expression.")
      .def_prop_ro("kernel_names", &Library::kernel_names)
      .def("variable", &Library::global, nb::arg("name"), nb::call_guard<nb::gil_scoped_release>(),
           "The current context's copy of a __device__ or __constant__ variable.")
      .def("managed", &Library::managed, nb::arg("name"), nb::call_guard<nb::gil_scoped_release>(),
           "A __managed__ variable, of which there is one for all contexts.")
      .def(
          "unified_function",
          [](const Library& self, std::string_view name) {
            return reinterpret_cast<std::uintptr_t>(self.unified_function(name));
          },
          nb::arg("name"), "The address of a function that the host and all devices call.")
      .def("module", &Library::module, nb::call_guard<nb::gil_scoped_release>(),
           "The library as a module of the current context.")
      .def_prop_ro("driver", &Library::driver)
      .def_prop_ro("raw",
                   [](const Library& self) { return reinterpret_cast<std::uintptr_t>(self.raw()); })
      .def(
          "__eq__",
          [](const Library& self, nb::handle other) {
            return nb::isinstance<Library>(other) && self == nb::cast<const Library&>(other);
          },
          nb::is_operator())
      .def("__hash__",
           [](const Library& self) { return reinterpret_cast<std::uintptr_t>(self.raw()); });
}

}  // namespace treadle::bindings
