// SPDX-License-Identifier: MIT
#include "treadle/process/device_request.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "treadle/base/error.hpp"

namespace treadle {
namespace {

TEST(DeviceRequestTest, ReadsIds) {
  EXPECT_EQ(parse_device_id("")->runtime, "");
  EXPECT_EQ(parse_device_id("cpu")->runtime, "cpu");
  EXPECT_EQ(parse_device_id("cuda")->ordinal, std::nullopt);
  EXPECT_EQ(parse_device_id("cuda:12")->ordinal, 12);
  const auto opencl = parse_device_id("opencl:1:2");
  EXPECT_EQ(opencl->platform, 1);
  EXPECT_EQ(opencl->ordinal, 2);
  EXPECT_EQ(parse_device_id("opencl:1")->platform, 1);
  EXPECT_EQ(parse_device_id("opencl:1")->ordinal, std::nullopt);
}

TEST(DeviceRequestTest, RefusesWhatIsNoId) {
  for (const char* id : {"gpu7", "cuda:", "cuda:x", "cuda:-1", "cuda:1:2", "opencl:x",
                         "opencl:0:", "opencl:0:1:2", ":", "cpu:one"})
    EXPECT_FALSE(parse_device_id(id)) << id;
}

class RequestedGpuTest : public testing::Test {
 protected:
  void SetUp() override {
    unsetenv("CUDA_DEVICE");
    home_ = std::filesystem::temp_directory_path() / ("treadle-home-" + std::to_string(getpid()));
    std::filesystem::create_directories(home_);
    if (const char* home = std::getenv("HOME")) old_home_ = home;
    setenv("HOME", home_.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("CUDA_DEVICE");
    setenv("HOME", old_home_.c_str(), 1);
    std::filesystem::remove_all(home_);
  }
  void write(const char* text) const { std::ofstream(home_ / ".cuda_device") << text; }

  std::filesystem::path home_;
  std::string old_home_;
};

TEST_F(RequestedGpuTest, NothingIsRequested) { EXPECT_FALSE(requested_gpu()); }

TEST_F(RequestedGpuTest, TheVariableComesBeforeTheFile) {
  write(" 2 \nsecond line\n");
  EXPECT_EQ(requested_gpu()->ordinal, 2);
  EXPECT_NE(requested_gpu()->source.find(".cuda_device"), std::string::npos);
  setenv("CUDA_DEVICE", "1", 1);
  EXPECT_EQ(requested_gpu()->ordinal, 1);
  EXPECT_EQ(requested_gpu()->source, "CUDA_DEVICE");
}

TEST_F(RequestedGpuTest, AnythingButANumberIsRefused) {
  setenv("CUDA_DEVICE", "first", 1);
  EXPECT_THROW(requested_gpu(), InvalidArgument);
  unsetenv("CUDA_DEVICE");
  write("\n");
  EXPECT_THROW(requested_gpu(), InvalidArgument);
}

class RequestedOpenclTest : public testing::Test {
 protected:
  void TearDown() override { unsetenv("PYOPENCL_CTX"); }
};

TEST_F(RequestedOpenclTest, IsTheVariableTakenApart) {
  unsetenv("PYOPENCL_CTX");
  EXPECT_FALSE(requested_opencl());
  setenv("PYOPENCL_CTX", "portable:1,0", 1);
  EXPECT_EQ(requested_opencl()->platform, "portable");
  EXPECT_EQ(requested_opencl()->device, "1");
  setenv("PYOPENCL_CTX", "", 1);
  EXPECT_EQ(requested_opencl()->platform, "");
  setenv("PYOPENCL_CTX", "0:0:0", 1);
  EXPECT_THROW(requested_opencl(), InvalidArgument);
}

}  // namespace
}  // namespace treadle
