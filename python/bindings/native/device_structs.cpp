// SPDX-License-Identifier: MIT
// The waist's plain structs, as Python classes with fields.
#include <nanobind/operators.h>
#include <nanobind/stl/string.h>

#include "native/device.hpp"
#include "rooms.hpp"
#include "treadle/device/device.hpp"

namespace treadle::bindings {

using namespace treadle::device;

namespace {

nb::tuple sizes_of(const Extent& extent) { return nb::make_tuple(extent.x, extent.y, extent.z); }

void bind_extent(nb::module_& m) {
  nb::class_<Extent>(m, "Extent", "Numbers of work-items or groups, x the fastest.")
      .def(nb::init<unsigned, unsigned, unsigned>(), nb::arg("x") = 1, nb::arg("y") = 1,
           nb::arg("z") = 1)
      .def_ro("x", &Extent::x)
      .def_ro("y", &Extent::y)
      .def_ro("z", &Extent::z)
      .def_prop_ro("count", &Extent::count, "All of them.")
      .def(
          "__iter__", [](const Extent& self) { return nb::iter(sizes_of(self)); },
          nb::sig("def __iter__(self) -> Iterator[int]"))
      .def(nb::self == nb::self)
      .def("__hash__", [](const Extent& self) { return nb::hash(sizes_of(self)); })
      .def("__repr__", [](const Extent& self) {
        return "Extent(" + std::to_string(self.x) + ", " + std::to_string(self.y) + ", " +
               std::to_string(self.z) + ")";
      });
}

void bind_parameter(nb::module_& m) {
  nb::enum_<ParameterKind>(m, "ParameterKind", "What a parameter is, where the run-time tells.")
      .value("unknown", ParameterKind::unknown)
      .value("integer", ParameterKind::integer)
      .value("floating", ParameterKind::floating)
      .value("memory", ParameterKind::memory)
      .value("local", ParameterKind::local)
      .value("structure", ParameterKind::structure);
  nb::class_<Parameter>(m, "Parameter", "One parameter of a kernel, as the run-time describes it.")
      .def_ro("name", &Parameter::name, "Empty where the run-time does not tell.")
      .def_ro("type", &Parameter::type, "As in the source; empty where the run-time does not tell.")
      .def_ro("kind", &Parameter::kind)
      .def_ro("size_bytes", &Parameter::size_bytes,
              "0 where the run-time does not tell, and for local memory.");
}

}  // namespace

void bind_device_structs(nb::module_& m) {
  bind_extent(m);
  bind_parameter(m);
  nb::class_<Device::LiveMemory>(m, "LiveMemory", "Allocations that were not freed.")
      .def_ro("count", &Device::LiveMemory::count, "Allocations.")
      .def_ro("bytes", &Device::LiveMemory::bytes, "As they were asked for.");
}

}  // namespace treadle::bindings
