// SPDX-License-Identifier: MIT
// treadle._core.opencl: the classes and functions of pyopencl._cl, made in order. The GIL is held
// and released by the rule of ../module.cpp.
#include <nanobind/stl/string.h>

#include "pyopencl/classes.hpp"
#include "refused_call.hpp"
#include "rooms.hpp"

namespace treadle::bindings {

void bind_opencl(nb::module_& m) {
  cl::register_errors();
  cl::bind_constants(m);
  cl::bind_platform(m);
  cl::bind_device(m);
  cl::bind_context(m);
  cl::bind_queue(m);
  cl::bind_event(m);
  cl::bind_memory(m);
  cl::bind_image(m);
  cl::bind_pipe(m);
  cl::bind_graphics(m);
  cl::bind_sampler(m);
  cl::bind_transfer(m);
  cl::bind_box_transfer(m);
  cl::bind_copy_choice(m);
  cl::bind_image_transfer(m);
  cl::bind_map(m);
  cl::bind_native_kernel(m);
  cl::bind_program(m);
  cl::bind_program_cache(m);
  cl::bind_kernel(m);
  cl::bind_pools(m);
  cl::bind_svm(m);
  cl::bind_svm_pools(m);
  m.def("_shown", shown, nb::arg("value").none(), "A value for the text of an error.");
}

}  // namespace treadle::bindings
