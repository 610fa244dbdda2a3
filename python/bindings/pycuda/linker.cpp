// SPDX-License-Identifier: MIT
#include "treadle/cuda/linker.hpp"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>

#include <optional>

#include "kept_objects.hpp"
#include "pycuda/module.hpp"
#include "rooms.hpp"

namespace treadle::bindings {
namespace face {
namespace {

/// A linker with its message handler, which is called for each step that fails and for the last
/// step.
struct Linker {
  cuda::Linker linker;
  nb::object message_handler;

  /// Runs one step without the GIL.
  template <class Step>
  auto run(Step step) {
    try {
      nb::gil_scoped_release released;
      return step(linker);
    } catch (const DeviceError&) {
      report(message_handler, false, linker.log());
      throw;
    }
  }
};

cuda::LinkInput input_type(nb::handle type) {
  return static_cast<cuda::LinkInput>(enum_value(type, "input_type"));
}

Linker make_linker(nb::object message_handler, nb::handle options, bool log_verbose) {
  JitOptions list;
  if (!options.is_none()) list = jit_options(options);
  if (log_verbose) list.emplace_back(cuda::JitOption::log_verbose, 1);
  current_context();
  return {cuda::Linker(list), std::move(message_handler)};
}

void add_data(Linker& self, nb::handle data, nb::handle type, const std::string& name) {
  const HostBuffer code(data, HostBuffer::read);
  const cuda::LinkInput kind = input_type(type);
  self.run([&](cuda::Linker& linker) {
    linker.add({static_cast<const std::byte*>(code.data()), code.size()}, kind, name);
  });
}

Module link_module(Linker& self) {
  ModuleImage image = self.run([](cuda::Linker& linker) { return linker.link(); });
  std::optional<cuda::Module> module;
  self.run([&](cuda::Linker&) { module.emplace(image); });
  report(self.message_handler, true, self.linker.log());
  return {std::move(*module)};
}

}  // namespace
}  // namespace face

void bind_pycuda_linker(nb::module_& m) {
  using face::Linker;
  static PyType_Slot slots[] = {
      type_slot(Py_tp_traverse, traverse_kept<Linker, &Linker::message_handler>),
      type_slot(Py_tp_clear, clear_kept<Linker, &Linker::message_handler>),
      {0, nullptr}};
  nb::class_<Linker>(m, "Linker", nb::dynamic_attr(), nb::is_weak_referenceable(),
                     nb::type_slots(slots), "Several modules into one.")
      .def("__init__",
           pycuda([](Linker* self, nb::object message_handler, nb::object options,
                     bool log_verbose) {
             new (self) Linker(face::make_linker(std::move(message_handler), options, log_verbose));
           }),
           nb::arg("message_handler") = nb::none(), nb::arg("options") = nb::none(),
           nb::arg("log_verbose") = false)
      .def("add_data",
           pycuda([](Linker& self, nb::object data, nb::object type, const std::string& name) {
             face::add_data(self, data, type, name);
           }),
           nb::arg("data"), nb::arg("input_type"), nb::arg("name") = "unknown",
           "Adds code, of a jit_input_type.")
      .def("add_file",
           pycuda([](Linker& self, const std::filesystem::path& filename, nb::object type) {
             const cuda::LinkInput kind = face::input_type(type);
             self.run([&](cuda::Linker& linker) { linker.add_file(filename, kind); });
           }),
           nb::arg("filename"), nb::arg("input_type"), "Adds the code in a file.")
      .def("_add_library",
           pycuda([](Linker& self, const std::string& name, const std::filesystem::path& folder) {
             self.run([&](cuda::Linker& linker) { linker.add_library(name, folder); });
           }),
           nb::arg("name"), nb::arg("folder") = std::filesystem::path(),
           "Adds lib<name>.a of the folder, or of a CUDA toolkit.")
      .def("link_module", pycuda([](Linker& self) { return face::link_module(self); }),
           "Links what was added, and loads it. A linker links once.");
  m.def("_find_static_library",
        pycuda([](const std::string& name, const std::filesystem::path& folder) {
          return cuda::find_static_library(name, folder);
        }),
        nb::arg("name"), nb::arg("folder") = std::filesystem::path(),
        "lib<name>.a of the folder, or of a CUDA toolkit.");
}

}  // namespace treadle::bindings
