// SPDX-License-Identifier: MIT
#include <optional>

#include "rooms.hpp"
#include "treadle/cuda/profiler.hpp"

namespace treadle::bindings {
namespace {

/// `with treadle.cuda.ProfilerRange():`
struct Range {
  std::optional<cuda::ProfilerRange> recorded;
};

}  // namespace

void bind_cuda_profiler(nb::module_& m) {
  m.def("start_profiler", &cuda::start_profiler,
        "Profilers that are attached record from here on.");
  m.def("stop_profiler", &cuda::stop_profiler, "Profilers that are attached record no further.");
  nb::class_<Range>(m, "ProfilerRange", "Profilers that are attached record what is in the `with`.")
      .def(nb::init<>())
      .def("__enter__", [](Range& self) { self.recorded.emplace(); })
      .def("__exit__", [](Range& self, const nb::args&) { self.recorded.reset(); });
}

}  // namespace treadle::bindings
