// SPDX-License-Identifier: MIT
#include "treadle/cuda/virtual_memory.hpp"

#include "calls/argument.hpp"
#include "instance.hpp"
#include "interrupt.hpp"
#include "rooms.hpp"

namespace treadle::bindings {

using namespace treadle::cuda;

namespace {

void bind_virtual_enums(nb::module_& m) {
  nb::enum_<SharedAs>(m, "SharedAs", "What other processes may get of physical memory.")
      .value("nothing", SharedAs::nothing)
      .value("file_descriptor", SharedAs::file_descriptor)
      .value("fabric", SharedAs::fabric);
  nb::enum_<Granularity>(m, "Granularity", "CUmemAllocationGranularity_flags.")
      .value("minimum", Granularity::minimum)
      .value("recommended", Granularity::recommended);
  nb::enum_<MemoryAccess>(m, "MemoryAccess", "CUmemAccess_flags.")
      .value("none", MemoryAccess::none)
      .value("read", MemoryAccess::read)
      .value("read_write", MemoryAccess::read_write);
}

void bind_mapping(nb::module_& m) {
  nb::class_<Mapping> type(m, "Mapping", nb::is_weak_referenceable(),
                           "Physical memory at its addresses, until this ends.");
  let_go_without_gil<Mapping>();
  type.def("unmap", &Mapping::unmap, nb::call_guard<nb::gil_scoped_release>(),
           "Ends it now; nothing may be using it. Raises InvalidState the second time.")
      .def_prop_ro("is_mapped", &Mapping::is_mapped)
      .def("set_access", &Mapping::set_access, nb::arg("who"),
           nb::arg("access") = MemoryAccess::read_write,
           "Lets a device, or the host, use the memory from now on.")
      .def("access", &Mapping::access, nb::arg("who"), "What a place may do.")
      .def_prop_ro("address", &Mapping::address)
      .def_prop_ro("size_bytes", &Mapping::size_bytes)
      .def("__int__", &Mapping::address)
      .def("__index__", &Mapping::address);
  register_pointer_type(type,
                        [](PyObject* object) { return instance_of<Mapping>(object).address(); });
}

}  // namespace

void bind_cuda_virtual_memory(nb::module_& m) {
  bind_virtual_enums(m);
  bind_mapping(m);
  m.def(
      "allocation_granularity",
      [](MemoryLocation location, Granularity granularity, SharedAs shared_as) {
        return allocation_granularity(location, granularity, shared_as);
      },
      nb::arg("location"), nb::arg("granularity") = Granularity::minimum,
      nb::arg("shared_as") = SharedAs::nothing,
      "The unit in bytes that physical memory at a place comes in.");
  nb::enum_<RemoteWritesFor>(m, "RemoteWritesFor", "For whom writes are to be visible.")
      .value("owner", RemoteWritesFor::owner)
      .value("all_devices", RemoteWritesFor::all_devices);
  m.def("flush_remote_writes", &flush_remote_writes, nb::arg("whom") = RemoteWritesFor::owner,
        nb::call_guard<nb::gil_scoped_release>(),
        "Waits until what other devices wrote into memory of the current context is visible. "
        "Raises NotSupported on the CPU device.");
  m.def(
      "export_dma_buffer",
      [](nb::handle address, nb::handle size_bytes, bool over_pcie) {
        return export_dma_buffer(pointer_argument(address.ptr(), "address"),
                                 static_cast<std::size_t>(unsigned_argument(
                                     size_bytes.ptr(), "size_bytes", PTRDIFF_MAX)),
                                 over_pcie);
      },
      nb::arg("address"), nb::arg("size_bytes"), nb::arg("over_pcie") = false,
      nb::sig("def export_dma_buffer(address: object, size_bytes: int, over_pcie: bool = False) "
              "-> int"),
      "A file descriptor with which the driver of another device reads and writes device memory; "
      "the caller closes it.");
  nb::class_<PhysicalMemory>(m, "PhysicalMemory", nb::is_weak_referenceable(),
                             "Memory without an address.")
      .def(
          "__init__",
          [](PhysicalMemory* self, std::ptrdiff_t size_bytes, MemoryLocation location,
             SharedAs shared_as) {
            new (self) PhysicalMemory(static_cast<std::size_t>(size_bytes), location, shared_as);
          },
          nb::arg("size_bytes"), nb::arg("location"), nb::arg("shared_as") = SharedAs::nothing)
      .def_static(
          "import_file",
          [](int descriptor, std::size_t size_bytes) {
            return PhysicalMemory::import_file(descriptor, size_bytes);
          },
          nb::arg("descriptor"), nb::arg("size_bytes"),
          "Memory that export_file() gave, of another process or this one.")
      .def_static(
          "at",
          [](nb::object address, std::size_t size_bytes) {
            return PhysicalMemory::at(pointer_argument(address.ptr(), "address"), size_bytes);
          },
          nb::arg("address"), nb::arg("size_bytes"), "What is mapped at an address.")
      .def_static(
          "for_tiles",
          [](std::ptrdiff_t size_bytes, MemoryLocation location) {
            return PhysicalMemory::for_tiles(static_cast<std::size_t>(size_bytes), location);
          },
          nb::arg("size_bytes"), nb::arg("location"),
          "For tiles of sparse arrays, and nothing else.")
      .def("export_file", &PhysicalMemory::export_file,
           "A file descriptor of its own, which the caller closes or sends to another process.")
      .def_prop_ro("size_bytes", &PhysicalMemory::size_bytes)
      .def_prop_ro("location", &PhysicalMemory::location)
      .def_prop_ro("raw", &PhysicalMemory::raw);
  nb::class_<AddressReservation>(m, "AddressReservation", nb::is_weak_referenceable(),
                                 "Addresses that nothing else of the process will get.")
      .def(
          "__init__",
          [](AddressReservation* self, std::ptrdiff_t size_bytes, std::size_t alignment,
             DevicePointer wish) {
            new (self) AddressReservation(static_cast<std::size_t>(size_bytes), alignment, wish);
          },
          nb::arg("size_bytes"), nb::arg("alignment") = 0, nb::arg("wish") = 0)
      .def("map", &AddressReservation::map, nb::arg("memory"), nb::arg("offset") = 0,
           nb::arg("memory_offset") = 0, nb::arg("size_bytes") = 0,
           "Lays a part of the memory at an offset; 0 bytes mean all that follows.")
      .def_prop_ro("address", &AddressReservation::address)
      .def_prop_ro("size_bytes", &AddressReservation::size_bytes);
}

}  // namespace treadle::bindings
