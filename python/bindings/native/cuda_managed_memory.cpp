// SPDX-License-Identifier: MIT
#include "treadle/cuda/managed_memory.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "calls/argument.hpp"
#include "rooms.hpp"

namespace treadle::bindings {

using namespace treadle::cuda;

namespace {

void bind_memory_location(nb::module_& m) {
  using Kind = MemoryLocation::Kind;
  nb::class_<MemoryLocation> type(m, "MemoryLocation", "A device, the host, or a node of it.");
  nb::enum_<Kind>(type, "Kind", "CUmemLocationType.")
      .value("none", Kind::none)
      .value("device", Kind::device)
      .value("host", Kind::host)
      .value("host_numa", Kind::host_numa)
      .value("host_numa_current", Kind::host_numa_current);
  type.def_static("of", &MemoryLocation::of, nb::arg("device"), "The device's own memory.")
      .def_static("host", &MemoryLocation::host, "Memory of the host, whichever node.")
      .def_static("host_node", &MemoryLocation::host_node, nb::arg("node"), "One NUMA node's.")
      .def_static("current_host_node", &MemoryLocation::current_host_node,
                  "That of the NUMA node that the calling thread runs on.")
      .def_ro("kind", &MemoryLocation::kind)
      .def_ro("id", &MemoryLocation::id, "The device's ordinal or the node's number.")
      .def(
          "__eq__",
          [](MemoryLocation self, nb::handle other) {
            return nb::isinstance<MemoryLocation>(other) && self == nb::cast<MemoryLocation>(other);
          },
          nb::is_operator())
      .def("__hash__",
           [](MemoryLocation self) { return static_cast<int>(self.kind) + 8 * self.id; })
      .def("__repr__", [](MemoryLocation self) {
        return "MemoryLocation(kind=" +
               nb::cast<std::string>(nb::str(nb::cast(self.kind).attr("name"))) +
               ", id=" + std::to_string(self.id) + ")";
      });
}

void bind_range_and_advice(nb::module_& m) {
  nb::class_<ManagedRange>(m, "ManagedRange",
                           "Bytes of managed memory. Where one is wanted, ManagedMemory will do.")
      .def(nb::init<DevicePointer, std::size_t>(), nb::arg("address"), nb::arg("size_bytes"))
      .def(nb::init_implicit<const ManagedMemory&>(), nb::arg("memory"))
      .def_ro("address", &ManagedRange::address)
      .def_ro("size_bytes", &ManagedRange::size_bytes);
  nb::enum_<MemoryAdvice>(m, "MemoryAdvice", "CUmem_advise: how memory will be used.")
      .value("set_read_mostly", MemoryAdvice::set_read_mostly)
      .value("unset_read_mostly", MemoryAdvice::unset_read_mostly)
      .value("set_preferred_location", MemoryAdvice::set_preferred_location)
      .value("unset_preferred_location", MemoryAdvice::unset_preferred_location)
      .value("set_accessed_by", MemoryAdvice::set_accessed_by)
      .value("unset_accessed_by", MemoryAdvice::unset_accessed_by);
  nb::class_<ManagedAdvice>(m, "ManagedAdvice", "What was said of all pages of a range alike.")
      .def_ro("read_mostly", &ManagedAdvice::read_mostly)
      .def_ro("preferred", &ManagedAdvice::preferred, "None: not the same for all, or none.")
      .def_ro("last_prefetch", &ManagedAdvice::last_prefetch,
              "None: not the same for all, or none.")
      .def_ro("accessed_by", &ManagedAdvice::accessed_by);
}

}  // namespace

void bind_cuda_managed_memory(nb::module_& m) {
  using Ranges = std::vector<ManagedRange>;
  bind_memory_location(m);
  bind_range_and_advice(m);
  m.def(
      "prefetch",
      [](ManagedRange range, MemoryLocation to, nb::object stream) {
        prefetch(range, to, stream_argument(stream.ptr()));
      },
      nb::arg("range"), nb::arg("to"), nb::arg("stream") = nb::none(),
      "Brings managed memory to a place, behind what is queued on `stream`; does not wait.");
  m.def(
      "prefetch",
      [](const Ranges& ranges, MemoryLocation to, nb::object stream) {
        prefetch(ranges, to, stream_argument(stream.ptr()));
      },
      nb::arg("ranges"), nb::arg("to"), nb::arg("stream"),
      "The same for many ranges in one call, on a stream that was made.");
  m.def(
      "discard",
      [](const Ranges& ranges, nb::object stream) {
        discard(ranges, stream_argument(stream.ptr()));
      },
      nb::arg("ranges"), nb::arg("stream"),
      "Says that nobody needs the contents any more: until they are written they may be anything.");
  m.def(
      "discard_and_prefetch",
      [](const Ranges& ranges, MemoryLocation to, nb::object stream) {
        discard_and_prefetch(ranges, to, stream_argument(stream.ptr()));
      },
      nb::arg("ranges"), nb::arg("to"), nb::arg("stream"),
      "Both in one: memory that will be written only comes without being copied.");
  m.def("advise", &advise, nb::arg("range"), nb::arg("advice"),
        nb::arg("location") = MemoryLocation{},
        nb::sig("def advise(range: ManagedRange | ManagedMemory, advice: MemoryAdvice, location: "
                "MemoryLocation = ...) -> None"),
        "Says how managed memory will be used; for speed alone.");
  m.def("managed_advice", &managed_advice, nb::arg("range"), "What was said of a range.");
}

}  // namespace treadle::bindings
