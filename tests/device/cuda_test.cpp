// SPDX-License-Identifier: MIT
// What the waist asks of a CUDA driver, seen by a recording one.
#include "treadle/device/cuda.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cuda/fake_driver.hpp"
#include "treadle/base/error.hpp"
#include "treadle/cuda/context.hpp"
#include "treadle/cuda/function.hpp"
#include "treadle/cuda/module.hpp"
#include "treadle/device/null.hpp"
#include "treadle/memory/buffer.hpp"

namespace treadle::device {
namespace {

namespace fake = cuda::fake;

class CudaDeviceTest : public testing::Test {
 protected:
  void SetUp() override {
    fake::reset();
    fake::state().kernels = {{"twice", {{0, 8}, {8, 4}}}};
    devices_ = cuda_driver(driver())->devices();
  }
  /// The recording driver, with the answers about devices that it lacks.
  static cuda::Driver driver() {
    static const cuda::Driver made = [] {
      auto table = fake::make_table();
      table->cuDeviceTotalMem = [](std::size_t* bytes, CUdevice) -> CUresult {
        *bytes = 1 << 30;
        return CUDA_SUCCESS;
      };
      table->cuDeviceGetAttribute = [](int* value, CUdevice_attribute, CUdevice) -> CUresult {
        *value = 1024;
        return CUDA_SUCCESS;
      };
      return cuda::Driver(table);
    }();
    return made;
  }
  const std::shared_ptr<Device>& device() const { return devices_.front(); }

 private:
  std::vector<std::shared_ptr<Device>> devices_;
};

TEST_F(CudaDeviceTest, ListingMakesNoContext) {
  EXPECT_EQ(device()->info().id, "cuda:0");
  EXPECT_EQ(fake::state().primary_references, 0);
  EXPECT_FALSE(null_driver()->devices().empty());
}

TEST_F(CudaDeviceTest, WrappedObjectsCanBeReached) {
  const auto stream = device()->make_stream();
  ASSERT_NE(cuda_context(*device()), nullptr);
  EXPECT_EQ(&cuda_stream(*stream)->context().driver().table(), &driver().table());
  EXPECT_EQ(fake::state().primary_references, 1);
}

TEST_F(CudaDeviceTest, OthersAreNotOfCuda) {
  const auto null = make_null_device();
  EXPECT_EQ(cuda_context(*null), nullptr);
  EXPECT_EQ(cuda_stream(*null->make_stream()), nullptr);
  EXPECT_EQ(cuda_event(*null->make_event()), 0u);
  const auto module = null->build({"__kernel void k() {}"}).module;
  EXPECT_EQ(cuda_module(*module), nullptr);
  EXPECT_EQ(cuda_function(module->kernel("k")), nullptr);
}

TEST_F(CudaDeviceTest, ContextIsGivenBackWithTheLastObject) {
  auto stream = device()->make_stream();
  auto buffer = std::make_unique<Buffer>(device(), 64);
  EXPECT_EQ(fake::state().live_allocations(), 1);
  buffer.reset();
  EXPECT_EQ(fake::state().live_allocations(), 0);
  stream.reset();
  EXPECT_EQ(fake::state().primary_references, 1);  // the device has it still
}

TEST_F(CudaDeviceTest, ArgumentsReachTheDriverAsBytes) {
  const auto module = device()->load({.code = std::vector<std::byte>(8, std::byte{1})});
  const auto stream = device()->make_stream();
  const Buffer buffer(device(), 64);
  stream->launch(module->kernel("twice"), {.groups = {2, 3}, .group_size = 32, .local_bytes = 16},
                 buffer.location() + 16, 7);
  ASSERT_EQ(fake::state().launches.size(), 1u);
  const fake::Launch& launch = fake::state().launches[0];
  EXPECT_EQ(launch.symbol, "twice");
  EXPECT_EQ(launch.grid, (cuda::Dim3{2, 3, 1}));
  EXPECT_EQ(launch.block, (cuda::Dim3{32, 1, 1}));
  EXPECT_EQ(launch.shared_bytes, 16u);
  std::uint64_t address = 0;
  std::memcpy(&address, launch.arguments[0].data(), 8);
  EXPECT_EQ(address, buffer.location().handle + 16);
  EXPECT_EQ(cuda_function(module->kernel("twice"))->name(), "twice");
  EXPECT_EQ(&cuda_module(*module)->context().driver().table(), &driver().table());
}

/// While it lives, the default driver is one without any function.
class EmptyDefaultDriver {
 public:
  EmptyDefaultDriver() {
    cuda::set_default_driver(cuda::Driver(std::make_shared<cuda::Table>()), "a test");
  }
  ~EmptyDefaultDriver() { cuda::set_default_driver(before_, reason_); }
  EmptyDefaultDriver(const EmptyDefaultDriver&) = delete;
  EmptyDefaultDriver& operator=(const EmptyDefaultDriver&) = delete;

 private:
  cuda::Driver before_ = cuda::default_driver();
  std::string reason_ = cuda::default_driver_reason();
};

/// Where the default is a GPU, the CPU device is another driver's.
TEST_F(CudaDeviceTest, TheDefaultDriverIsNotAskedAboutAnotherDriversObjects) {
  const EmptyDefaultDriver other;
  const auto stream = device()->make_stream(), second = device()->make_stream();
  const Buffer buffer(device(), 64);
  const int value = 1;
  stream->copy_in(buffer.location(), &value, 4);
  const auto event = device()->make_event();
  stream->record(*event);
  second->wait(*event);
  EXPECT_TRUE(stream->is_done());
  EXPECT_TRUE(event->is_done());
  second->synchronize();
}

TEST_F(CudaDeviceTest, RefusedAllocationSaysHowMuch) {
  fake::state().fail_next["cuMemAlloc"] = 2;
  try {
    device()->allocate(12345);
    FAIL() << "nothing was thrown";
  } catch (const OutOfMemory& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("allocating 12345 bytes"));
  }
  EXPECT_EQ(device()->live_memory().count, 0u);
}

}  // namespace
}  // namespace treadle::device
