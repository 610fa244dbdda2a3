// SPDX-License-Identifier: MIT
// Two GPUs with NVSwitch are needed for what works. A driver that has multicast is asked for an
// object only with TREADLE_TEST_MULTICAST=1: a program that fails while it holds one can put GPUs
// of a host that others share out of service. What such a driver is asked is seen with a fake one.
#include "treadle/cuda/multicast.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "cuda/fake_driver.hpp"
#include "cuda/providers.hpp"
#include "treadle/base/error.hpp"
#include "treadle/cuda/copy.hpp"
#include "treadle/cuda/table.hpp"

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

// ---- what a driver is asked for

std::vector<std::string> requests;

template <class... Numbers>
CUresult note_request(const char* name, Numbers... numbers) {
  std::string text = name;
  ((text += " " + std::to_string(numbers)), ...);
  requests.push_back(text);
  return CUDA_SUCCESS;
}

/// The object is 1; memory is 2, 3, ... Byte 4096 of the object cannot be unbound.
Driver driver_with_multicast() {
  auto table = std::make_shared<Table>(fake::driver().table());
  table->cuMulticastCreate = [](CUmemGenericAllocationHandle* made,
                                const CUmulticastObjectProp* wanted) {
    *made = 1;
    return note_request("create", wanted->numDevices, wanted->size, wanted->handleTypes,
                        wanted->flags);
  };
  table->cuMulticastGetGranularity = [](std::size_t* bytes, const CUmulticastObjectProp* wanted,
                                        CUmulticastGranularity_flags which) {
    *bytes = 4096;
    return note_request("granularity", wanted->numDevices, wanted->size, static_cast<int>(which));
  };
  table->cuMulticastAddDevice = [](CUmemGenericAllocationHandle object, CUdevice device) {
    return note_request("add", object, device);
  };
  table->cuMulticastBindMem = [](CUmemGenericAllocationHandle object, std::size_t offset,
                                 CUmemGenericAllocationHandle memory, std::size_t memory_offset,
                                 std::size_t size, unsigned long long) {
    return note_request("bind", object, offset, memory, memory_offset, size);
  };
  table->cuMulticastBindAddr = [](CUmemGenericAllocationHandle object, std::size_t offset,
                                  CUdeviceptr address, std::size_t size, unsigned long long) {
    return note_request("bind address", object, offset, address, size);
  };
  table->cuMulticastUnbind = [](CUmemGenericAllocationHandle object, CUdevice device,
                                std::size_t offset, std::size_t size) {
    note_request("unbind", object, device, offset, size);
    return offset == 4096 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
  };
  table->cuMemCreate = [](CUmemGenericAllocationHandle* made, std::size_t,
                          const CUmemAllocationProp* wanted, unsigned long long) {
    *made = 2 + static_cast<CUmemGenericAllocationHandle>(wanted->location.id);
    return CUDA_SUCCESS;
  };
  table->cuMemGetAllocationPropertiesFromHandle = [](CUmemAllocationProp* properties,
                                                     CUmemGenericAllocationHandle memory) {
    *properties = {};
    properties->location = {CU_MEM_LOCATION_TYPE_DEVICE, static_cast<int>(memory) - 2};
    return CUDA_SUCCESS;
  };
  table->cuMemRelease = [](CUmemGenericAllocationHandle handle) {
    return note_request("release", handle);
  };
  return Driver(table);
}

class MulticastCalls : public testing::Test {
 protected:
  void SetUp() override {
    fake::reset();
    requests.clear();
  }
  const Driver driver_ = driver_with_multicast();
  PhysicalMemory memory_of(int device, std::size_t size) const {
    return {size, {MemoryLocation::Kind::device, device}, SharedAs::nothing, driver_};
  }
};

TEST_F(MulticastCalls, DevicesAreAddedAndTheirMemoryIsBoundAndKept) {
  EXPECT_EQ(Multicast::granularity(8192, 2, Granularity::recommended, SharedAs::nothing, driver_),
            4096u);
  {
    Multicast all(8192, 2, SharedAs::file_descriptor, driver_);
    EXPECT_EQ(all.size_bytes(), 8192u);
    all.add(Device(driver_, 0));
    all.add(Device(driver_, 1));
    all.bind(0, memory_of(0, 8192));
    all.bind(4096, memory_of(1, 8192), 4096);
    all.bind_address(4096, 0x10000, 4096);
    all.unbind(Device(driver_, 1), 0, 4096);
  }
  EXPECT_THAT(requests,
              testing::ElementsAre("granularity 2 8192 1", "create 2 8192 1 0", "add 1 0",
                                   "add 1 1", "bind 1 0 2 0 8192", "bind 1 4096 3 4096 4096",
                                   "bind address 1 4096 65536 4096", "unbind 1 1 0 4096",
                                   testing::_, testing::_, testing::_));
  EXPECT_THAT((std::vector<std::string>(requests.end() - 3, requests.end())),
              testing::UnorderedElementsAre("release 1", "release 2", "release 3"))
      << "the object's memory lives as long as the object";
}

TEST_F(MulticastCalls, WhatIsUnboundIsLetGo) {
  const Device first(driver_, 0), second(driver_, 1);
  Multicast all(8192, 2, SharedAs::nothing, driver_);
  all.bind(0, memory_of(0, 4096));
  all.bind(0, memory_of(1, 4096));
  EXPECT_THAT(requests, testing::Not(testing::Contains(testing::HasSubstr("release"))));
  all.unbind(second, 0, 4096);
  EXPECT_EQ(requests.back(), "release 3") << "the second device's, and the first's not";
  all.unbind(first, 0, 2048);
  EXPECT_EQ(requests.back(), "unbind 1 0 0 2048") << "not what was bound";
  all.unbind(first, 0, 4096);
  EXPECT_EQ(requests.back(), "release 2");
}

TEST_F(MulticastCalls, WhatDoesNotFitNeverReachesTheDriver) {
  Multicast all(8192, 2, SharedAs::nothing, driver_);
  const PhysicalMemory memory = memory_of(0, 8192);
  const std::size_t before = requests.size();
  EXPECT_THROW(all.bind(4096, memory), InvalidArgument);
  EXPECT_THROW(all.bind(0, memory, 4096, 8192), InvalidArgument);
  EXPECT_THROW(all.bind(0, memory, 16384), InvalidArgument);
  EXPECT_THROW(all.bind_address(0, 0, 4096), InvalidArgument);
  EXPECT_THROW(all.bind_address(4096, 0x10000, 8192), InvalidArgument);
  EXPECT_THROW(all.unbind(Device(driver_, 0), 8192, 4096), InvalidArgument);
  EXPECT_EQ(requests.size(), before);
  EXPECT_THROW(all.unbind(Device(driver_, 0), 4096, 4096), DeviceError) << "nothing is bound there";
}

}  // namespace
}  // namespace treadle::cuda
