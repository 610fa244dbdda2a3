// SPDX-License-Identifier: MIT
#include "treadle/cuda/nvml.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "rooms.hpp"

namespace treadle::bindings {

void bind_cuda_nvml(nb::module_& m) {
  using cuda::NvmlIdentity;
  nb::class_<NvmlIdentity>(m, "NvmlIdentity", "A device as NVIDIA's management library knows it.")
      .def_ro("index", &NvmlIdentity::index, "As nvidia-smi counts.")
      .def_ro("uuid", &NvmlIdentity::uuid, "\"GPU-8f6ae6f5-...\".")
      .def_ro("bus_id", &NvmlIdentity::bus_id, "\"00000000:3B:00.0\".")
      .def_ro("name", &NvmlIdentity::name);
  m.def("nvml_identity", &cuda::nvml_identity, nb::arg("device"),
        nb::call_guard<nb::gil_scoped_release>(),
        "The device in NVML; None where libnvidia-ml is not found, and for the CPU device.");
}

}  // namespace treadle::bindings
