// SPDX-License-Identifier: MIT
// Memory and addresses apart: physical memory is made, addresses are reserved, and one is mapped at
// the other. So an array grows without being copied, and processes share memory by a file
// descriptor.
//
//   const auto here = cuda::MemoryLocation::of(device);
//   const std::size_t unit = cuda::allocation_granularity(here);
//   cuda::AddressReservation addresses(16 * unit);     // room to grow
//   const cuda::PhysicalMemory first(4 * unit, here), second(2 * unit, here);
//   cuda::Mapping a = addresses.map(first, 0), b = addresses.map(second, first.size_bytes());
//   a.set_access(here); b.set_access(here);            // now kernels may use 6 units in a row
//
// Sizes and offsets are multiples of allocation_granularity(). None of it belongs to a context. On
// the CPU device physical memory is a memory file, and the unit a page.
#pragma once

#include <cstddef>
#include <memory>

#include "treadle/cuda/driver.hpp"
#include "treadle/cuda/launch.hpp"
#include "treadle/cuda/managed_memory.hpp"

namespace treadle::cuda {

/// CUmemAllocationHandleType: what other processes may get.
enum class SharedAs : unsigned { nothing = 0, file_descriptor = 1, fabric = 8 };
/// CUmemAllocationGranularity_flags.
enum class Granularity : int { minimum = 0, recommended = 1 };
/// CUmemAccess_flags.
enum class MemoryAccess : int { none = 0, read = 1, read_write = 3 };
/// CUmemGenericAllocationHandle.
using RawPhysicalMemory = unsigned long long;

/// The unit in bytes that physical memory at `location` comes in.
std::size_t allocation_granularity(MemoryLocation location,
                                   Granularity granularity = Granularity::minimum,
                                   SharedAs shared_as = SharedAs::nothing,
                                   const Driver& driver = default_driver());

/// Memory without an address. A cheap value; mappings of it keep it.
class PhysicalMemory {
 public:
  /// Throws OutOfMemory; DeviceError where the size is no multiple of the unit, NotSupported or
  /// DeviceError where the device has no virtual memory management.
  PhysicalMemory(std::size_t size_bytes, MemoryLocation location,
                 SharedAs shared_as = SharedAs::nothing, const Driver& driver = default_driver());
  PhysicalMemory(const PhysicalMemory&) = default;  // and no move: every one has memory
  PhysicalMemory& operator=(const PhysicalMemory&) = default;
  /// That of another process, or of this one, which exported it: `size_bytes` of it, as the driver
  /// does not tell. The descriptor stays the caller's. Throws DeviceError for what is none.
  static PhysicalMemory import_file(int descriptor, std::size_t size_bytes,
                                    const Driver& driver = default_driver());
  /// For tiles of sparse arrays, and nothing else: sparse_array.hpp. Throws as the constructor.
  static PhysicalMemory for_tiles(std::size_t size_bytes, MemoryLocation location,
                                  const Driver& driver = default_driver());
  /// What is mapped at an address. Throws DeviceError if nothing is.
  static PhysicalMemory at(DevicePointer address, std::size_t size_bytes,
                           const Driver& driver = default_driver());

  /// A descriptor of its own, for SharedAs::file_descriptor, which the caller closes or sends to
  /// another process (SCM_RIGHTS). Throws DeviceError for memory that was made to be shared as
  /// nothing.
  int export_file() const;
  /// As it was asked for.
  std::size_t size_bytes() const noexcept;
  /// Where the driver says it is.
  MemoryLocation location() const;
  /// CUmemGenericAllocationHandle, while this lives.
  RawPhysicalMemory raw() const noexcept;
  /// The one it was made with.
  const Driver& driver() const noexcept;

 private:
  friend class AddressReservation;
  friend class Mapping;
  friend class Multicast;
  /// Takes `raw`, to release it.
  static PhysicalMemory adopt(const Driver& driver, RawPhysicalMemory raw, std::size_t size_bytes);
  class State;
  explicit PhysicalMemory(std::shared_ptr<const State> state) noexcept;
  std::shared_ptr<const State> state_;
};

/// A descriptor of a DMA buffer of Linux over `size_bytes` of device memory from `address` on, in
/// whole pages of the host, with which a driver of another device reads and writes it; the caller
/// closes it. `over_pcie`: mapped by PCIe in any case. In the current context. Throws
/// InvalidArgument for null and for no bytes; DeviceError for memory that cannot be exported so;
/// NotSupported on the CPU device.
int export_dma_buffer(DevicePointer address, std::size_t size_bytes, bool over_pcie = false);

/// CUflushGPUDirectRDMAWritesScope: for whom writes are to be visible.
enum class RemoteWritesFor : int {
  owner = 100,        ///< the current context
  all_devices = 200,  ///< every context of CUDA
};
/// Waits until what other devices (network cards, say) wrote into memory of the current context is
/// visible. Not needed where DeviceAttribute::gpu_direct_rdma_writes_ordering says so. Throws
/// NotSupported on the CPU device; DeviceError where the attribute
/// gpu_direct_rdma_flush_writes_options lacks bit 1.
void flush_remote_writes(RemoteWritesFor whom = RemoteWritesFor::owner);

class Mapping;

/// Addresses that nothing else of the process will get. A cheap value; mappings keep it.
class AddressReservation {
 public:
  /// `alignment` is a power of two or 0; `wish` an address, which the driver may not grant. Throws
  /// DeviceError.
  explicit AddressReservation(std::size_t size_bytes, std::size_t alignment = 0,
                              DevicePointer wish = 0, const Driver& driver = default_driver());

  /// Lays `size_bytes` of the memory from `memory_offset` on (0: all that follows) at address() +
  /// `offset`. Nobody may use it before Mapping::set_access(). Throws InvalidArgument for what is
  /// beyond either, DeviceError where something is mapped there, and where a driver cannot map from
  /// that offset: CUDA 13 says that `memory_offset` has to be 0. The CPU device maps any page of
  /// it.
  Mapping map(const PhysicalMemory& memory, std::size_t offset = 0, std::size_t memory_offset = 0,
              std::size_t size_bytes = 0) const;

  /// Where it begins.
  DevicePointer address() const noexcept;
  /// As it was asked for.
  std::size_t size_bytes() const noexcept;

 private:
  friend class Mapping;
  class State;
  std::shared_ptr<const State> state_;
};

/// Memory at its addresses, until this ends. Keeps both. Ending it does not wait for work that uses
/// the memory: the program does.
class Mapping {
 public:
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;
  ~Mapping();

  /// Ends it now. Throws InvalidState the second time.
  void unmap();
  /// False after unmap(), and where it was moved from.
  bool is_mapped() const noexcept { return address_ != 0; }
  /// Lets a device, or the host, use it from now on; other places keep what they have. Throws
  /// DeviceError for places that cannot reach it.
  void set_access(MemoryLocation who, MemoryAccess access = MemoryAccess::read_write) const;
  /// What a place may do.
  MemoryAccess access(MemoryLocation who) const;

  /// Throws InvalidState after unmap().
  DevicePointer address() const;
  /// Stays after unmap().
  std::size_t size_bytes() const noexcept { return size_bytes_; }

 private:
  friend class AddressReservation;
  friend struct LaunchArgument<Mapping>;
  Mapping(std::shared_ptr<const AddressReservation::State> reservation,
          std::shared_ptr<const PhysicalMemory::State> memory, DevicePointer address,
          std::size_t size_bytes) noexcept;
  int end() noexcept;

  std::shared_ptr<const AddressReservation::State> reservation_;
  std::shared_ptr<const PhysicalMemory::State> memory_;
  DevicePointer address_ = 0;
  std::size_t size_bytes_ = 0;
};

/// The address where it begins. Throws InvalidState after unmap().
template <>
struct LaunchArgument<Mapping> {
  static const void* data(const Mapping& mapping);
  static constexpr std::size_t size = sizeof(DevicePointer), alignment = alignof(DevicePointer);
};

}  // namespace treadle::cuda
