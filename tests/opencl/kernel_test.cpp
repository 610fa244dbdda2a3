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

// Built without -cl-kernel-arg-info: with it, NVIDIA's compiler makes broken PTX of such a kernel.
constexpr const char* without_parameters = "__kernel void nothing() {}";

TEST_P(KernelTest, WithoutArgumentsRuns) {
  const Kernel nothing = build(without_parameters).kernel("nothing");
  const Event done = nothing.launch({.queue = queue(), .global = {1}});
  ASSERT_TRUE(done);
  done.wait();
}

TEST_P(KernelTest, WithoutEventGivesAnEmptyOne) {
  const Kernel nothing = build(without_parameters).kernel("nothing");
  EXPECT_FALSE(nothing.launch({.queue = queue(), .global = {1}, .order = {.without_event = true}}));
  queue().finish();  // the end of the process and PoCL's threads may else wait for each other
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

TEST_P(KernelTest, TellsItsWorkGroupsLimits) {
  const auto size = [&](const Kernel& of, KernelWorkGroupInfo parameter) {
    return of.work_group_info(device(), parameter);
  };
  EXPECT_GT(std::get<std::uint64_t>(size(kernel("add"), KernelWorkGroupInfo::work_group_size)), 0u);
  EXPECT_THAT(std::get<std::vector<std::uint64_t>>(
                  size(kernel("fixed"), KernelWorkGroupInfo::compile_work_group_size)),
              ElementsAre(4, 1, 1));
}

TEST_P(KernelTest, TellsItsSubGroupsOrWhyNot) {
  const std::size_t shape[] = {8};
  try {
    kernel("add").sub_group_info(device(), KernelSubGroupInfo::max_sub_group_size_for_ndrange,
                                 shape);
  } catch (const NotSupported&) {
  } catch (const DeviceError& error) {
    EXPECT_THAT(error.call(), HasSubstr("clGetKernelSubGroupInfo"));
  }
}

TEST_P(KernelTest, AWrongNumberOfArgumentsIsRefused) {
  const Buffer a = filled<float>({1});
  try {
    kernel("add").launch({.queue = queue(), .global = {1}}, a);
    FAIL() << "nothing was thrown";
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("kernel \"add\" takes 2 arguments, not 1"));
  }
}

TEST_P(KernelTest, AnArgumentOfTheWrongSizeNamesTheParameter) {
  const Buffer a = filled<float>({1});
  const DeviceError error =
      device_error_of([&] { kernel("add").launch({.queue = queue(), .global = {1}}, a, 0.5); });
  EXPECT_EQ(error.code_name(), "CL_INVALID_ARG_SIZE");
  EXPECT_THAT(error.what(), HasSubstr("kernel \"add\", argument 1 (float b): given 8 bytes"));
}

TEST_P(KernelTest, AnArgumentOfTheWrongKindIsRefusedBeforeThePlatformSeesIt) {
  const Kernel reverse = kernel("reverse");
  const Buffer a = filled<int>({1, 2});
  const LocalMemory tile{8};
  const auto refusal = [&](unsigned index, const ArgumentView& argument) {
    return device_error_of([&] { reverse.set_argument(index, argument); });
  };
  const std::int64_t number = 1;
  const DeviceError value = refusal(0, KernelArgument<std::int64_t>::of(number));
  EXPECT_EQ(value.code_name(), "CL_INVALID_MEM_OBJECT");
  EXPECT_THAT(value.what(), HasSubstr("kernel \"reverse\", argument 0 (int* a): given 8 bytes"));
  EXPECT_THAT(refusal(0, KernelArgument<LocalMemory>::of(tile)).what(),
              HasSubstr("given 8 bytes of local memory"));
  const DeviceError buffer = refusal(1, KernelArgument<Buffer>::of(a));
  EXPECT_EQ(buffer.code_name(), "CL_INVALID_ARG_VALUE");
  EXPECT_THAT(buffer.what(), HasSubstr("argument 1 (int* tile): given a buffer"));
  EXPECT_THAT(device_error_of([&] {
                kernel("add").set_argument(1, KernelArgument<Queue>::of(queue()));
              }).what(),
              HasSubstr("argument 1 (float b): given a queue"));
}

TEST_P(KernelTest, MemoryOfAnotherContextIsRefused) {
  const Context other(device());
  const Buffer foreign(other, 16);
  const DeviceError error = device_error_of(
      [&] { kernel("add").launch({.queue = queue(), .global = {1}}, foreign, 1.0f); });
  EXPECT_EQ(error.code_name(), "CL_INVALID_CONTEXT");
  EXPECT_THAT(error.what(), HasSubstr("argument 0 (float* a): given a buffer of another context"));
}

TEST_P(KernelTest, AnArgumentThatDoesNotExistIsRefused) {
  const DeviceError error = device_error_of(
      [&] { kernel("add").set_argument(5, {ArgumentView::Kind::local, 4, nullptr}); });
  EXPECT_EQ(error.code_name(), "CL_INVALID_ARG_INDEX");
  EXPECT_THAT(error.what(), HasSubstr("argument 5: it has only 2"));
}

TEST_P(KernelTest, AnEnqueueWithoutArgumentsIsALaunchError) {
  const Kernel add = kernel("add");
  try {
    add.enqueue({.queue = queue(), .global = {1}});
    FAIL() << "nothing was thrown";
  } catch (const LaunchError& error) {
    EXPECT_EQ(error.code_name(), "CL_INVALID_KERNEL_ARGS");
    EXPECT_THAT(error.what(), HasSubstr("an argument was never set"));
  }
}

TEST_P(KernelTest, ArgumentsStayUntilTheyAreSetAgain) {
  const Kernel add = kernel("add");
  const Buffer a = filled<float>({1, 1});
  const float one = 1;
  add.set_argument(0, KernelArgument<Buffer>::of(a));
  add.set_argument(1, KernelArgument<float>::of(one));
  add.enqueue({.queue = queue(), .global = {2}});
  add.enqueue({.queue = queue(), .global = {1}});
  EXPECT_THAT(values_of<float>(a), ElementsAre(3, 2));
}

TEST_P(KernelTest, ARefusedShapeNamesTheLimit) {
  const Buffer a(context(), 4096);
  const Kernel fixed = kernel("fixed");
  try {
    fixed.launch({.queue = queue(), .global = {8}, .local = {8}}, a);
    FAIL() << "nothing was thrown";
  } catch (const LaunchError& error) {
    EXPECT_EQ(error.code_name(), "CL_INVALID_WORK_GROUP_SIZE");
    EXPECT_THAT(error.what(), HasSubstr("kernel \"fixed\" over (8) in groups of (8)"));
    EXPECT_THAT(error.what(), HasSubstr("the source requires groups of (4, 1, 1)"));
  }
}

TEST_P(KernelTest, ATooLargeGroupNamesTheLimit) {
  const Buffer a = filled<float>({1});
  try {
    kernel("add").launch({.queue = queue(), .global = {1 << 20}, .local = {1 << 20}}, a, 1.0f);
    FAIL() << "nothing was thrown";
  } catch (const LaunchError& error) {
    EXPECT_THAT(error.what(), HasSubstr("a group has 1048576 work-items, this kernel allows "));
  }
}

TEST_P(KernelTest, ShapesOfDifferentDimensionsAreRefused) {
  const Kernel nothing = build(without_parameters).kernel("nothing");
  EXPECT_THROW(nothing.launch({.queue = queue(), .global = {4, 4}, .local = {4}}), InvalidArgument);
  EXPECT_THROW(nothing.launch({.queue = queue(), .global = {4}, .offset = {1, 1}}),
               InvalidArgument);
}

TEST_P(KernelTest, ReleasedMemoryIsRefusedBeforeTheLaunch) {
  Buffer a(context(), 16);
  a.release();
  EXPECT_THROW(kernel("add").launch({.queue = queue(), .global = {1}}, a, 1.0f), InvalidState);
}

TEST_P(KernelTest, WaitsForTheEventsItIsGiven) {
  const Buffer a = filled<float>({1});
  const UserEvent start(context());
  const Event done =
      kernel("add").launch({.queue = queue(), .global = {1}, .order = {.after = start}}, a, 1.0f);
  queue().flush();
  EXPECT_FALSE(done.is_done());
  start.set_status(0);
  done.wait();
  EXPECT_THAT(values_of<float>(a), ElementsAre(2));
}

TEST_P(KernelTest, OutlivesItsProgram) {
  Kernel add;
  {
    const Program program = build(source);
    add = program.kernel("add");
  }
  const Buffer a = filled<float>({1});
  add.launch({.queue = queue(), .global = {1}}, a, 1.0f);
  EXPECT_THAT(values_of<float>(a), ElementsAre(2));
  EXPECT_THAT(add.program().kernel_names(), testing::Contains("add"));
}

TEST_P(KernelTest, ACloneHasArgumentsOfItsOwn) {
  const Kernel add = kernel("add");
  const Buffer a = filled<float>({1}), b = filled<float>({1});
  const float one = 1;
  add.set_argument(0, KernelArgument<Buffer>::of(a));
  add.set_argument(1, KernelArgument<float>::of(one));
  Kernel copy;
  try {
    copy = add.clone();
  } catch (const NotSupported&) {
    GTEST_SKIP() << "the platform cannot clone";
  } catch (const DeviceError& error) {
    GTEST_SKIP() << error.message();
  }
  EXPECT_NE(copy, add);
  EXPECT_EQ(copy.name(), "add");
  copy.set_argument(0, KernelArgument<Buffer>::of(b));
  copy.enqueue({.queue = queue(), .global = {1}});
  add.enqueue({.queue = queue(), .global = {1}});
  EXPECT_THAT(values_of<float>(a), ElementsAre(2));
  EXPECT_THAT(values_of<float>(b), ElementsAre(2));
}

TEST_P(KernelTest, WrapsAnotherLibrarysKernel) {
  const Kernel made = kernel("add");
  const Kernel wrapped(Loader::system().shared_table(), made.raw(), Ownership::retain);
  EXPECT_EQ(wrapped, made);
  EXPECT_EQ(wrapped.name(), "add");
  EXPECT_EQ(wrapped.argument_count(), 2u);
}

// Each thread has a buffer and a number of its own; mixed arguments would show as a wrong sum.
TEST_P(KernelTest, LaunchedByManyThreadsNeverMixesArguments) {
  constexpr int thread_count = 8, launches = 200;
  const Kernel add = kernel("add");
  std::vector<Buffer> buffers;
  for (int i = 0; i < thread_count; ++i) buffers.push_back(filled<float>({0}));
  std::vector<std::thread> threads;
  for (int i = 0; i < thread_count; ++i)
    threads.emplace_back([&, i] {
      const Queue own(context());
      for (int n = 0; n < launches; ++n)
        add.launch({.queue = own, .global = {1}, .order = {.without_event = true}},
                   buffers[static_cast<std::size_t>(i)], static_cast<float>(i + 1));
      own.finish();
    });
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < thread_count; ++i)
    EXPECT_THAT(values_of<float>(buffers[static_cast<std::size_t>(i)]),
                Each(static_cast<float>(launches * (i + 1))));
}

TEST(OpenCLExtent, HasOneToThreeSizes) {
  const WorkSize two = {4, 5};
  EXPECT_EQ(two.dimensions(), 2u);
  EXPECT_EQ(two[1], 5u);
  EXPECT_TRUE(WorkSize().is_empty());
  EXPECT_EQ(WorkSize().data(), nullptr);
  EXPECT_THROW((WorkSize{1, 2, 3, 4}), InvalidArgument);
}

TEST(OpenCLKernel, AnEmptyOneSaysSo) {
  EXPECT_FALSE(Kernel());
  EXPECT_THROW(Kernel().name(), InvalidState);
  EXPECT_THROW(Kernel().raw(), InvalidState);
  EXPECT_THROW(Kernel().argument_count(), InvalidState);
  EXPECT_THROW(Kernel().parameters(), InvalidState);
  EXPECT_EQ(Kernel(), Kernel());
}

}  // namespace
}  // namespace treadle::opencl
