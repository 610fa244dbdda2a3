// SPDX-License-Identifier: MIT
// The names of raw.hpp are OpenCL's own types: what another library has passes without a cast.
#include "treadle/opencl/raw.hpp"

#include <gtest/gtest.h>

#include <type_traits>

#include "opencl/each_platform.hpp"
#include "treadle/opencl/table.hpp"

namespace treadle::opencl {
namespace {

static_assert(std::is_same_v<RawPlatform, cl_platform_id>);
static_assert(std::is_same_v<RawDevice, cl_device_id>);
static_assert(std::is_same_v<RawContext, cl_context>);
static_assert(std::is_same_v<RawQueue, cl_command_queue>);
static_assert(std::is_same_v<RawMemory, cl_mem>);
static_assert(std::is_same_v<RawProgram, cl_program>);
static_assert(std::is_same_v<RawKernel, cl_kernel>);
static_assert(std::is_same_v<RawEvent, cl_event>);
static_assert(std::is_same_v<RawSampler, cl_sampler>);

class RawTest : public OnEachPlatform {};
INSTANTIATE_TEST_SUITE_P(, RawTest, each_platform, platform_test_name);

// A family of calls without a class yet is reached through the table, with the objects there are.
TEST_P(RawTest, ReachesWhatHasNoClassYet) {
  if (!device().get<DeviceInfo::image_support>()) GTEST_SKIP() << "no images here";
  cl_uint count = 0;
  check(context().table(),
        context().table().clGetSupportedImageFormats(context().raw(), CL_MEM_READ_ONLY,
                                                     CL_MEM_OBJECT_IMAGE2D, 0, nullptr, &count),
        "clGetSupportedImageFormats");
  EXPECT_GT(count, 0u);
}

TEST_P(RawTest, ObjectsMadeByHandAreAdopted) {
  cl_int code = CL_SUCCESS;
  const cl_mem raw =
      context().table().clCreateBuffer(context().raw(), CL_MEM_READ_WRITE, 16, nullptr, &code);
  ASSERT_EQ(code, CL_SUCCESS);
  const Buffer adopted(context().shared_table(), raw, Ownership::adopt);
  EXPECT_EQ(adopted.get<MemInfo::reference_count>(), 1u);
  EXPECT_EQ(adopted.size_bytes(), 16u);
}

}  // namespace
}  // namespace treadle::opencl
