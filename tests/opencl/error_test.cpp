// SPDX-License-Identifier: MIT
#include "treadle/opencl/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "treadle/opencl/table.hpp"
#include "treadle/process/warning.hpp"

namespace treadle::opencl {
namespace {

using testing::HasSubstr;
const Table table;

TEST(OpenCLError, NamesTheCodeInBothWays) {
  EXPECT_EQ(error_name(-30), "CL_INVALID_VALUE");
  EXPECT_EQ(error_text(-30), "invalid value");
  EXPECT_EQ(error_text(-1001), "platform not found");
  EXPECT_EQ(error_name(-9999), "CL_ERROR_-9999");
  EXPECT_EQ(error_text(-9999), "error -9999");
}

TEST(OpenCLError, CarriesCallCodeAndDetail) {
  try {
    check(table, CL_INVALID_VALUE, "clEnqueueReadBuffer", [] { return "4 bytes"; });
    FAIL() << "nothing was thrown";
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.code(), CL_INVALID_VALUE);
    EXPECT_EQ(error.call(), "clEnqueueReadBuffer");
    EXPECT_STREQ(error.what(), "clEnqueueReadBuffer failed: invalid value - 4 bytes");
  }
}

TEST(OpenCLError, SuccessDescribesNothing) {
  check(table, CL_SUCCESS, "clFinish", []() -> std::string { throw 1; });
}

TEST(OpenCLError, ExhaustedMemoryIsOutOfMemory) {
  EXPECT_THROW(raise(table, CL_MEM_OBJECT_ALLOCATION_FAILURE, "clCreateBuffer"), OutOfMemory);
  EXPECT_THROW(raise(table, CL_OUT_OF_HOST_MEMORY, "clCreateKernel"), OutOfMemory);
  EXPECT_THROW(raise(table, CL_OUT_OF_RESOURCES, "clEnqueueWriteBuffer"), OutOfMemory);
}

TEST(OpenCLError, ARefusedLaunchIsALaunchError) {
  for (int code : {CL_OUT_OF_RESOURCES, CL_INVALID_WORK_GROUP_SIZE, CL_INVALID_KERNEL_ARGS,
                   CL_INVALID_GLOBAL_WORK_SIZE})
    EXPECT_THROW(raise(table, code, "clEnqueueNDRangeKernel"), LaunchError) << code;
}

TEST(OpenCLError, AFailedWaitIsNeither) {
  try {
    raise(table, CL_OUT_OF_RESOURCES, "clFinish");
  } catch (const OutOfMemory&) {
    FAIL() << "no memory was asked for";
  } catch (const LaunchError&) {
    FAIL() << "nothing was launched";
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.code(), CL_OUT_OF_RESOURCES);
  }
}

TEST(OpenCLError, OfABuildHoldsEveryDevicesLog) {
  const BuildError error(CL_BUILD_PROGRAM_FAILURE, "clBuildProgram",
                         {{"one", "line 3: no"}, {"two", "  \n"}, {"three", "line 4: nor here\n"}},
                         "kernel text", {"-cl-fast-relaxed-math"});
  EXPECT_EQ(error.code(), CL_BUILD_PROGRAM_FAILURE);
  EXPECT_EQ(error.call(), "clBuildProgram");
  EXPECT_EQ(error.log(), "on one:\nline 3: no\non three:\nline 4: nor here\n");
  EXPECT_THAT(error.what(), HasSubstr("clBuildProgram failed: build program failure on one, two"));
  EXPECT_EQ(error.source(), "kernel text");
  EXPECT_EQ(error.logs().size(), 3u);
}

TEST(OpenCLError, OfADestructorIsAWarning) {
  std::string text;
  const auto before = set_warning_handler([&](std::string_view said) { text = said; });
  warn_if_failed(CL_SUCCESS, "clReleaseEvent", "an event");
  EXPECT_EQ(text, "");
  warn_if_failed(CL_INVALID_EVENT, "clReleaseEvent", "an event");
  set_warning_handler(before);
  EXPECT_EQ(text, "cleaning up an event: clReleaseEvent failed: invalid event (CL_INVALID_EVENT)");
}

}  // namespace
}  // namespace treadle::opencl
