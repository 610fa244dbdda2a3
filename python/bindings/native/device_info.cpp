// SPDX-License-Identifier: MIT
// Plain values: a device's facts, traits and counters.
#include "treadle/device/info.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <string>

#include "native/device.hpp"
#include "treadle/device/device.hpp"
#include "treadle/device/identity.hpp"
#include "treadle/device/launch_log.hpp"

namespace treadle::bindings {

using namespace treadle::device;

namespace {

void bind_limits(nb::module_& m) {
  nb::class_<DeviceLimits> type(m, "DeviceLimits",
                                "What a device allows; 0 where the run-time does not tell.");
  type.def_ro("max_groups", &DeviceLimits::max_groups, "In each dimension.")
      .def_ro("max_group_size", &DeviceLimits::max_group_size, "In each dimension.")
      .def_ro("max_group_items", &DeviceLimits::max_group_items,
              "Work-items of one group, over all dimensions.")
      .def_ro("local_memory_bytes", &DeviceLimits::local_memory_bytes,
              "That any kernel's group can use.")
      .def_ro("opt_in_local_memory_bytes", &DeviceLimits::opt_in_local_memory_bytes,
              "That a kernel's group can use on request.")
      .def_ro("compute_unit_local_bytes", &DeviceLimits::compute_unit_local_bytes,
              "Shared by the groups on a compute unit.")
      .def_ro("compute_unit_registers", &DeviceLimits::compute_unit_registers, "Of 32 bits.")
      .def_ro("compute_unit_items", &DeviceLimits::compute_unit_items,
              "Work-items resident at the same time.")
      .def_ro("max_allocation_bytes", &DeviceLimits::max_allocation_bytes, "Of one allocation.")
      .def_ro("parameter_bytes", &DeviceLimits::parameter_bytes,
              "Of all arguments of a kernel together.")
      .def_ro("l2_bytes", &DeviceLimits::l2_bytes, "The last cache before device memory.")
      .def_ro("allocation_alignment", &DeviceLimits::allocation_alignment,
              "What allocations start at a multiple of, in bytes.")
      .def_ro("offset_alignment", &DeviceLimits::offset_alignment,
              "What the offset of a slice that is passed to a kernel is a multiple of, in bytes.")
      .def_ro("least_priority", &DeviceLimits::least_priority,
              "Of streams: numerically lower is more urgent.")
      .def_ro("greatest_priority", &DeviceLimits::greatest_priority,
              "Of streams; both 0 where there are none.");
}

void bind_traits(nb::module_& m) {
  nb::class_<DeviceTraits>(m, "DeviceTraits", "What a device is able to do.")
      .def_ro("sub_group_width", &DeviceTraits::sub_group_width,
              "Work-items in lockstep (a warp); 0: not told, or several.")
      .def_ro("sub_group_operations", &DeviceTraits::sub_group_operations,
              "Shuffles and votes within a sub-group.")
      .def_ro("fp16", &DeviceTraits::fp16, "Arithmetic on half; storage is always possible.")
      .def_ro("fp64", &DeviceTraits::fp64, "Arithmetic on double.")
      .def_ro("exact_division", &DeviceTraits::exact_division,
              "float32 is divided, and its root taken, to the last digit; on OpenCL by "
              "-cl-fp32-correctly-rounded-divide-sqrt.")
      .def_ro("atomics_64", &DeviceTraits::atomics_64, "On 64-bit integers in device memory.")
      .def_ro("generic_address_space", &DeviceTraits::generic_address_space,
              "A pointer may point to local or to device memory.")
      .def_ro("forward_progress", &DeviceTraits::forward_progress,
              "A group that waits for an earlier group of the same launch will see its writes.")
      .def_ro("unified_memory", &DeviceTraits::unified_memory,
              "Host and device share the same physical memory.")
      .def_prop_ro(
          "schedule", [](const DeviceTraits& self) { return schedule_name(self.schedule); },
          "How generated kernels spread work: \"wide\" or \"narrow\".")
      .def_ro("builds_text", &DeviceTraits::builds_text,
              "Whether the run-time compiles text itself; else compile_cuda does, for `target`.")
      .def_ro("shape_local_memory", &DeviceTraits::shape_local_memory,
              "Dynamic local memory by local_bytes; False: by an argument Local(bytes).")
      .def_ro("cooperative_launch", &DeviceTraits::cooperative_launch,
              "Groups of one launch may meet: kernel(..., cooperative=True).")
      .def_ro("module_globals", &DeviceTraits::module_globals,
              "Program.variable() finds variables.")
      .def_ro("kernel_occupancy", &DeviceTraits::kernel_occupancy,
              "Kernel.groups_per_compute_unit() has an answer.")
      .def_ro("runs_kernels", &DeviceTraits::runs_kernels, "False for the null device.");
}

void bind_performance(nb::module_& m) {
  nb::class_<DevicePerformance>(m, "DevicePerformance", "How fast a device is.")
      .def_ro("compute_units", &DevicePerformance::compute_units, "Multiprocessors, or cores.")
      .def_ro("clock_hz", &DevicePerformance::clock_hz, "Of the compute units at most; 0: unknown.")
      .def_ro("bandwidth_bytes_per_s", &DevicePerformance::bandwidth_bytes_per_s,
              "Of device memory, reads and writes together.")
      .def_prop_ro(
          "bandwidth", [](const DevicePerformance& self) { return figure_name(self.bandwidth); },
          "Where that figure comes from: \"unknown\", \"stated\" or \"measured\".");
}

void bind_identity(nb::module_& m) {
  nb::class_<DeviceIdentity>(m, "DeviceIdentity", "Which device of which make.")
      .def_ro("name", &DeviceIdentity::name, "The vendor's.")
      .def_ro("architecture", &DeviceIdentity::architecture,
              "\"sm_90\", \"cpu\"; on OpenCL the device's version and vendor.")
      .def_ro("uuid", &DeviceIdentity::uuid,
              "Of this very device, where the run-time tells; else empty.")
      .def_ro("driver", &DeviceIdentity::driver, "Its version.")
      .def("__repr__", [](const DeviceIdentity& self) {
        return "<" + self.name + ", " + self.architecture + ", driver " + self.driver + ">";
      });
}

void bind_memory_info(nb::module_& m) {
  nb::class_<MemoryInfo>(m, "MemoryInfo", "Device memory at one moment.")
      .def_ro("free_bytes", &MemoryInfo::free_bytes, "For any process, where is_measured.")
      .def_ro("total_bytes", &MemoryInfo::total_bytes, "As Device.memory_bytes.")
      .def_ro("is_measured", &MemoryInfo::is_measured,
              "False where the run-time does not tell: then what this Device allocated is "
              "subtracted from the whole.");
  nb::class_<AddressInfo>(m, "AddressInfo", "What an address is.")
      .def_prop_ro(
          "kind", [](const AddressInfo& self) { return address_kind_name(self.kind); },
          "\"device\", \"page-locked\", \"managed\", or \"unknown\": plain host memory, or another "
          "run-time's.")
      .def_prop_ro(
          "start", [](const AddressInfo& self) { return self.location.handle; },
          "Of the whole allocation the address lies in.")
      .def_ro("size_bytes", &AddressInfo::size_bytes,
              "Of that allocation; 0 where the run-time does not tell.")
      .def_ro("offset", &AddressInfo::offset, "Of the address in it, in bytes.")
      .def_ro("is_own", &AddressInfo::is_own, "Usable in this Device's context.");
}

void bind_launch_record(nb::module_& m) {
  nb::class_<LaunchRecord>(m, "LaunchRecord", "One launch, as a device remembers it.")
      .def_ro("kernel", &LaunchRecord::kernel)
      .def_prop_ro("groups", [](const LaunchRecord& self) { return self.shape.groups; })
      .def_prop_ro("group_size", [](const LaunchRecord& self) { return self.shape.group_size; })
      .def_prop_ro("local_bytes", [](const LaunchRecord& self) { return self.shape.local_bytes; })
      .def_prop_ro("cooperative", [](const LaunchRecord& self) { return self.shape.cooperative; })
      .def_prop_ro(
          "file", [](const LaunchRecord& self) { return self.site.file; },
          nb::sig("def file(self) -> str | None"), "Of the line that launched; None: not known.")
      .def_prop_ro("line", [](const LaunchRecord& self) { return self.site.line; })
      .def("__repr__", [](const LaunchRecord& self) {
        const std::string where =
            self.site.file == nullptr
                ? ""
                : " at " + std::string(self.site.file) + ":" + std::to_string(self.site.line);
        return "<launch of " + self.kernel + where + ">";
      });
}

}  // namespace

void bind_device_info(nb::module_& m) {
  bind_limits(m);
  bind_identity(m);
  bind_traits(m);
  bind_performance(m);
  bind_memory_info(m);
  bind_launch_record(m);
}

}  // namespace treadle::bindings
