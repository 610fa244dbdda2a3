// SPDX-License-Identifier: MIT
#include "treadle/cuda/occupancy.hpp"

#include "rooms.hpp"

namespace treadle::bindings {

using namespace treadle::cuda;

namespace {

// The names under which PyCUDA's programs know the limits.
const char* label(OccupancyLimit limit) {
  switch (limit) {
    case OccupancyLimit::blocks:
      return "device";
    case OccupancyLimit::registers:
      return "regs";
    case OccupancyLimit::shared_memory:
      return "smem";
    case OccupancyLimit::warps:
      return "warps";
  }
  return "";
}

}  // namespace

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
  nb::class_<Occupancy>(m, "Occupancy", "How full a multiprocessor is.")
      .def_ro("blocks", &Occupancy::blocks)
      .def_ro("warps", &Occupancy::warps)
      .def_ro("fraction", &Occupancy::fraction, "Of the warps that there is room for.")
      .def_prop_ro("limited_by", [](const Occupancy& self) { return label(self.limited_by); })
      .def_prop_ro(
          "limits",
          [](const Occupancy& self) {
            nb::list limits;
            for (const auto& limit : self.limits)
              limits.append(nb::make_tuple(limit.blocks, label(limit.by)));
            return limits;
          },
          "(blocks, what allows no more) for each thing that a block needs.");
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
