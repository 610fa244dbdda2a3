// SPDX-License-Identifier: MIT
#include "treadle/cuda/occupancy.hpp"

#include <nanobind/stl/vector.h>

#include "rooms.hpp"

namespace treadle::bindings {

using namespace treadle::cuda;

void bind_cuda_occupancy(nb::module_& m) {
  nb::class_<Multiprocessor>(m, "Multiprocessor", "What one multiprocessor has room for.")
      .def(nb::init<>())
      .def_static("of", &Multiprocessor::of, nb::arg("device"),
                  "As the device's attributes say; on the CPU device a multiprocessor is a core.")
      .def_rw("block_threads", &Multiprocessor::block_threads)
      .def_rw("warp_threads", &Multiprocessor::warp_threads)
      .def_rw("warps", &Multiprocessor::warps)
      .def_rw("blocks", &Multiprocessor::blocks)
      .def_rw("registers", &Multiprocessor::registers)
      .def_rw("shared_bytes", &Multiprocessor::shared_bytes)
      .def_rw("register_unit", &Multiprocessor::register_unit)
      .def_rw("shared_unit_bytes", &Multiprocessor::shared_unit_bytes);
  nb::enum_<OccupancyLimit>(m, "OccupancyLimit", "What keeps further blocks out.")
      .value("blocks", OccupancyLimit::blocks)
      .value("registers", OccupancyLimit::registers)
      .value("shared_memory", OccupancyLimit::shared_memory)
      .value("warps", OccupancyLimit::warps);
  nb::class_<Occupancy> type(m, "Occupancy", "How full a multiprocessor is.");
  nb::class_<Occupancy::Limit>(type, "Limit", "One thing that a multiprocessor has so much of.")
      .def_ro("blocks", &Occupancy::Limit::blocks,
              "That many would fit if nothing else was needed.")
      .def_ro("by", &Occupancy::Limit::by);
  type.def_ro("blocks", &Occupancy::blocks)
      .def_ro("warps", &Occupancy::warps)
      .def_ro("fraction", &Occupancy::fraction, "Of the warps that there is room for.")
      .def_ro("limited_by", &Occupancy::limited_by, "The smallest of `limits`.")
      .def_ro("limits", &Occupancy::limits, "For each thing that a block needs.");
  m.def(
      "occupancy",
      [](const Multiprocessor& multiprocessor, unsigned threads, unsigned shared_bytes,
         unsigned registers_per_thread) {
        return occupancy(multiprocessor, {threads, shared_bytes, registers_per_thread});
      },
      nb::arg("multiprocessor"), nb::arg("threads"), nb::arg("shared_bytes") = 0,
      nb::arg("registers_per_thread") = 0,
      "How many blocks of these needs a multiprocessor holds at a time, and what limits them.");
}

}  // namespace treadle::bindings
