// SPDX-License-Identifier: MIT
#include "treadle/opencl/allocation.hpp"

#include <gtest/gtest.h>

#include <string>

#include "treadle/base/error.hpp"
#include "treadle/opencl/raw.hpp"
#include "treadle/opencl/table.hpp"

namespace treadle::opencl {
namespace {

std::size_t given_back = 0;
std::size_t give_back() noexcept { return given_back; }
std::string text() { return "all of it"; }
constexpr KeptMemory kept = {&give_back, &text};

class AllocationTest : public testing::Test {
 protected:
  AllocationTest() { set_kept_memory(&kept); }
  ~AllocationTest() override { set_kept_memory(nullptr); }
  /// The first call gives `status`.
  int ask(int status) {
    calls_ = 0;
    return static_cast<int>(
        allocated("clCreateBuffer", [&] { return ++calls_ == 1 ? status : CL_SUCCESS; }));
  }
  int calls_ = 0;
};

TEST_F(AllocationTest, WhereMemoryIsShortTheCallIsMadeOnceMoreIfSomeWasGivenBack) {
  given_back = 100;
  EXPECT_EQ(ask(CL_MEM_OBJECT_ALLOCATION_FAILURE), CL_SUCCESS);
  EXPECT_EQ(calls_, 2);
  given_back = 0;
  EXPECT_EQ(ask(CL_MEM_OBJECT_ALLOCATION_FAILURE), CL_MEM_OBJECT_ALLOCATION_FAILURE);
  EXPECT_EQ(calls_, 1);
}

TEST_F(AllocationTest, WhatIsRefusedAllTheSameIsThrownWithWhatWasAttempted) {
  given_back = 0;
  const Table table;
  check_allocated(table, "clCreateBuffer", [] { return CL_SUCCESS; });
  try {
    check_allocated(
        table, "clCreateBuffer", [] { return CL_MEM_OBJECT_ALLOCATION_FAILURE; },
        [] { return "64 bytes"; });
    FAIL();
  } catch (const OutOfMemory& error) {
    EXPECT_NE(error.message().find("clCreateBuffer"), std::string::npos);
    EXPECT_NE(error.message().find("64 bytes"), std::string::npos);
  }
}

TEST_F(AllocationTest, OtherRefusalsAreLeftAsTheyAre) {
  given_back = 100;
  EXPECT_EQ(ask(CL_INVALID_VALUE), CL_INVALID_VALUE);
  EXPECT_EQ(calls_, 1);
}

TEST_F(AllocationTest, ResourcesMeanMemoryButForLaunchesAndWaits) {
  EXPECT_TRUE(is_out_of_memory(CL_OUT_OF_RESOURCES, "clCreateBuffer"));
  EXPECT_TRUE(is_out_of_memory(CL_OUT_OF_HOST_MEMORY, "clEnqueueNDRangeKernel"));
  EXPECT_FALSE(is_out_of_memory(CL_OUT_OF_RESOURCES, "clEnqueueNDRangeKernel"));
  EXPECT_FALSE(is_out_of_memory(CL_OUT_OF_RESOURCES, "clFinish"));
  EXPECT_FALSE(is_out_of_memory(CL_INVALID_VALUE, "clCreateBuffer"));
}

}  // namespace
}  // namespace treadle::opencl
