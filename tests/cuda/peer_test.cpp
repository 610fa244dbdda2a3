// SPDX-License-Identifier: MIT
// Two GPUs are needed for what links tell.
#include "treadle/cuda/peer.hpp"

#include <gtest/gtest.h>

#include "cuda/providers.hpp"
#include "treadle/base/error.hpp"
#include "treadle/cuda/table.hpp"

namespace treadle::cuda {
namespace {

class Peers : public OnEachProvider {
 protected:
  /// The text of what `call` throws.
  template <class Failure, class Call>
  std::string refusal(Call&& call) const {
    try {
      (void)call();
    } catch (const Failure& error) {
      return error.message();
    }
    return "taken";
  }
};
INSTANTIATE_TEST_SUITE_P(Providers, Peers, each_provider, provider_name);

TEST_P(Peers, ADeviceIsNotItsOwnPeer) {
  const auto ask = [&] {
    return peer_attribute(device(), device(), PeerAttribute::access_supported);
  };
  EXPECT_NE(refusal<InvalidArgument>(ask).find("device and peer are both device 0"),
            std::string::npos);
  EXPECT_THROW(peer_atomics(device(), device(), AtomicOperation::integer_add), InvalidArgument);
  EXPECT_THROW(host_atomics(device(), static_cast<AtomicOperation>(13)), InvalidArgument);
  EXPECT_THROW(host_atomics(device(), static_cast<AtomicOperation>(-1)), InvalidArgument);
}

TEST_P(Peers, DevicesOfTwoDriversAreNoPeers) {
  const Driver other(std::make_shared<Table>(device().driver().table()));
  const Device same_in_other = other.device(0);
  EXPECT_NE(refusal<InvalidArgument>([&] {
              return peer_attribute(device(), same_in_other, PeerAttribute::performance_rank);
            }).find("of two drivers"),
            std::string::npos);
}

TEST_P(Peers, AtomicsOnMemoryOfTheHostAreToldOrRefusedByName) {
  const bool is_told = is_present(device().driver().table().cuDeviceGetHostAtomicCapabilities);
  if (!is_told) {
    EXPECT_NE(refusal<NotSupported>([&] {
                return host_atomics(device(), AtomicOperation::integer_add);
              }).find("cuDeviceGetHostAtomicCapabilities"),
              std::string::npos);
    return;
  }
  const AtomicOperands add = host_atomics(device(), AtomicOperation::integer_add);
  if (device().attribute(DeviceAttribute::host_native_atomic_supported) != 0) {
    EXPECT_TRUE(has_operands(add, AtomicOperands::scalar_32));
  }
}

TEST_P(Peers, LinksAreTold) {
  if (device().driver().device_count() < 2) GTEST_SKIP() << "one device";
  const Device peer = device().driver().device(1);
  EXPECT_EQ(peer_attribute(device(), peer, PeerAttribute::access_supported) != 0,
            device().can_access_peer(peer));
  EXPECT_GE(peer_attribute(device(), peer, PeerAttribute::performance_rank), 0);
  if (peer_attribute(device(), peer, PeerAttribute::native_atomics_supported) != 0 &&
      is_present(device().driver().table().cuDeviceGetP2PAtomicCapabilities)) {
    // Two H200 of a virtual machine have native atomics, and their driver tells no operands.
    const AtomicOperands add = peer_atomics(device(), peer, AtomicOperation::integer_add);
    EXPECT_TRUE(add == AtomicOperands::none || has_operands(add, AtomicOperands::scalar_32));
  }
}

}  // namespace
}  // namespace treadle::cuda
