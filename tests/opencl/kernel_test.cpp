// SPDX-License-Identifier: MIT
#include "treadle/opencl/kernel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "opencl/each_platform.hpp"

namespace treadle::opencl {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* source = R"(
__kernel void add(__global float* a, float b) { a[get_global_id(0)] += b; }
__kernel void reverse(__global int* a, __local int* tile) {
  int i = get_local_id(0), n = get_local_size(0);
  tile[i] = a[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  a[get_global_id(0)] = tile[n - 1 - i];
}
__kernel void place(__global int* a) {
  a[get_global_id(0) + 10 * get_global_id(1)] = 1;
}
__kernel void nothing() {}
__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void fixed(__global int* a) {
  a[get_global_id(0)] = (int)get_local_size(0);
}
)";

class KernelTest : public OnEachPlatform {
 protected:
  Kernel kernel(const std::string& name) {
    return build(source, "-cl-kernel-arg-info").kernel(name);
  }
};

INSTANTIATE_TEST_SUITE_P(, KernelTest, each_platform, platform_test_name);

TEST_P(KernelTest, RunsWithABufferAndAValue) {
  const Buffer a = filled<float>({1, 2, 3, 4});
  kernel("add").launch({.queue = queue(), .global = {4}}, a, 0.5f);
  EXPECT_THAT(values_of<float>(a), ElementsAre(1.5f, 2.5f, 3.5f, 4.5f));
}

TEST_P(KernelTest, TakesLocalMemory) {
  const Buffer a = filled<int>({1, 2, 3, 4, 5, 6, 7, 8});
  kernel("reverse").launch({.queue = queue(), .global = {8}, .local = {4}}, a,
                           LocalMemory{4 * sizeof(int)});
  EXPECT_THAT(values_of<int>(a), ElementsAre(4, 3, 2, 1, 8, 7, 6, 5));
}

TEST_P(KernelTest, RunsOverTwoDimensionsWithAnOffset) {
  const Buffer a = filled<int>(std::vector<int>(30));
  kernel("place").launch({.queue = queue(), .global = {2, 1}, .offset = {3, 2}}, a);
  const auto values = values_of<int>(a);
  for (int i = 0; i < 30; ++i)
    EXPECT_EQ(values[static_cast<std::size_t>(i)], i == 23 || i == 24 ? 1 : 0) << i;
}

TEST_P(KernelTest, WithoutArgumentsRuns) {
  EXPECT_TRUE(kernel("nothing").launch({.queue = queue(), .global = {1}}));
}

TEST_P(KernelTest, WithoutEventGivesAnEmptyOne) {
  EXPECT_FALSE(kernel("nothing").launch(
      {.queue = queue(), .global = {1}, .order = {.without_event = true}}));
}

TEST_P(KernelTest, TellsItsParameters) {
  const Kernel add = kernel("add");
  EXPECT_EQ(add.name(), "add");
  ASSERT_EQ(add.argument_count(), 2u);
  EXPECT_EQ(add.parameters()[0].name, "a");
  EXPECT_EQ(add.parameters()[0].type, "float*");
  EXPECT_EQ(add.parameters()[0].address, KernelArgAddressQualifier::global);
  EXPECT_EQ(add.parameters()[1].name, "b");
  EXPECT_EQ(add.parameters()[1].address, KernelArgAddressQualifier::private_);
}

}  // namespace
}  // namespace treadle::opencl
