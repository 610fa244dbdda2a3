// SPDX-License-Identifier: MIT
#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "left_uses.hpp"
#include "rooms.hpp"
#include "treadle/base/language.hpp"
#include "treadle/process/census.hpp"
#include "treadle/process/library.hpp"
#include "treadle/process/settings.hpp"
#include "treadle/process/trace.hpp"

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
      .def_ro("opencl_cpu_as_gpu", &Settings::opencl_cpu_as_gpu)
      .def_ro("compiler_library", &Settings::compiler_library)
      .def_ro("libraries", &Settings::libraries)
      .def_ro("library_dir", &Settings::library_dir)
      .def_ro("cpu_threads", &Settings::cpu_threads)
      .def_ro("cpu_memory_bytes", &Settings::cpu_memory_bytes)
      .def_ro("pool_seconds", &Settings::pool_seconds)
      .def_ro("pool_percent", &Settings::pool_percent)
      .def_ro("watchdog_seconds", &Settings::watchdog_seconds)
      .def_ro("pycuda_cuda_version", &Settings::pycuda_cuda_version)
      .def_prop_ro("checks", [](const Settings& settings) { return settings.checks.names(); })
      .def_ro("sync", &Settings::sync)
      .def_ro("dump", &Settings::dump)
      .def_ro("trace", &Settings::trace);
  m.def("settings", &settings, nb::rv_policy::reference, "What the environment chose, read once.");
}

/// A TraceRange for a `with` block.
class TracedBlock {
 public:
  explicit TracedBlock(std::string name) : name_(std::move(name)) {}
  TracedBlock(const TracedBlock&) = delete;
  TracedBlock& operator=(const TracedBlock&) = delete;
  void enter() { ranges_.push_back(std::make_unique<TraceRange>(name_)); }
  void exit() {
    if (!ranges_.empty()) ranges_.pop_back();
  }

 private:
  std::string name_;
  std::vector<std::unique_ptr<TraceRange>> ranges_;
};

void bind_trace(nb::module_& m) {
  m.def("start_trace", &start_trace, nb::arg("file"),
        "Records compiles, copies, launches and waits into `file`, as TREADLE_TRACE does: call it "
        "before the first device is looked for and the first text compiled.");
  m.def("is_tracing", &is_tracing, "Whether this process records a trace.");
  m.def("write_trace", &write_trace, nb::call_guard<nb::gil_scoped_release>(),
        "Writes what was recorded so far, once devices have done what is queued; the end of the "
        "process does so, too.");
  nb::class_<TracedBlock>(m, "TraceRange",
                          "`with TraceRange(\"assembly\"):` is an event of that name in the trace.")
      .def(nb::init<std::string>(), nb::arg("name"))
      .def(
          "__enter__",
          [](TracedBlock& self) -> TracedBlock& {
            self.enter();
            return self;
          },
          nb::rv_policy::reference)
      .def(
          "__exit__", [](TracedBlock& self, const nb::args&) { self.exit(); },
          nb::sig("def __exit__(self, *exception: object) -> None"));
}

}  // namespace

void bind_base(nb::module_& m) {
  bind_settings(m);
  bind_trace(m);
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
  m.def(
      "live_objects",
      [] {
        release_left_uses();  // drops uses that ended since somebody last asked
        return live_objects();
      },
      "How many objects of the run-time systems this process has now, by kind. Collect garbage "
      "first to see what is still in use.");
}

}  // namespace treadle::bindings
