// SPDX-License-Identifier: MIT
// What a launch asks of the platform, in which order, and what is said when it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "opencl/fake_platform.hpp"

namespace treadle::opencl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class Launch : public testing::Test {
 protected:
  Kernel make_kernel() {
    const Kernel kernel = Program::from_source(context_, "").kernel("fake");
    fake::state().calls.clear();
    return kernel;
  }
  std::string refusal_of(const std::function<void()>& attempt) {
    try {
      attempt();
    } catch (const treadle::Error& error) {
      return error.what();
    }
    return "no refusal";
  }

  static Context fresh_context() {
    fake::reset();
    return Context(fake::device());
  }

  Context context_ = fresh_context();
  Queue queue_{context_};
};

TEST_F(Launch, SetsEachArgumentThenEnqueues) {
  const Kernel kernel = make_kernel();
  kernel.launch({.queue = queue_, .global = {8, 8}, .order = {.without_event = true}}, 1, 2.0f);
  EXPECT_THAT(fake::state().calls,
              ElementsAre("clSetKernelArg(0)", "clSetKernelArg(1)", "clEnqueueNDRangeKernel(2)"));
}

TEST_F(Launch, GivesItsEventBack) {
  make_kernel().launch({.queue = queue_, .global = {1}}, 1, 2);
  EXPECT_EQ(fake::state().count("clReleaseEvent"), 1);
}

TEST_F(Launch, PassesSharedMemoryByItsOwnCall) {
  int shared = 0;
  const ArgumentView arguments[] = {{ArgumentView::Kind::svm, 0, &shared},
                                    {ArgumentView::Kind::local, 16}};
  make_kernel().launch_list({.queue = queue_, .global = {1}}, arguments);
  EXPECT_EQ(fake::state().calls.front(), "clSetKernelArgSVMPointer(0)");
}

TEST_F(Launch, StopsAtTheFirstArgumentThatIsRefused) {
  fake::state().fail["clSetKernelArg"] = CL_INVALID_ARG_SIZE;
  const Kernel kernel = make_kernel();
  const std::string text =
      refusal_of([&] { kernel.launch({.queue = queue_, .global = {1}}, 1, 2); });
  EXPECT_THAT(text, HasSubstr("kernel \"fake\", argument 0: given 4 bytes"));
  EXPECT_EQ(fake::state().count("clEnqueueNDRangeKernel"), 0);
}

TEST_F(Launch, NamesTheKindOfARefusedArgument) {
  fake::state().fail = {{"clSetKernelArg", CL_INVALID_ARG_VALUE},
                        {"clSetKernelArgSVMPointer", CL_INVALID_ARG_VALUE}};
  const Kernel kernel = make_kernel();
  EXPECT_THAT(refusal_of([&] { kernel.set_argument(1, {ArgumentView::Kind::local, 32}); }),
              HasSubstr("given 32 bytes of local memory"));
  EXPECT_THAT(refusal_of([&] { kernel.set_argument(0, {ArgumentView::Kind::svm}); }),
              HasSubstr("given a pointer to shared memory"));
}

TEST_F(Launch, ChecksNumbersAndShapesBeforeAnythingIsSet) {
  const Kernel kernel = make_kernel();
  EXPECT_THROW(kernel.launch({.queue = queue_, .global = {1}}, 1), InvalidArgument);
  EXPECT_THROW(kernel.launch({.queue = queue_, .global = {1}, .local = {1, 1}}, 1, 2),
               InvalidArgument);
  EXPECT_TRUE(fake::state().calls.empty());
}

TEST_F(Launch, ARefusalSaysWhatOfTheShapeIsWrongEvenIfLimitsAreUnknown) {
  fake::state().fail["clEnqueueNDRangeKernel"] = CL_INVALID_WORK_GROUP_SIZE;
  const Kernel kernel = make_kernel();
  const std::string text =
      refusal_of([&] { kernel.launch({.queue = queue_, .global = {10}, .local = {4}}, 1, 2); });
  EXPECT_THAT(text, HasSubstr("over (10) in groups of (4)"));
  EXPECT_THAT(text, HasSubstr("global size 10 is not a multiple of local size 4 in dimension 0"));
}

TEST_F(Launch, ASizeOfZeroIsNamed) {
  fake::state().fail["clEnqueueNDRangeKernel"] = CL_INVALID_GLOBAL_WORK_SIZE;
  const Kernel kernel = make_kernel();
  EXPECT_THAT(refusal_of([&] { kernel.launch({.queue = queue_, .global = {0}}, 1, 2); }),
              HasSubstr("a global size is 0"));
  fake::state().fail["clEnqueueNDRangeKernel"] = CL_INVALID_WORK_GROUP_SIZE;
  EXPECT_THAT(
      refusal_of([&] { kernel.launch({.queue = queue_, .global = {4}, .local = {0}}, 1, 2); }),
      HasSubstr("a local size is 0"));
}

TEST_F(Launch, AFailureThatIsNotOfTheShapeNamesNoLimit) {
  fake::state().fail["clEnqueueNDRangeKernel"] = CL_INVALID_COMMAND_QUEUE;
  const Kernel kernel = make_kernel();
  EXPECT_THAT(
      refusal_of([&] { kernel.launch({.queue = queue_, .global = {10}, .local = {4}}, 1, 2); }),
      Not(HasSubstr("multiple")));
}

TEST_F(Launch, AValueThatTheKernelHasIsNotSetAgain) {
  const Kernel kernel = make_kernel();
  kernel.launch({.queue = queue_, .global = {1}}, 1, 2.0);
  fake::state().calls.clear();
  const LaunchConfig again{.queue = queue_, .global = {1}, .order = {.without_event = true}};
  kernel.launch(again, 1, 2.0);
  kernel.launch(again, 1, 3.0);
  kernel.launch(again, 1, 3.0f);  // other bytes, and fewer
  EXPECT_THAT(fake::state().calls, ElementsAre("clEnqueueNDRangeKernel(1)", "clSetKernelArg(1)",
                                               "clEnqueueNDRangeKernel(1)", "clSetKernelArg(1)",
                                               "clEnqueueNDRangeKernel(1)"));
}

TEST_F(Launch, WhatMayBeAHandleIsSetEachTime) {
  struct Large {
    long number[3];
  };
  const Kernel kernel = make_kernel();
  const RawMemory handle = nullptr;
  for (int i = 0; i < 2; ++i)
    kernel.launch({.queue = queue_, .global = {1}}, handle, Large{{1, 2, 3}});
  EXPECT_EQ(fake::state().count("clSetKernelArg"), 4);
}

TEST_F(Launch, SettingAnArgumentByItselfCounts) {
  const Kernel kernel = make_kernel();
  const int one = 1, seven = 7;
  const LaunchConfig config{.queue = queue_, .global = {1}};
  kernel.launch(config, one, 2);
  kernel.set_argument(0, KernelArgument<int>::of(seven));
  kernel.set_argument(1, {ArgumentView::Kind::local, 16});
  fake::state().calls.clear();
  kernel.launch(config, seven, 2);  // the first is there, the second was replaced
  EXPECT_EQ(fake::state().count("clSetKernelArg"), 1);
  kernel.launch(config, one, 2);
  EXPECT_EQ(fake::state().count("clSetKernelArg"), 2);
}

TEST_F(Launch, ARefusedValueIsNotTakenForSet) {
  const Kernel kernel = make_kernel();
  const LaunchConfig config{.queue = queue_, .global = {1}};
  kernel.launch(config, 1, 2);
  fake::state().fail["clSetKernelArg"] = CL_OUT_OF_RESOURCES;
  EXPECT_THROW(kernel.launch(config, 5, 2), treadle::DeviceError);
  fake::state().fail.clear();
  fake::state().calls.clear();
  kernel.launch(config, 1, 2);  // what the failed call left there is not known
  EXPECT_EQ(fake::state().count("clSetKernelArg"), 1);
}

TEST_F(Launch, AKernelThatOthersHoldIsSetEachTime) {
  const LaunchConfig config{.queue = queue_, .global = {1}};
  const Kernel given_out = make_kernel();
  given_out.launch(config, 1, 2);
  EXPECT_NE(given_out.raw(), nullptr);  // somebody sets an argument with it
  fake::state().calls.clear();
  for (int i = 0; i < 2; ++i) given_out.launch(config, 1, 2);
  EXPECT_EQ(fake::state().count("clSetKernelArg"), 4);
}

TEST_F(Launch, AnIndexBehindTheLastIsThePlatformsToRefuse) {
  fake::state().fail["clSetKernelArg"] = CL_INVALID_ARG_INDEX;
  const int number = 1;
  const Kernel kernel = make_kernel();
  EXPECT_THROW(kernel.set_argument(9, KernelArgument<int>::of(number)), treadle::DeviceError);
}

// Four threads launch one kernel: in the record, each launch is one unbroken run of three calls.
// No two launches have a value in common, which would not be set again.
TEST_F(Launch, IsOneOperationForOtherThreads) {
  const Kernel kernel = make_kernel();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      for (int n = 500 * i; n < 500 * (i + 1); ++n)
        kernel.launch({.queue = queue_, .global = {1}, .order = {.without_event = true}}, n, n);
    });
  for (std::thread& thread : threads) thread.join();
  const auto& calls = fake::state().calls;
  ASSERT_EQ(calls.size(), 6000u);
  for (std::size_t i = 0; i < calls.size(); i += 3) {
    ASSERT_EQ(calls[i], "clSetKernelArg(0)") << i;
    ASSERT_EQ(calls[i + 1], "clSetKernelArg(1)") << i;
    ASSERT_EQ(calls[i + 2], "clEnqueueNDRangeKernel(1)") << i;
  }
}

TEST_F(Launch, AKernelWhoseNameCannotBeAskedIsReleased) {
  auto table = std::make_shared<Table>(context_.table());
  table->clGetKernelInfo = [](auto...) -> cl_int { return CL_OUT_OF_HOST_MEMORY; };
  const Context broken(Device(table, context_.devices().front().raw(), Ownership::adopt));
  const Program program = Program::from_source(broken, "");
  EXPECT_THROW(program.kernel("fake"), OutOfMemory);
  EXPECT_EQ(fake::state().count("clReleaseKernel"), 1);
}

class OlderPlatform : public Launch {};

TEST_F(OlderPlatform, TakesSpirVThroughItsExtension) {
  Program::from_il(context_, Bytes(4));
  EXPECT_EQ(fake::state().count("clCreateProgramWithIL"), 1);
  fake::reset();
  fake::state().version = "OpenCL 1.2 Fake";
  const Context older(fake::device());
  Program::from_il(older, Bytes(4));
  EXPECT_EQ(fake::state().count("clCreateProgramWithILKHR"), 1);
  EXPECT_EQ(fake::state().count("clCreateProgramWithIL"), 0);
}

TEST_F(OlderPlatform, UnloadsTheOneCompilerThereIs) {
  fake::device().platform().unload_compiler();
  EXPECT_EQ(fake::state().count("clUnloadPlatformCompiler"), 1);
  fake::state().version = "OpenCL 1.1 Fake";
  fake::device().platform().unload_compiler();
  EXPECT_EQ(fake::state().count("clUnloadCompiler"), 1);
}

TEST_F(OlderPlatform, LacksNewerCallsByName) {
  fake::state().version = "OpenCL 1.2 Fake";
  const Context older(fake::device());
  EXPECT_THAT(refusal_of([&] { older.devices().front().host_timestamp(); }),
              HasSubstr("clGetHostTimer is not offered by platform Fake (OpenCL 1.2 Fake)"));
  EXPECT_THAT(refusal_of([&] { Queue::with_properties(older, older.devices().front(), {}); }),
              HasSubstr("clCreateCommandQueueWithProperties is not offered"));
}

class BuildFailure : public Launch {};

TEST_F(BuildFailure, ReportsEvenIfTheLogCannotBeHad) {
  fake::state().fail = {{"clBuildProgram", CL_BUILD_PROGRAM_FAILURE},
                        {"clGetProgramBuildInfo", CL_OUT_OF_HOST_MEMORY},
                        {"clGetProgramInfo", CL_OUT_OF_HOST_MEMORY}};
  try {
    Program::from_source(context_, "").build("-w  -O1");
    FAIL() << "nothing was thrown";
  } catch (const BuildError& error) {
    EXPECT_EQ(error.code(), CL_BUILD_PROGRAM_FAILURE);
    EXPECT_EQ(error.log(), "");
    EXPECT_THAT(error.options(), ElementsAre("-w", "-O1"));
  }
}

TEST_F(BuildFailure, CarriesLogAndSource) {
  fake::state().fail["clBuildProgram"] = CL_BUILD_PROGRAM_FAILURE;
  try {
    Program::from_source(context_, "").build();
    FAIL() << "nothing was thrown";
  } catch (const BuildError& error) {
    EXPECT_EQ(error.log(), "the log\n");
    EXPECT_EQ(error.source(), "the source");
  }
}

TEST_F(BuildFailure, OfAnotherKindIsADeviceError) {
  fake::state().fail["clBuildProgram"] = CL_INVALID_OPERATION;
  EXPECT_THAT(refusal_of([&] { Program::from_source(context_, "").build("-w"); }),
              HasSubstr("clBuildProgram failed: invalid operation - with options \"-w\""));
}

TEST_F(Launch, PlatformsWithoutTheExtensionSuggestNoLocalSize) {
  const Kernel kernel = make_kernel();
  EXPECT_THROW(kernel.suggested_local_size({.queue = queue_, .global = {64}}), NotSupported);
}

}  // namespace
}  // namespace treadle::opencl
