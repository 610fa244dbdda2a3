// SPDX-License-Identifier: MIT
#include "treadle/cuda/peer.hpp"

#include <string>

#include "treadle/base/error.hpp"
#include "treadle/cuda/table.hpp"

namespace treadle::cuda {
namespace {

void check_pair(const char* call, const Device& device, const Device& peer) {
  if (device.driver() != peer.driver())
    throw InvalidArgument(std::string(call) + ": device and peer are " + device.name() + " and " +
                              peer.name() + ", of two drivers",
                          "ask of devices of one driver");
  if (device == peer)
    throw InvalidArgument(
        std::string(call) + ": device and peer are both device " + std::to_string(device.raw()),
        "ask of two devices");
}

std::string pair_text(const Device& device, const Device& peer) {
  return "from device " + std::to_string(device.raw()) + " to " + std::to_string(peer.raw());
}

CUatomicOperation raw_operation(const char* call, AtomicOperation operation) {
  const int number = static_cast<int>(operation);
  if (number < 0 || number > static_cast<int>(AtomicOperation::float_max))
    throw InvalidArgument(std::string(call) + ": operation is " + std::to_string(number) +
                              ", and 0 to 12 was expected",
                          "take one of AtomicOperation");
  return static_cast<CUatomicOperation>(operation);
}

}  // namespace

int peer_attribute(const Device& device, const Device& peer, PeerAttribute attribute) {
  constexpr const char* call = "cuDeviceGetP2PAttribute";
  check_pair(call, device, peer);
  const Table& cu = device.driver().table();
  int value = 0;
  check(cu,
        cu.cuDeviceGetP2PAttribute(&value, static_cast<CUdevice_P2PAttribute>(attribute),
                                   device.raw(), peer.raw()),
        call, [&] { return pair_text(device, peer); });
  return value;
}

AtomicOperands host_atomics(const Device& device, AtomicOperation operation) {
  constexpr const char* call = "cuDeviceGetHostAtomicCapabilities";
  const CUatomicOperation raw = raw_operation(call, operation);
  const Table& cu = device.driver().table();
  unsigned operands = 0;
  check(cu, cu.cuDeviceGetHostAtomicCapabilities(&operands, &raw, 1, device.raw()), call,
        [&] { return device.name(); });
  return static_cast<AtomicOperands>(operands);
}

AtomicOperands peer_atomics(const Device& device, const Device& peer, AtomicOperation operation) {
  constexpr const char* call = "cuDeviceGetP2PAtomicCapabilities";
  const CUatomicOperation raw = raw_operation(call, operation);
  check_pair(call, device, peer);
  const Table& cu = device.driver().table();
  unsigned operands = 0;
  check(cu, cu.cuDeviceGetP2PAtomicCapabilities(&operands, &raw, 1, device.raw(), peer.raw()), call,
        [&] { return pair_text(device, peer); });
  return static_cast<AtomicOperands>(operands);
}

}  // namespace treadle::cuda
