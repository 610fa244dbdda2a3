// SPDX-License-Identifier: MIT
#include "treadle/opencl/pipe.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "opencl/each_platform.hpp"
#include "opencl/fake_platform.hpp"

namespace treadle::opencl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class PipeTest : public OnEachPlatform {
 protected:
  bool has_pipes() const { return device().get<DeviceInfo::pipe_max_packet_size>() > 0; }
};
INSTANTIATE_TEST_SUITE_P(, PipeTest, each_platform, platform_test_name);

TEST_P(PipeTest, TakesPacketsFromOneKernelToAnother) {
  if (!has_pipes()) GTEST_SKIP() << "the device has no pipes";
  const Pipe pipe(context(), sizeof(int), 16);
  EXPECT_EQ(pipe.get<PipeInfo::packet_size>(), sizeof(int));
  EXPECT_GE(pipe.get<PipeInfo::max_packets>(), 16u);
  EXPECT_EQ(pipe.get<MemInfo::type>(), static_cast<std::uint64_t>(MemObjectType::pipe));
  const Program program = build(
      "kernel void give(write_only pipe int p) { int v = 7; write_pipe(p, &v); }"
      "kernel void take(read_only pipe int p, global int *to) { read_pipe(p, to); }",
      "-cl-std=CL2.0");
  const Buffer to = filled(std::vector<int>{0});
  program.kernel("give").launch({.queue = queue(), .global = {1}}, pipe);
  program.kernel("take").launch({.queue = queue(), .global = {1}}, pipe, to);
  EXPECT_THAT(values_of<int>(to), ElementsAre(7));
}

TEST_P(PipeTest, SizesThatCannotBeAreRefused) {
  if (!has_pipes()) GTEST_SKIP() << "the device has no pipes";
  const auto code = [&](std::uint32_t bytes, std::uint32_t count) {
    return device_error_of([&] { Pipe(context(), bytes, count); }).code_name();
  };
  EXPECT_EQ(code(0, 1), "CL_INVALID_PIPE_SIZE");
  EXPECT_EQ(code(4, 0), "CL_INVALID_PIPE_SIZE");
  EXPECT_EQ(code(1u << 31, 1), "CL_INVALID_PIPE_SIZE");
}

TEST_P(PipeTest, DevicesWithoutPipesSaySo) {
  if (has_pipes()) GTEST_SKIP() << "the device has pipes";
  const DeviceError error = device_error_of([&] { Pipe(context(), 4, 16); });
  EXPECT_EQ(error.code_name(), "CL_INVALID_OPERATION");
  EXPECT_THAT(error.what(), HasSubstr("has no pipes"));
}

TEST(OpenCLPipeOnFake, OlderPlatformsHaveNone) {
  fake::reset();
  fake::state().version = "OpenCL 1.2 Fake";
  const Context context(fake::device());
  EXPECT_THROW(Pipe(context, 4, 16), NotSupported);
  fake::reset();
}

}  // namespace
}  // namespace treadle::opencl
