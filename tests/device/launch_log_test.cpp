// SPDX-License-Identifier: MIT
#include "treadle/device/launch_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cuda/fake_driver.hpp"
#include "device/launch_log.hpp"
#include "treadle/base/error.hpp"
#include "treadle/cuda/context.hpp"
#include "treadle/cuda/function.hpp"
#include "treadle/cuda/launch_log.hpp"
#include "treadle/device/cuda.hpp"
#include "treadle/device/driver.hpp"
#include "treadle/device/event.hpp"
#include "treadle/device/module.hpp"
#include "treadle/device/null.hpp"
#include "treadle/device/opencl.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/memory/buffer.hpp"
#include "treadle/opencl/platform.hpp"
#include "treadle/opencl/table.hpp"

namespace treadle::device {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr const char* text = "__kernel void one(int n) {}\n__kernel void two(int n) {}";

/// The text of the error that `wait` throws.
template <class Error = DeviceError, class Wait>
std::string failure_of(Wait&& wait) {
  try {
    wait();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

class LaunchLogTest : public testing::Test {
 protected:
  void TearDown() override { set_launch_site({}); }

  void use(std::shared_ptr<Device> device, const std::shared_ptr<Module>& module) {
    device_ = std::move(device);
    stream_ = device_->make_stream();
    one_.emplace(module->kernel("one"));
    two_.emplace(module->kernel("two"));
  }
  void launch(const Kernel& kernel, unsigned groups = 1) {
    stream_->launch(kernel, {.groups = groups, .group_size = 32}, 5);
  }
  void launch_both() {
    set_launch_site({"user.py", 7});
    launch(*one_, 3);
    set_launch_site({"user.py", 9});
    launch(*two_);
  }

  std::shared_ptr<Device> device_;
  std::shared_ptr<Stream> stream_;
  std::optional<Kernel> one_, two_;
};

class LaunchLogOfNull : public LaunchLogTest {
 protected:
  void SetUp() override {
    const auto device = make_null_device();
    use(device, device->build({text}).module);
  }
};

TEST_F(LaunchLogOfNull, KeepsTheLastEightTheLatestFirst) {
  EXPECT_THAT(last_launches(*device_), IsEmpty());
  for (unsigned i = 1; i <= 11; ++i) {
    set_launch_site({"user.cpp", static_cast<int>(i)});
    launch(i == 11 ? *two_ : *one_, i);
  }
  const auto launches = last_launches(*device_);
  ASSERT_THAT(launches, SizeIs(8));
  EXPECT_EQ(launches[0].kernel, "two");
  EXPECT_EQ(launches[0].shape.groups.x, 11u);
  EXPECT_EQ(launches[0].shape.group_size.x, 32u);
  EXPECT_EQ(launches[0].site.line, 11);
  EXPECT_EQ(launches[7].kernel, "one");
}

TEST_F(LaunchLogOfNull, LaunchesOfEveryStreamAreThoseOfTheDevice) {
  launch(*one_);
  device_->make_stream()->launch(*two_, {}, 5);
  EXPECT_THAT(last_launches(*device_), SizeIs(2));
  EXPECT_THAT(last_launches(*make_null_device()), IsEmpty());
}

TEST_F(LaunchLogOfNull, WhatDoesNotRunIsNoLaunch) {
  EXPECT_THROW(stream_->launch(*one_, {}), InvalidArgument);
  launch(*one_, 0);
  EXPECT_THAT(last_launches(*device_), IsEmpty());
}

TEST_F(LaunchLogOfNull, NamesOutliveModules) {
  launch(*one_);
  one_.reset();
  two_.reset();
  EXPECT_EQ(last_launches(*device_).at(0).kernel, "one");
}

TEST_F(LaunchLogOfNull, P13_AnErrorKeepsItsTypeAndTellsTheShape) {
  const DeviceFailure failure{-5, "CL_OUT_OF_RESOURCES", "clFinish", "out of resources"};
  const LaunchShape shape{
      .groups = {2, 3}, .group_size = 32, .local_bytes = 64, .cooperative = true};
  const auto guilty = [&](const auto& error) {
    return [&] { naming_launch(*one_, shape, [&] { throw error; }); };
  };
  const auto named = AllOf(HasSubstr("clFinish"), HasSubstr("kernel \"one\""),
                           HasSubstr("groups 2x3x1 of 32x1x1, 64 bytes of local memory, "
                                     "cooperative"));
  EXPECT_THAT(failure_of<LaunchError>(guilty(LaunchError(failure))), named);
  EXPECT_THAT(failure_of<OutOfMemory>(guilty(OutOfMemory(failure))), named);
  EXPECT_THAT(failure_of<DeviceError>(guilty(DeviceError(failure))), named);
}

TEST_F(LaunchLogOfNull, P13_WithoutLaunchesAnErrorStaysAsItIs) {
  const DeviceError error({-36, "CL_INVALID_COMMAND_QUEUE", "clFinish", "invalid queue"}, "a hint");
  const auto wait = [&] { naming_launches(*device_, [&] { throw error; }); };
  EXPECT_EQ(failure_of(wait), error.what());
  launch(*one_);
  EXPECT_THAT(failure_of(wait), AllOf(HasSubstr("first: \"one\""), HasSubstr("a hint")));
}

// ---- behind the waist, the run-times

namespace fake = cuda::fake;

/// The recording CUDA driver.
class LaunchLogOfCuda : public LaunchLogTest {
 protected:
  void SetUp() override {
    fake::reset();
    fake::state().kernels = {{"one", {{0, 4}}}, {"two", {{0, 4}}}};
    auto table = fake::make_table();
    table->cuDeviceTotalMem = [](std::size_t* bytes, CUdevice) -> CUresult {
      *bytes = 1 << 30;
      return CUDA_SUCCESS;
    };
    table->cuDeviceGetAttribute = [](int* value, CUdevice_attribute, CUdevice) -> CUresult {
      *value = 1024;
      return CUDA_SUCCESS;
    };
    const auto device = cuda_driver(cuda::Driver(table))->devices().front();
    use(device, device->load({.code = std::vector<std::byte>(8, std::byte{1})}));
  }
};

TEST_F(LaunchLogOfCuda, P13_ALateFaultNamesTheLastLaunches) {
  launch_both();
  fake::state().fail_next["cuStreamSynchronize"] = CUDA_ERROR_ILLEGAL_ADDRESS;
  EXPECT_THAT(failure_of<LaunchError>([&] { stream_->synchronize(); }),
              AllOf(HasSubstr("\"two\", grid 1x1x1, block 32x1x1 (user.py:9); "
                              "\"one\", grid 3x1x1, block 32x1x1 (user.py:7)"),
                    HasSubstr("the context is lost")));
  EXPECT_THAT(last_launches(*device_), SizeIs(2));
}

TEST_F(LaunchLogOfCuda, EachLaunchIsNotedOnceWithItsShape) {
  set_launch_site({"user.cpp", 5});
  stream_->launch(*one_, {.groups = {2, 3, 4}, .group_size = {5, 6}, .local_bytes = 16}, 5);
  const auto launches = last_launches(*device_);
  ASSERT_THAT(launches, SizeIs(1));
  EXPECT_EQ(launches[0].kernel, "one");
  EXPECT_EQ(launches[0].shape.groups, Extent(2, 3, 4));
  EXPECT_EQ(launches[0].shape.group_size, Extent(5, 6));
  EXPECT_EQ(launches[0].shape.local_bytes, 16u);
  EXPECT_EQ(launches[0].site.line, 5);
  EXPECT_THAT(cuda::last_launches(*cuda_context(*device_)), SizeIs(1));
}

TEST_F(LaunchLogOfCuda, LaunchesOfTheShellAreAmongThem) {
  launch(*one_);
  cuda_function(*two_)->launch({}, 5);
  const auto launches = last_launches(*device_);
  ASSERT_THAT(launches, SizeIs(2));
  EXPECT_EQ(launches[0].kernel, "two");
}

TEST_F(LaunchLogOfCuda, ARefusedLaunchIsNoLaunch) {
  fake::state().fail_next["cuLaunchKernel"] = CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  EXPECT_THROW(launch(*one_), LaunchError);
  EXPECT_THAT(last_launches(*device_), IsEmpty());
}

TEST_F(LaunchLogOfCuda, AskingMakesNoContext) {
  const int before = fake::state().primary_references;
  const auto unused = cuda_driver(cuda_context(*device_)->driver())->devices().front();
  EXPECT_THAT(last_launches(*unused), IsEmpty());
  EXPECT_EQ(fake::state().primary_references, before);
}

cl_int failing = CL_SUCCESS;  // what the waits of OpenCL answer
std::shared_ptr<const opencl::Table> real;

/// The first platform there is, whose waits fail when they are told to.
class LaunchLogOfOpencl : public LaunchLogTest {
 protected:
  void SetUp() override {
    try {
      real = opencl::Loader::system().shared_table();
      auto table = std::make_shared<opencl::Table>(*real);
      table->clFinish = [](cl_command_queue queue) -> cl_int {
        const cl_int code = real->clFinish(queue);
        return failing != CL_SUCCESS ? failing : code;
      };
      table->clWaitForEvents = [](cl_uint count, const cl_event* events) -> cl_int {
        const cl_int code = real->clWaitForEvents(count, events);
        return failing != CL_SUCCESS ? failing : code;
      };
      const auto device = opencl_driver(opencl::Loader(table))->devices().at(0);
      use(device, device->build({text}).module);
    } catch (const Error& error) {
      GTEST_SKIP() << error.message();
    }
  }
  void TearDown() override {
    failing = CL_SUCCESS;
    LaunchLogTest::TearDown();
  }
};

const auto names_both = AllOf(HasSubstr("\"two\", groups 1x1x1 of 32x1x1 (user.py:9); "
                                        "\"one\", groups 3x1x1 of 32x1x1 (user.py:7)"),
                              HasSubstr("TREADLE_SYNC=1"));

TEST_F(LaunchLogOfOpencl, P13_ALateErrorOfAStreamNamesTheLastLaunches) {
  launch_both();
  stream_->synchronize();
  failing = CL_OUT_OF_RESOURCES;
  EXPECT_THAT(failure_of([&] { stream_->synchronize(); }),
              AllOf(HasSubstr("clFinish"), names_both));
  failing = CL_SUCCESS;
  stream_->synchronize();  // OpenCL says nothing of lost contexts: what works, works
}

TEST_F(LaunchLogOfOpencl, P13_ALateErrorOfAnEventNamesTheLastLaunches) {
  const auto event = device_->make_event();
  launch_both();
  stream_->record(*event);
  failing = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  EXPECT_THAT(failure_of([&] { event->synchronize(); }),
              AllOf(HasSubstr("clWaitForEvents"), names_both));
}

TEST_F(LaunchLogOfOpencl, WhatFailedOnceIsAskedForAgain) {
  launch_both();
  failing = CL_OUT_OF_RESOURCES;
  EXPECT_THROW(stream_->synchronize(), DeviceError);
  failing = CL_SUCCESS;
  while (!stream_->is_done()) {
  }
  stream_->synchronize();
  EXPECT_TRUE(stream_->is_done());
}

TEST_F(LaunchLogOfOpencl, P13_ABlockingCopyNamesThemToo) {
  Buffer buffer(device_, 64);
  launch_both();
  failing = CL_OUT_OF_RESOURCES;
  EXPECT_THAT(failure_of([&] { buffer.copy_from(std::vector<int>(4)); }), names_both);
}

}  // namespace
}  // namespace treadle::device
