// SPDX-License-Identifier: MIT
#include "treadle/cuda/pointer_attributes.hpp"

#include "calls/argument.hpp"
#include "rooms.hpp"

namespace treadle::bindings {

using namespace treadle::cuda;

void bind_cuda_pointer_attributes(nb::module_& m) {
  nb::enum_<MemoryType>(m, "MemoryType", "CUmemorytype: whose memory an address is of.")
      .value("none", MemoryType::none)
      .value("host", MemoryType::host)
      .value("device", MemoryType::device)
      .value("array", MemoryType::array)
      .value("unified", MemoryType::unified);
  nb::enum_<PointerAttribute>(m, "PointerAttribute", "CUpointer_attribute.")
      .value("context", PointerAttribute::context)
      .value("memory_type", PointerAttribute::memory_type)
      .value("device_pointer", PointerAttribute::device_pointer)
      .value("host_pointer", PointerAttribute::host_pointer)
      .value("sync_memops", PointerAttribute::sync_memops)
      .value("buffer_id", PointerAttribute::buffer_id)
      .value("is_managed", PointerAttribute::is_managed)
      .value("device_ordinal", PointerAttribute::device_ordinal)
      .value("is_legacy_ipc_capable", PointerAttribute::is_legacy_ipc_capable)
      .value("range_start", PointerAttribute::range_start)
      .value("range_size", PointerAttribute::range_size)
      .value("is_mapped", PointerAttribute::is_mapped)
      .value("allowed_handle_types", PointerAttribute::allowed_handle_types)
      .value("is_gpu_direct_rdma_capable", PointerAttribute::is_gpu_direct_rdma_capable)
      .value("access_flags", PointerAttribute::access_flags)
      .value("pool_handle", PointerAttribute::pool_handle)
      .value("mapping_size", PointerAttribute::mapping_size)
      .value("mapping_base", PointerAttribute::mapping_base)
      .value("memory_block_id", PointerAttribute::memory_block_id)
      .value("is_hardware_decompress_capable", PointerAttribute::is_hardware_decompress_capable);
  nb::class_<PointerInfo>(m, "PointerInfo", "What the driver knows of an address.")
      .def_ro("type", &PointerInfo::type, "`none` for memory that it does not know.")
      .def_ro("is_managed", &PointerInfo::is_managed)
      .def_ro("device_ordinal", &PointerInfo::device_ordinal,
              "Where it was allocated; -1 on the host, -2 nowhere.")
      .def_prop_ro(
          "context",
          [](const PointerInfo& self) { return reinterpret_cast<std::uintptr_t>(self.context); },
          "The handle of the context it was allocated in; 0 for none.")
      .def_ro("device_pointer", &PointerInfo::device_pointer, "What kernels use; 0 for nothing.")
      .def_prop_ro(
          "host_pointer",
          [](const PointerInfo& self) {
            return reinterpret_cast<std::uintptr_t>(self.host_pointer);
          },
          "What the host uses; 0 for nothing.")
      .def_ro("range_start", &PointerInfo::range_start, "Where the allocation begins.")
      .def_ro("range_bytes", &PointerInfo::range_bytes, "Of the whole allocation.")
      .def_ro("buffer_id", &PointerInfo::buffer_id,
              "In this process no two allocations have the same one.");
  m.def(
      "pointer_info",
      [](nb::object address) { return pointer_info(pointer_argument(address.ptr(), "address")); },
      nb::arg("address"), "What the default driver knows of an address.");
  m.def(
      "pointer_attribute",
      [](PointerAttribute attribute, nb::object address) {
        return pointer_attribute(attribute, pointer_argument(address.ptr(), "address"));
      },
      nb::arg("attribute"), nb::arg("address"),
      "One attribute as a number. Raises DeviceError for what the memory there does not have.");
  m.def(
      "set_sync_memops",
      [](nb::object memory, bool is_on) {
        set_sync_memops(pointer_argument(memory.ptr(), "memory"), is_on);
      },
      nb::arg("memory"), nb::arg("is_on"),
      "Whether blocking copies and fills of the allocation always return when they are done.");
}

}  // namespace treadle::bindings
