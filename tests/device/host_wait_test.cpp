// SPDX-License-Identifier: MIT
#include "treadle/device/host_wait.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>

#include "treadle/device/device.hpp"
#include "treadle/device/event.hpp"
#include "treadle/device/null.hpp"
#include "treadle/device/stream.hpp"

namespace treadle::device {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

int heard = 0;
void count(Device&, const std::function<bool()>& is_done, const std::function<void()>& wait) {
  ++heard;
  EXPECT_TRUE(is_done());
  wait();
}
void leave(Device&, const std::function<bool()>&, const std::function<void()>&) {
  throw std::runtime_error("left");
}

class HostWaitTest : public testing::Test {
 protected:
  HostWaitTest() { heard = 0; }
  ~HostWaitTest() override { set_host_wait(nullptr); }
  std::shared_ptr<Device> device_ = make_null_device();
  std::shared_ptr<Stream> stream_ = device_->make_stream();
  std::array<std::byte, 16> host_{};
};

TEST_F(HostWaitTest, WaitsOfStreamsAndEventsAreTheChosenOnes) {
  set_host_wait(&count);
  stream_->synchronize();
  const auto event = device_->make_event();
  stream_->record(*event);
  event->synchronize();
  EXPECT_EQ(heard, 2);
  const WaitToTheEnd scope;
  stream_->synchronize();
  EXPECT_EQ(heard, 2);
  EXPECT_EQ(host_wait(), nullptr);
}

TEST_F(HostWaitTest, CopiesThatWaitQueueNothingWhenTheWaitIsLeft) {
  const Location memory = device_->allocate(16);
  clear_null_calls(*device_);
  set_host_wait(&leave);
  EXPECT_THROW(store(*stream_, memory, host_.data(), 16), std::runtime_error);
  EXPECT_THROW(stream_->fetch(host_.data(), memory, 16, [] { FAIL(); }), std::runtime_error);
  EXPECT_THAT(null_calls(*device_), Not(Contains(HasSubstr("copy"))));
  set_host_wait(&count);
  store(*stream_, memory, host_.data(), 16);
  stream_->fetch(host_.data(), memory, 16, [&] { stream_->synchronize(); });
  EXPECT_EQ(heard, 2);
  EXPECT_THAT(null_calls(*device_), Contains(HasSubstr("copy")));
  device_->free(memory);
}

}  // namespace
}  // namespace treadle::device
