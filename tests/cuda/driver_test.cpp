// SPDX-License-Identifier: MIT
#include "treadle/cuda/driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "cuda/fake_driver.hpp"

namespace treadle::cuda {
namespace {

using testing::HasSubstr;

class DriverChoice : public testing::Test {
 protected:
  void SetUp() override {
    fake::reset();
    set_default_driver(fake::driver(), "a test");
    unsetenv("CUDA_DEVICE");
  }
};

TEST_F(DriverChoice, KnowsItsDevices) {
  const Driver driver = fake::driver();
  EXPECT_EQ(driver.version(), 12040);
  EXPECT_EQ(driver.device_count(), 2);
  EXPECT_EQ(driver.devices().size(), 2u);
  EXPECT_EQ(driver.device(1).raw(), 1);
  EXPECT_EQ(driver, fake::driver());
  EXPECT_EQ(header_version(), 13000);
}

TEST_F(DriverChoice, ADeviceThatIsNotThereIsRefusedWithTheRange) {
  try {
    fake::driver().device(7);
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.code(), 101);
    EXPECT_THAT(error.detail(), HasSubstr("no device 7; they are 0 to 1"));
  }
}

TEST_F(DriverChoice, AProgramMayChoose) {
  EXPECT_EQ(default_driver(), fake::driver());
  EXPECT_EQ(default_driver_reason(), "a test");
  EXPECT_EQ(default_device(), fake::driver().device(0));
}

TEST_F(DriverChoice, CudaDeviceNumbersTheDefault) {
  setenv("CUDA_DEVICE", "1", 1);
  EXPECT_EQ(default_device().raw(), 1);
  setenv("CUDA_DEVICE", "first", 1);
  try {
    default_device();
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.message(), HasSubstr("CUDA_DEVICE: \"first\""));
  }
  unsetenv("CUDA_DEVICE");
}

}  // namespace
}  // namespace treadle::cuda
