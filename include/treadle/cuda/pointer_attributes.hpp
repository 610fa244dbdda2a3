// SPDX-License-Identifier: MIT
// What the driver knows of an address: which memory it is of, and where that begins.
//
//   if (const auto what = cuda::pointer_info(address); what.type == cuda::MemoryType::host) ...
//
// Addresses need no context of their own: each tells which one it was allocated in.
#pragma once

#include <cstddef>
#include <cstdint>

#include "treadle/cuda/context.hpp"
#include "treadle/cuda/copy.hpp"
#include "treadle/cuda/driver.hpp"

namespace treadle::cuda {

/// CUpointer_attribute.
enum class PointerAttribute : int {
  context = 1,
  memory_type = 2,
  device_pointer = 3,
  host_pointer = 4,
  sync_memops = 6,
  buffer_id = 7,
  is_managed = 8,
  device_ordinal = 9,
  is_legacy_ipc_capable = 10,
  range_start = 11,
  range_size = 12,
  is_mapped = 13,
  allowed_handle_types = 14,
  is_gpu_direct_rdma_capable = 15,
  access_flags = 16,
  pool_handle = 17,
  mapping_size = 18,
  mapping_base = 19,
  memory_block_id = 20,
  is_hardware_decompress_capable = 21,
};

/// What CUDA tells of an address. Of memory that it does not know, a program's own that was not
/// registered, `type` is none and all else is 0.
struct PointerInfo {
  MemoryType type = MemoryType::none;  ///< host: page-locked or registered; device: all other
  bool is_managed = false;             ///< of ManagedMemory, or a `__managed__` variable
  int device_ordinal = -2;             ///< where it was allocated; -2: nowhere, -1: on the host
  RawContext context = nullptr;        ///< in which; null where it belongs to none, as of pools
  DevicePointer device_pointer = 0;    ///< what kernels use; 0 where they cannot
  void* host_pointer = nullptr;        ///< what the host uses; null where it cannot
  DevicePointer range_start = 0;       ///< where the allocation begins
  std::size_t range_bytes = 0;         ///< of the whole allocation
  std::uint64_t buffer_id = 0;         ///< in this process no two allocations have the same one
};

/// One call of the driver. Throws DeviceError where the driver cannot tell at all.
PointerInfo pointer_info(DevicePointer address, const Driver& driver = default_driver());
/// The same for an address of the host.
PointerInfo pointer_info(const void* address, const Driver& driver = default_driver());

/// A single attribute as a number of 64 bits: an address, a count of bytes, a handle, a bool or a
/// flag word. Throws DeviceError for an address that the driver does not know, and for what the
/// memory there does not have, as device memory no host_pointer.
std::uint64_t pointer_attribute(PointerAttribute attribute, DevicePointer address,
                                const Driver& driver = default_driver());
/// Whether blocking copies and fills of the allocation return only when they are done, even those
/// that CUDA allows to return earlier (PointerAttribute::sync_memops). Needs the allocation's
/// context, or one of its device, to be current. On the CPU device they always do.
void set_sync_memops(DevicePointer address, bool is_on);

}  // namespace treadle::cuda
