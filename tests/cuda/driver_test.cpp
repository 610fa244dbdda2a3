// SPDX-License-Identifier: MIT
#include "treadle/cuda/driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "cuda/fake_driver.hpp"
#include "treadle/process/library.hpp"

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

// The choice is made once in a process, so each of these runs in one of its own.
class DriverOfEnvironment : public testing::Test {
 protected:
  void SetUp() override { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
  void TearDown() override {
    for (const char* name : {"TREADLE_DEVICE", "TREADLE_LIBCUDA", "CUDA_DEVICE"}) unsetenv(name);
  }
  /// Ends the process: 0 if default_driver() throws `Expected`, whose text goes to stderr.
  template <class Expected>
  [[noreturn]] static void expect_refusal(const char* device) {
    setenv("TREADLE_DEVICE", device, 1);
    setenv("TREADLE_LIBCUDA", "/no/such/libcuda.so", 1);
    try {
      default_driver();
    } catch (const Expected& error) {
      std::fputs(error.what(), stderr);
      std::exit(0);
    }
    std::exit(1);
  }
};

TEST_F(DriverOfEnvironment, ANameThatMeansNothingIsRefused) {
  EXPECT_EXIT(expect_refusal<InvalidArgument>("gpu7"), testing::ExitedWithCode(0),
              "TREADLE_DEVICE=.gpu7. names no CUDA device");
  EXPECT_EXIT(expect_refusal<InvalidArgument>("cuda:x"), testing::ExitedWithCode(0),
              "TREADLE_DEVICE=.cuda:x. names no CUDA device");
}

TEST_F(DriverOfEnvironment, AskingForAGpuWithoutADriverNamesThePathsTried) {
  EXPECT_EXIT(expect_refusal<LibraryNotFound>("cuda:0"), testing::ExitedWithCode(0),
              "libcuda.so.1 was not found; tried:.*/no/such/libcuda.so");
}

TEST_F(DriverOfEnvironment, WithoutARequestAndADriverTheCpuDeviceServes) {
  // Before anything reads the settings, in this process and in the one that runs choose().
  unsetenv("TREADLE_DEVICE");
  setenv("TREADLE_LIBCUDA", "/no/such/libcuda.so", 1);
  setenv("CUDA_DEVICE", "3", 1);
  if (!find_own_library("libtreadle_cpu.so").path) GTEST_SKIP() << "no libtreadle_cpu.so";
  const auto choose = [] {
    std::fputs(default_driver_reason().c_str(), stderr);
    std::exit(default_device().driver().provider() == Provider::cpu ? 0 : 1);
  };
  EXPECT_EXIT(choose(), testing::ExitedWithCode(0), "there is no NVIDIA driver");
}

}  // namespace
}  // namespace treadle::cuda
