// SPDX-License-Identifier: MIT
#include "treadle/cuda/linker.hpp"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>

#include "image.hpp"
#include "rooms.hpp"

namespace treadle::bindings {

void bind_cuda_linker(nb::module_& m) {
  using cuda::Linker, cuda::LinkInput, cuda::JitLog;
  nb::enum_<LinkInput>(m, "LinkInput", "CUjitInputType.")
      .value("cubin", LinkInput::cubin)
      .value("ptx", LinkInput::ptx)
      .value("fatbinary", LinkInput::fatbinary)
      .value("object", LinkInput::object)
      .value("library", LinkInput::library);
  nb::class_<JitLog>(m, "JitLog", "What the driver's compiler and linker said.")
      .def_ro("info", &JitLog::info)
      .def_ro("error", &JitLog::error);
  nb::class_<Linker>(m, "Linker", nb::is_weak_referenceable(),
                     "Several modules, compiled with -rdc=true, into one.")
      .def("__init__", [](Linker* self) { new (self) Linker(); })
      .def(
          "add",
          [](Linker& self, nb::bytes code, LinkInput kind, const std::string& name) {
            const std::span bytes(static_cast<const std::byte*>(code.data()), code.size());
            nb::gil_scoped_release released;
            self.add(bytes, kind, name);
          },
          nb::arg("code"), nb::arg("kind"), nb::arg("name") = "unnamed",
          "Adds code; `name` is for messages.")
      .def("add_file", &Linker::add_file, nb::arg("path"), nb::arg("kind"),
           nb::call_guard<nb::gil_scoped_release>(), "Adds the code in a file.")
      .def("add_library", &Linker::add_library, nb::arg("name"),
           nb::arg("folder") = std::filesystem::path(), nb::call_guard<nb::gil_scoped_release>(),
           "Adds lib<name>.a of the folder, or of a CUDA toolkit.")
      .def(
          "link",
          [](Linker& self) {
            nb::gil_scoped_release released;
            return PyImage{self.link()};
          },
          "All that was added, for Module. A linker links once.")
      .def_prop_ro("log", &Linker::log);
}

}  // namespace treadle::bindings
