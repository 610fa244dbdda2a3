// SPDX-License-Identifier: MIT
#include "treadle/opencl/read_staging.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>

#include "opencl/each_platform.hpp"
#include "treadle/opencl/table.hpp"

namespace treadle::opencl {
namespace {

using testing::Each;
using testing::ElementsAre;

decltype(Table::clGetDeviceInfo) real_device_info;

// PoCL's device uses the host's memory, and needs no staging.
cl_int CL_API_CALL memory_of_its_own(cl_device_id device, cl_device_info parameter,
                                     std::size_t size, void* value, std::size_t* size_back) {
  const cl_int code = real_device_info(device, parameter, size, value, size_back);
  if (parameter == CL_DEVICE_HOST_UNIFIED_MEMORY && value != nullptr && code == CL_SUCCESS)
    *static_cast<cl_bool*>(value) = CL_FALSE;
  return code;
}

class ReadStagingTest : public OnEachPlatform {
 protected:
  void SetUp() override {
    OnEachPlatform::SetUp();
    if (IsSkipped()) return;
    real_device_info = queue().table().clGetDeviceInfo;
    auto table = std::make_shared<Table>(queue().table());
    table->clGetDeviceInfo = &memory_of_its_own;
    queue_.emplace(table, queue().raw(), Ownership::retain);
    memory_ = filled<int>({1, 2, 3, 4});
  }

  /// Reads all, and notes in `used` the host memory that the read was given.
  auto enqueue(Event& event, std::byte*& used) {
    return [&](std::span<std::byte> bytes) {
      used = bytes.data();
      event = read(*queue_, memory_, bytes, 0, {}, Blocking::no);
    };
  }

  /// Asked once, as it is for a read that goes the direct way.
  std::unique_ptr<ReadStaging> asked(const Queue& queue) {
    auto staging = std::make_unique<ReadStaging>(queue);
    EXPECT_FALSE(staging->read(host_, enqueue(event_, used_), [] {}));
    EXPECT_EQ(used_, nullptr);
    return staging;
  }

  std::optional<Queue> queue_;
  Buffer memory_;
  std::vector<int> values_ = std::vector<int>(4, 9);
  const std::span<std::byte> host_ = std::as_writable_bytes(std::span(values_));
  Event event_;
  std::byte* used_ = nullptr;
};
INSTANTIATE_TEST_SUITE_P(, ReadStagingTest, each_platform, platform_test_name);

TEST_P(ReadStagingTest, ReadsByWayOfMemoryOfItsOwn) {
  const auto staging = asked(*queue_);
  for (int i = 0; i < 2; ++i) {
    values_.assign(4, 9);
    EXPECT_TRUE(staging->read(host_, enqueue(event_, used_), [&] {
      event_.wait();
      EXPECT_THAT(values_, Each(9));
    }));
    EXPECT_THAT(values_, ElementsAre(1, 2, 3, 4));
    EXPECT_NE(used_, host_.data());
  }
}

TEST_P(ReadStagingTest, LeavesLargeReadsAndSecondOnesToOthers) {
  const auto staging = asked(*queue_);
  std::vector<std::byte> large(ReadStaging::most_bytes + 1);
  EXPECT_FALSE(staging->read(large, enqueue(event_, used_), [] {}));
  EXPECT_FALSE(staging->read({}, enqueue(event_, used_), [] {}));
  EXPECT_EQ(used_, nullptr);
  Event other;
  std::byte* none = nullptr;
  EXPECT_TRUE(staging->read(host_, enqueue(event_, used_), [&] {
    EXPECT_FALSE(staging->read(host_, enqueue(other, none), [] {}));
    event_.wait();
  }));
  EXPECT_EQ(none, nullptr);
}

TEST_P(ReadStagingTest, AWaitThatEndedEarlyLeavesHostAndStagingAlone) {
  const auto staging = asked(*queue_);
  UserEvent gate(queue_->context());
  queue_->barrier({.after = gate});
  const auto interrupted = [] { throw std::runtime_error("Ctrl-C"); };
  EXPECT_THROW(staging->read(host_, enqueue(event_, used_), interrupted), std::runtime_error);
  std::byte* none = nullptr;
  Event other;
  EXPECT_FALSE(staging->read(host_, enqueue(other, none), [] {})) << "the first goes on there";
  gate.set_status(0);
  queue_->finish();
  EXPECT_THAT(values_, Each(9));
  EXPECT_TRUE(staging->read(host_, enqueue(event_, used_), [&] { event_.wait(); }));
  EXPECT_THAT(values_, ElementsAre(1, 2, 3, 4));
}

TEST_P(ReadStagingTest, IsForDevicesWithMemoryOfTheirOwn) {
  if (!device().get<DeviceInfo::host_unified_memory>()) GTEST_SKIP() << "the device has its own";
  const auto staging = asked(queue());
  EXPECT_FALSE(staging->read(host_, enqueue(event_, used_), [] {}));
  EXPECT_EQ(used_, nullptr);
}

}  // namespace
}  // namespace treadle::opencl
