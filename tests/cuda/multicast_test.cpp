// SPDX-License-Identifier: MIT
// Two GPUs with NVSwitch are needed for what works. A driver that has multicast is asked for an
// object only with TREADLE_TEST_MULTICAST=1: a program that fails while it holds one can put GPUs
// of a host that others share out of service.
#include "treadle/cuda/multicast.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "cuda/providers.hpp"
#include "treadle/base/error.hpp"
#include "treadle/cuda/copy.hpp"

namespace treadle::cuda {
namespace {

class Multicasts : public OnEachProvider {
 protected:
  const Driver& driver() const { return device().driver(); }
  bool has_multicast() const {
    return GetParam() == Provider::nvidia &&
           device().attribute(DeviceAttribute::multicast_supported) != 0;
  }
  static bool is_wanted() { return std::getenv("TREADLE_TEST_MULTICAST") != nullptr; }
};
INSTANTIATE_TEST_SUITE_P(Providers, Multicasts, each_provider, provider_name);

TEST_P(Multicasts, BadInputIsRefusedAnywhere) {
  EXPECT_THROW(Multicast(0, 2, SharedAs::nothing, driver()), InvalidArgument);
  EXPECT_THROW(Multicast(1 << 21, 0, SharedAs::nothing, driver()), InvalidArgument);
  EXPECT_THROW(Multicast(static_cast<std::size_t>(-2), 2, SharedAs::nothing, driver()),
               InvalidArgument);
}

TEST_P(Multicasts, AMachineWithoutSaysSo) {
  if (has_multicast()) GTEST_SKIP() << "this one has";
  if (GetParam() == Provider::nvidia && !is_wanted()) GTEST_SKIP() << "TREADLE_TEST_MULTICAST=1";
  try {
    const Multicast all(1 << 21, 2, SharedAs::nothing, driver());
    FAIL();
  } catch (const NotSupported& error) {
    EXPECT_NE(error.message().find("cuMulticastCreate"), std::string::npos) << error.message();
  } catch (const DeviceError& error) {  // NVIDIA's driver has the call
    EXPECT_EQ(GetParam(), Provider::nvidia);
  }
}

TEST_P(Multicasts, AWriteReachesTheMemoryOfEveryDevice) {
  if (!has_multicast()) GTEST_SKIP() << "the device has no multicast";
  if (!is_wanted()) GTEST_SKIP() << "TREADLE_TEST_MULTICAST=1";
  if (driver().device_count() < 2) GTEST_SKIP() << "one device";
  const Device other = driver().device(1);
  if (other.attribute(DeviceAttribute::multicast_supported) == 0) GTEST_SKIP() << "only one";
  const std::size_t size =
      Multicast::granularity(1 << 21, 2, Granularity::recommended, SharedAs::nothing, driver());
  const PhysicalMemory here(size, MemoryLocation::of(device()), SharedAs::nothing, driver()),
      there(size, MemoryLocation::of(other), SharedAs::nothing, driver());
  Multicast all(size, 2, SharedAs::nothing, driver());
  const auto other_context = Context::primary(other);
  all.add(device());
  all.add(other);
  EXPECT_THROW(all.bind(size, here), InvalidArgument);
  EXPECT_THROW(all.bind(0, here, size + 1), InvalidArgument);
  all.bind(0, here);
  all.bind(0, there);
  const AddressReservation range(3 * size, size, 0, driver());
  const Mapping every = range.map(all.memory()), first = range.map(here, size),
                second = range.map(there, 2 * size);
  for (const Mapping* mapping : {&every, &first, &second})
    mapping->set_access(MemoryLocation::of(device()));
  fill32(first.address(), 1, size / 4);
  fill32(second.address(), 2, size / 4);
  fill32(every.address(), 7, size / 4);
  context().synchronize();
  for (const Mapping* mapping : {&first, &second}) {
    int value = 0;
    copy_to_host(&value, mapping->address() + size - 4, 4);
    EXPECT_EQ(value, 7);
  }
  all.unbind(other, 0, size);
  EXPECT_THROW(all.unbind(other, 2 * size, size), InvalidArgument);
}

}  // namespace
}  // namespace treadle::cuda
