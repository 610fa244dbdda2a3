// SPDX-License-Identifier: MIT
#include "treadle/cuda/pointer_attributes.hpp"

#include <array>
#include <string>

#include "cuda/argument_check.hpp"
#include "cuda/context_state.hpp"
#include "treadle/cuda/table.hpp"

namespace treadle::cuda {
namespace {

/// How many bytes the driver writes for an attribute.
std::size_t size_of(PointerAttribute attribute) {
  switch (attribute) {
    case PointerAttribute::memory_type:
    case PointerAttribute::sync_memops:
    case PointerAttribute::device_ordinal:
    case PointerAttribute::access_flags:
      return 4;
    case PointerAttribute::is_managed:
    case PointerAttribute::is_legacy_ipc_capable:
    case PointerAttribute::is_mapped:
    case PointerAttribute::is_gpu_direct_rdma_capable:
    case PointerAttribute::is_hardware_decompress_capable:
      return 1;  // drivers that write an int write 0 or 1
    default:
      return 8;
  }
}

}  // namespace

PointerInfo pointer_info(DevicePointer address, const Driver& driver) {
  PointerInfo info;
  unsigned type = 0, is_managed = 0;
  std::array names = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,      CU_POINTER_ATTRIBUTE_IS_MANAGED,
                      CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,   CU_POINTER_ATTRIBUTE_CONTEXT,
                      CU_POINTER_ATTRIBUTE_DEVICE_POINTER,   CU_POINTER_ATTRIBUTE_HOST_POINTER,
                      CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, CU_POINTER_ATTRIBUTE_RANGE_SIZE,
                      CU_POINTER_ATTRIBUTE_BUFFER_ID};
  std::array<void*, names.size()> answers = {&type,
                                             &is_managed,
                                             &info.device_ordinal,
                                             &info.context,
                                             &info.device_pointer,
                                             &info.host_pointer,
                                             &info.range_start,
                                             &info.range_bytes,
                                             &info.buffer_id};
  driver.initialize();
  const Table& cu = driver.table();
  check(cu,
        cu.cuPointerGetAttributes(static_cast<unsigned>(names.size()), names.data(), answers.data(),
                                  address),
        "cuPointerGetAttributes");
  info.is_managed = is_managed != 0;
  info.type = static_cast<MemoryType>(type);
  return info;
}

PointerInfo pointer_info(const void* address, const Driver& driver) {
  return pointer_info(reinterpret_cast<DevicePointer>(address), driver);
}

std::uint64_t pointer_attribute(PointerAttribute attribute, DevicePointer address,
                                const Driver& driver) {
  driver.initialize();
  const Table& cu = driver.table();
  std::uint64_t answer = 0;
  check(cu, cu.cuPointerGetAttribute(&answer, static_cast<CUpointer_attribute>(attribute), address),
        "cuPointerGetAttribute", [&] {
          return "attribute " + std::to_string(static_cast<int>(attribute)) + " of address " +
                 std::to_string(address);
        });
  const std::size_t bits = 8 * size_of(attribute);
  return bits == 64 ? answer : answer & ((std::uint64_t{1} << bits) - 1);
}

void set_sync_memops(DevicePointer address, bool is_on) {
  refuse_null("cuPointerSetAttribute", "address", address, 1);
  const Table& cu = current_table();
  const unsigned value = is_on ? 1 : 0;
  check(cu, cu.cuPointerSetAttribute(&value, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, address),
        "cuPointerSetAttribute", [] { return "the address must be of device memory"; });
}

}  // namespace treadle::cuda
