// SPDX-License-Identifier: MIT
// Multicast: one range of addresses behind which is memory of several GPUs, so that a write goes to
// all of them and a read can reduce over them (multimem instructions, since sm_90 with NVSwitch).
//
//   cuda::Multicast all(size, 2);
//   all.add(gpu0); all.add(gpu1);                    // both, before anything is bound
//   all.bind(0, memory_of_gpu0); all.bind(0, memory_of_gpu1);
//   cuda::Mapping mapping = addresses.map(all.memory());
//
// Sizes and offsets are multiples of granularity(). The CPU device has none of it: NotSupported.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "treadle/cuda/virtual_memory.hpp"

namespace treadle::cuda {

/// The object, with memory that was bound to it. Ends when the last mapping of memory() has.
class Multicast {
 public:
  /// The unit of sizes and offsets for so many devices.
  static std::size_t granularity(std::size_t size_bytes, unsigned devices,
                                 Granularity granularity = Granularity::minimum,
                                 SharedAs shared_as = SharedAs::nothing,
                                 const Driver& driver = default_driver());
  /// For `devices` of them, each of which may bind `size_bytes`. Throws InvalidArgument for none,
  /// DeviceError for what the machine cannot.
  Multicast(std::size_t size_bytes, unsigned devices, SharedAs shared_as = SharedAs::nothing,
            const Driver& driver = default_driver());
  /// That of another process, which exported it: PhysicalMemory::import_file().
  explicit Multicast(PhysicalMemory imported) : memory_(std::move(imported)) {}

  /// One more device of the team. All of them are added before memory is bound.
  void add(const Device& device) const;
  /// Puts `size_bytes` of the memory from `memory_offset` on (0: all that follows) at `offset`, for
  /// the device it is on, and keeps it. Waits until all devices were added. Throws InvalidArgument
  /// for what is beyond either.
  void bind(std::size_t offset, const PhysicalMemory& memory, std::size_t memory_offset = 0,
            std::size_t size_bytes = 0);
  /// The same for memory that is mapped, or of a pool, which the program keeps.
  void bind_address(std::size_t offset, DevicePointer address, std::size_t size_bytes) const;
  /// Takes away again what one call bound for a device, of the same offset and size, and lets go of
  /// it. Nothing may use it. Throws DeviceError for what was not bound so.
  void unbind(const Device& device, std::size_t offset, std::size_t size_bytes);

  /// To be mapped (AddressReservation::map) and given access to; to be exported to other processes.
  const PhysicalMemory& memory() const noexcept { return memory_; }
  /// As it was asked for.
  std::size_t size_bytes() const noexcept { return memory_.size_bytes(); }

 private:
  struct Bound {
    PhysicalMemory memory;
    int device;
    std::size_t offset, size_bytes;
  };
  PhysicalMemory memory_;
  std::vector<Bound> bound_;
};

}  // namespace treadle::cuda
