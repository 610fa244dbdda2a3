// SPDX-License-Identifier: MIT
// The pools in which devices keep memory that arrays have freed.
#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>

#include <memory>
#include <string>
#include <utility>

#include "foreign_gil.hpp"
#include "native/device.hpp"
#include "treadle/memory/device_pool.hpp"

namespace treadle::bindings {
namespace {

/// The pool of a device. Keeps the device alive.
struct PoolOfDevice {
  std::shared_ptr<device::Device> device;
  memory::DevicePool& pool() const { return memory::pool_of(*device); }
};

template <std::size_t memory::Statistics::* Member>
std::size_t number(const PoolOfDevice& self) {
  return self.pool().statistics().*Member;
}

std::size_t trim(const PoolOfDevice& self) {
  const PoolOfDevice kept = self;
  const nb::gil_scoped_release released;  // the driver may wait for work that uses the memory
  return kept.pool().trim();
}

}  // namespace

void bind_device_pool(nb::module_& m) {
  using memory::Statistics;
  nb::class_<PoolOfDevice>(m, "DevicePool",
                           "Memory that arrays and pooled buffers of a device share: what one has "
                           "given up is held for the next.")
      .def("trim", &trim,
           "Gives what is held back to the run-time; the bytes it was. A failed allocation of this "
           "process does so by itself.")
      .def_prop_ro("held_bytes", &number<&Statistics::held_bytes>,
                   "Bytes that wait to be used again.")
      .def_prop_ro("held_blocks", &number<&Statistics::held_blocks>, "In so many pieces.")
      .def_prop_ro("active_bytes", &number<&Statistics::active_bytes>,
                   "Bytes in use, as they were asked for.")
      .def_prop_ro("active_blocks", &number<&Statistics::active_blocks>, "In so many pieces.")
      .def_prop_ro("managed_bytes", &number<&Statistics::managed_bytes>,
                   "Bytes in use and held, as the run-time gave them.")
      .def("__repr__", [](const PoolOfDevice& self) {
        const Statistics now = self.pool().statistics();
        return "<DevicePool of " + self.device->info().id + ": " +
               std::to_string(now.active_bytes) + " bytes in use, " +
               std::to_string(now.held_bytes) + " held>";
      });
  m.def("trim_memory", &memory::trim_memory, nb::call_guard<nb::gil_scoped_release>(),
        "Gives what the pools of this process hold, of every device, back to the run-times; the "
        "bytes it was. For other libraries and processes: a failed allocation of this process does "
        "so by itself.");
}

nb::object pool_of_device(const std::shared_ptr<device::Device>& device) {
  return nb::cast(PoolOfDevice{device});
}

}  // namespace treadle::bindings
