// SPDX-License-Identifier: MIT
// What two devices are to each other, and which atomics reach the memory of another, or of the
// host.
//
//   if (cuda::peer_attribute(device, peer, cuda::PeerAttribute::native_atomics_supported) != 0)
//     ...  // kernels of `device` may count in memory of `peer`
//
// The CPU device is one alone: it has no peer, and the driver's refusal says so.
#pragma once

#include "treadle/cuda/device.hpp"

namespace treadle::cuda {

/// CUdevice_P2PAttribute.
enum class PeerAttribute : int {
  performance_rank = 1,                       ///< 0 is the fastest link that this machine has
  access_supported = 2,                       ///< 1: kernels may use the peer's memory
  native_atomics_supported = 3,               ///< 1: with all atomics
  array_access_supported = 4,                 ///< 1: and its arrays
  only_partial_native_atomics_supported = 5,  ///< 1: with some of them: see peer_atomics()
};
/// Of the link from `device` to `peer`. Throws InvalidArgument for one device with itself, and for
/// devices of two drivers; DeviceError for what the driver does not know.
int peer_attribute(const Device& device, const Device& peer, PeerAttribute attribute);

/// CUatomicOperation: what an atomic function does.
enum class AtomicOperation : int {
  integer_add = 0,
  integer_min = 1,
  integer_max = 2,
  integer_increment = 3,
  integer_decrement = 4,
  bit_and = 5,
  bit_or = 6,
  bit_xor = 7,
  exchange = 8,
  compare_and_swap = 9,
  float_add = 10,
  float_min = 11,
  float_max = 12,
};
/// CUatomicOperationCapability: for which operands, a set of bits.
enum class AtomicOperands : unsigned {
  none = 0,          ///< the operation is not there
  signed_ = 1,       ///< signed integers
  unsigned_ = 2,     ///< unsigned ones
  reduction = 4,     ///< without a result
  scalar_32 = 8,     ///< of 4 bytes
  scalar_64 = 16,    ///< of 8
  scalar_128 = 32,   ///< of 16
  vector_32x4 = 64,  ///< of four times 4
};
/// Whether `operands` has all of `wanted`.
constexpr bool has_operands(AtomicOperands operands, AtomicOperands wanted) noexcept {
  return (static_cast<unsigned>(operands) & static_cast<unsigned>(wanted)) ==
         static_cast<unsigned>(wanted);
}

/// With which operands kernels of `device` may use the operation on memory of the host. Throws
/// NotSupported where the driver is older than CUDA 13.0, and on the CPU device.
AtomicOperands host_atomics(const Device& device, AtomicOperation operation);
/// The same for memory of `peer`. Throws as peer_attribute() too.
AtomicOperands peer_atomics(const Device& device, const Device& peer, AtomicOperation operation);

}  // namespace treadle::cuda
