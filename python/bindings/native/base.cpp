// SPDX-License-Identifier: MIT
#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "rooms.hpp"
#include "treadle/base/census.hpp"
#include "treadle/base/language.hpp"
#include "treadle/base/library.hpp"
#include "treadle/base/settings.hpp"

namespace treadle::bindings {
namespace {

void bind_settings(nb::module_& m) {
  nb::class_<Settings>(m, "Settings", "What the environment chose, read once.")
      .def_ro("device", &Settings::device)
      .def_ro("cache", &Settings::cache)
      .def_ro("cache_dir", &Settings::cache_dir)
      .def_ro("shared_cache_dirs", &Settings::shared_cache_dirs)
      .def_ro("cache_max_bytes", &Settings::cache_max_bytes)
      .def_ro("compiler", &Settings::compiler)
      .def_ro("nvcc", &Settings::nvcc)
      .def_ro("libcuda", &Settings::libcuda)
      .def_ro("libopencl", &Settings::libopencl)
      .def_ro("compiler_library", &Settings::compiler_library)
      .def_ro("library_dir", &Settings::library_dir)
      .def_ro("cpu_threads", &Settings::cpu_threads)
      .def_ro("cpu_memory_bytes", &Settings::cpu_memory_bytes)
      .def_ro("watchdog_seconds", &Settings::watchdog_seconds)
      .def_prop_ro("checks", [](const Settings& settings) { return settings.checks.names(); })
      .def_ro("sync", &Settings::sync)
      .def_ro("dump", &Settings::dump);
  m.def("settings", &settings, nb::rv_policy::reference, "What the environment chose, read once.");
}

}  // namespace

void bind_base(nb::module_& m) {
  bind_settings(m);
  nb::enum_<Language>(m, "Language", "What kernel text is written in; str() gives its name.")
      .value("cuda_c", Language::cuda_c)
      .value("opencl_c", Language::opencl_c)
      .def("__str__", [](Language self) { return std::string(language_name(self)); });
  nb::class_<LibrarySearch>(m, "LibrarySearch", "Where a search for a library ended.")
      .def_prop_ro("path",
                   [](const LibrarySearch& search) {
                     return search.path ? nb::cast(*search.path) : nb::none();
                   })
      .def_ro("tried", &LibrarySearch::tried);
  m.def("find_own_library", &find_own_library, nb::arg("file_name"),
        "Finds one of Treadle's own libraries, with every place that was tried.");
  m.def("live_objects", &live_objects,
        "How many objects of the run-time systems this process has now, by kind. Collect garbage "
        "first to see what is still in use.");
}

}  // namespace treadle::bindings
