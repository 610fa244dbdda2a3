// SPDX-License-Identifier: MIT
#include "interrupt.hpp"
#include "treadle/cuda/green_context.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "rooms.hpp"
#include "treadle/cuda/driver.hpp"

namespace treadle::bindings {

using namespace treadle::cuda;

void bind_cuda_green_context(nb::module_& m) {
  nb::enum_<SplitFlags>(m, "SplitFlags", "How multiprocessors are split; combine with |.",
                        nb::is_arithmetic(), nb::is_flag())
      .value("none", SplitFlags::none)
      .value("ignore_coscheduling", SplitFlags::ignore_coscheduling)
      .value("largest_cluster_size", SplitFlags::largest_cluster_size);
  nb::class_<DeviceResource> resource(m, "DeviceResource", "Multiprocessors of a device.");
  resource
      .def_static(
          "multiprocessors_of",
          [](const std::optional<Device>& device) {
            return DeviceResource::multiprocessors_of(device ? *device : default_device());
          },
          nb::arg("device") = nb::none(), "All of a device. Raises NotSupported where it has none.")
      .def_static(
          "multiprocessors_of",
          [](const Context& context) { return DeviceResource::multiprocessors_of(context); },
          nb::arg("context"), "Those that a context may use.")
      .def_prop_ro("multiprocessors", &DeviceResource::multiprocessors,
                   "How many; 0: an empty rest.")
      .def_prop_ro("smallest_part", &DeviceResource::smallest_part)
      .def_prop_ro("alignment", &DeviceResource::alignment, "The unit of parts.")
      .def_prop_ro("device", &DeviceResource::device)
      .def("count_groups", &DeviceResource::count_groups, nb::arg("multiprocessors"),
           nb::arg("flags") = SplitFlags::none, "How many groups split() would make of all.")
      .def(
          "split",
          [](const DeviceResource& self, unsigned groups, unsigned multiprocessors,
             SplitFlags flags) {
            const ResourceSplit made = self.split(groups, multiprocessors, flags);
            return nb::make_tuple(made.groups, made.rest);
          },
          nb::arg("groups"), nb::arg("multiprocessors"), nb::arg("flags") = SplitFlags::none,
          nb::sig("def split(self, groups: int, multiprocessors: int, flags: SplitFlags = ...) -> "
                  "tuple[list[DeviceResource], DeviceResource]"),
          "Groups alike of at least so many, and the rest.");
  nb::class_<GreenContext>(m, "GreenContext", nb::is_weak_referenceable(),
                           "A context that has only some of the device's multiprocessors.")
      .def(
          "__init__",
          [](GreenContext* self, const std::vector<DeviceResource>& resources,
             const std::optional<Device>& device) {
            new (self) GreenContext(device              ? *device
                                    : resources.empty() ? default_device()
                                                        : resources.front().device(),
                                    resources);
          },
          nb::arg("resources"), nb::arg("device") = nb::none(),
          "Of what DeviceResource.split() makes; None: the device that they are of.")
      .def_prop_ro("context", &GreenContext::context, nb::keep_alive<0, 1>(),
                   "To be made current, so that launches run on these multiprocessors.")
      .def("make_stream", &GreenContext::make_stream, nb::arg("priority") = 0,
           nb::keep_alive<0, 1>(), "A non-blocking stream on these multiprocessors.")
      .def("record", &GreenContext::record, nb::arg("event"),
           "Marks the work queued so far on all of its streams.")
      .def("wait", &GreenContext::wait, nb::arg("event"),
           "Later work of all of its streams starts after what the event recorded.")
      .def_prop_ro("resource", &GreenContext::resource, "What it has.")
      .def_prop_ro("id", &GreenContext::id,
                   "A number that no other green context of the process ever has.")
      .def_prop_ro("device", &GreenContext::device)
      .def_prop_ro("raw", [](const GreenContext& self) {
        return reinterpret_cast<std::uintptr_t>(self.raw());
      });
  let_go_without_gil<GreenContext>();
}

}  // namespace treadle::bindings
