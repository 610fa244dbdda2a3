// SPDX-License-Identifier: MIT
#include "treadle/cuda/profiler.hpp"

#include <nanobind/stl/string.h>

#include "pycuda/classes.hpp"
#include "rooms.hpp"

namespace treadle::bindings {

void bind_pycuda_profiler(nb::module_& m) {
  m.def("start_profiler", pycuda([] {
          face::queue_deferred();
          face::current_context();
          cuda::start_profiler();
        }),
        "Profilers that are attached record from here on.");
  m.def("stop_profiler", pycuda([] {
          face::queue_deferred();
          face::current_context();
          cuda::stop_profiler();
        }),
        "Profilers that are attached record no further.");
  m.def("initialize_profiler",
        pycuda([](const std::string& config_file, const std::string& output_file,
                  nb::object output_mode) {
          const int mode = face::enum_value(output_mode, "output_mode");
          face::current_context();
          cuda::initialize_profiler(config_file, output_file,
                                    static_cast<cuda::ProfilerOutput>(mode));
        }),
        nb::arg("config_file"), nb::arg("output_file"), nb::arg("output_mode"),
        "For the profiler inside older drivers: later ones refuse.");
}

}  // namespace treadle::bindings
