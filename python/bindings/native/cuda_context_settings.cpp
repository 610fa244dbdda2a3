// SPDX-License-Identifier: MIT
#include "treadle/cuda/context_settings.hpp"

#include "calls/function.hpp"
#include "native/cuda_rooms.hpp"
#include "rooms.hpp"
#include "treadle/cuda/lazy_loading.hpp"

namespace treadle::bindings {

using namespace treadle::cuda;

namespace {

const Function& kernel_function(nb::handle function) {
  return kernel_argument(function.ptr(), "function").function;
}

}  // namespace

void bind_cuda_context_settings(nb::module_& m) {
  m.def("set_flags", &set_flags, nb::arg("context"), nb::arg("flags"),
        "How threads wait in the context from now on.");
  m.def("context_id", &context_id, nb::arg("context"),
        "A number that no other context of the process has or will have.");
  m.def("set_primary_flags", &set_primary_flags, nb::arg("device"), nb::arg("flags"),
        "The flags of the device's primary context, whether it is active or will be.");
  m.def("reset_primary", &reset_primary, nb::arg("device"),
        nb::call_guard<nb::gil_scoped_release>(),
        "Ends everything that was made in the device's primary context, by other libraries too.");
  m.def("has_affinity", &has_affinity, nb::arg("device"),
        "Whether contexts may be given a number of multiprocessors: those of MPS clients.");
  m.def("multiprocessor_affinity", &multiprocessor_affinity, nb::arg("context"),
        "How many multiprocessors the context was given.");
  nb::enum_<LoadingMode>(m, "LoadingMode", "When the code of kernels comes to the device.")
      .value("eager", LoadingMode::eager, "With the module.")
      .value("lazy", LoadingMode::lazy, "When a kernel is first used.");
  m.def("loading_mode", [] { return loading_mode(); }, "What the default driver does.");
  m.def(
      "is_loaded", [](nb::object function) { return is_loaded(kernel_function(function)); },
      nb::arg("function"), nb::sig("def is_loaded(function: Function) -> bool"),
      "Whether the kernel's code is on the device.");
  m.def(
      "load", [](nb::object function) { load(kernel_function(function)); }, nb::arg("function"),
      nb::sig("def load(function: Function) -> None"), "Brings it there, if it is not.");
}

}  // namespace treadle::bindings
