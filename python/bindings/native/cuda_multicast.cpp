// SPDX-License-Identifier: MIT
#include "treadle/cuda/multicast.hpp"

#include "calls/argument.hpp"
#include "rooms.hpp"

namespace treadle::bindings {

using namespace treadle::cuda;

namespace {

std::size_t multicast_bytes(nb::handle value, const char* name) {
  return static_cast<std::size_t>(unsigned_argument(value.ptr(), name, PTRDIFF_MAX));
}

}  // namespace

void bind_cuda_multicast(nb::module_& m) {
  nb::class_<Multicast>(m, "Multicast", nb::is_weak_referenceable(),
                        "Memory of several GPUs behind one range of addresses.")
      .def(
          "__init__",
          [](Multicast* self, nb::handle size_bytes, unsigned devices, SharedAs shared_as) {
            new (self) Multicast(multicast_bytes(size_bytes, "size_bytes"), devices, shared_as);
          },
          nb::arg("size_bytes"), nb::arg("devices"), nb::arg("shared_as") = SharedAs::nothing,
          "For so many devices, each of which may bind `size_bytes`.")
      .def(nb::init<PhysicalMemory>(), nb::arg("imported"),
           "That of another process: PhysicalMemory.import_file().")
      .def_static(
          "granularity",
          [](nb::handle size_bytes, unsigned devices, Granularity granularity, SharedAs shared_as) {
            return Multicast::granularity(multicast_bytes(size_bytes, "size_bytes"), devices,
                                          granularity, shared_as);
          },
          nb::arg("size_bytes"), nb::arg("devices"), nb::arg("granularity") = Granularity::minimum,
          nb::arg("shared_as") = SharedAs::nothing, "The unit of sizes and offsets.")
      .def("add", &Multicast::add, nb::arg("device"),
           "One more device; all are added before memory is bound.")
      .def(
          "bind",
          [](Multicast& self, nb::handle offset, const PhysicalMemory& memory,
             nb::handle memory_offset, nb::handle size_bytes) {
            const std::size_t at = multicast_bytes(offset, "offset"),
                              from = multicast_bytes(memory_offset, "memory_offset"),
                              size = multicast_bytes(size_bytes, "size_bytes");
            nb::gil_scoped_release released;  // the call waits for all devices
            self.bind(at, memory, from, size);
          },
          nb::arg("offset"), nb::arg("memory"), nb::arg("memory_offset") = 0,
          nb::arg("size_bytes") = 0, "Puts memory there, for the device it is on, and keeps it.")
      .def(
          "bind_address",
          [](const Multicast& self, nb::handle offset, nb::handle address, nb::handle size_bytes) {
            self.bind_address(multicast_bytes(offset, "offset"),
                              pointer_argument(address.ptr(), "address"),
                              multicast_bytes(size_bytes, "size_bytes"));
          },
          nb::arg("offset"), nb::arg("address"), nb::arg("size_bytes"),
          "The same for memory that is mapped, or of a pool, which the program keeps.")
      .def(
          "unbind",
          [](Multicast& self, const Device& device, nb::handle offset, nb::handle size_bytes) {
            self.unbind(device, multicast_bytes(offset, "offset"),
                        multicast_bytes(size_bytes, "size_bytes"));
          },
          nb::arg("device"), nb::arg("offset"), nb::arg("size_bytes"),
          "Takes away again what one call bound for a device, and lets go of it.")
      .def_prop_ro("memory", &Multicast::memory, nb::rv_policy::copy,
                   "To be mapped, and to be exported to other processes.")
      .def_prop_ro("size_bytes", &Multicast::size_bytes);
}

}  // namespace treadle::bindings
