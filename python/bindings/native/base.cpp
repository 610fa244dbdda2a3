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
#include "treadle/process/coverage.hpp"
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
      .def_ro("trace", &Settings::trace)
      .def_ro("coverage", &Settings::coverage);
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

void bind_coverage(nb::module_& m) {
  nb::class_<CoveredLine>(m, "CoveredLine", "A line that holds code.")
      .def_ro("number", &CoveredLine::number)
      .def_ro("count", &CoveredLine::count, "Threads that came there.");
  nb::class_<CoveredBranch>(m, "CoveredBranch", "A condition, or a label of a switch.")
      .def_ro("line", &CoveredBranch::line)
      .def_ro("column", &CoveredBranch::column)
      .def_ro("taken", &CoveredBranch::taken, "Threads for which it held.")
      .def_ro("not_taken", &CoveredBranch::not_taken);
  nb::class_<CoveredFunction>(m, "CoveredFunction", "A function, or an instance of a template.")
      .def_ro("name", &CoveredFunction::name)
      .def_ro("line", &CoveredFunction::line)
      .def_ro("count", &CoveredFunction::count);
  nb::class_<CoveredText>(m, "CoveredText", "The text of kernels, or a header of theirs.")
      .def_ro("name", &CoveredText::name)
      .def_ro("text", &CoveredText::text)
      .def_ro("lines", &CoveredText::lines)
      .def_ro("branches", &CoveredText::branches)
      .def_ro("functions", &CoveredText::functions)
      .def_prop_ro("missed_lines", &CoveredText::missed_lines, "Lines that nobody reached.")
      .def_prop_ro("missed_ways", &CoveredText::missed_ways,
                   "Ways that nobody went; each branch has two.")
      .def_prop_ro("share", &CoveredText::share, "Lines and ways that were, of all there are.");
  m.def("read_coverage", &read_coverage, nb::arg("file"),
        "What a file of TREADLE_COVERAGE holds now: a list of texts.");
  m.def("reset_coverage", &reset_coverage, nb::arg("file"), "Sets all its counters to zero.");
  m.def("coverage_table", &coverage_table, nb::arg("texts"), "A table for a terminal.");
  m.def("coverage_page", &coverage_page, nb::arg("texts"), "A page for a browser.");
  m.def("coverage_lcov", &coverage_lcov, nb::arg("texts"), "A tracefile of lcov.");
  m.def("coverage_xml", &coverage_xml, nb::arg("texts"), "XML in the manner of Cobertura.");
  m.def("write_coverage_report", &write_coverage_report, nb::arg("texts"), nb::arg("report"),
        "Writes what `report` says: \"html:FOLDER\", \"lcov:FILE\" or \"xml:FILE\"; returns the "
        "file.");
}

}  // namespace

void bind_base(nb::module_& m) {
  bind_settings(m);
  bind_trace(m);
  bind_coverage(m);
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
