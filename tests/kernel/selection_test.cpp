// SPDX-License-Identifier: MIT
// Elements under masks, in both schedules; tests/array/selection_test.cpp has what is made of it.
#include "treadle/kernel/selection.hpp"

#include <gtest/gtest.h>

#include "each_schedule.hpp"
#include "treadle/memory/buffer.hpp"

namespace treadle::kernel {
namespace {

class MaskedTest : public testing::TestWithParam<DeviceAndSchedule> {
 protected:
  void SetUp() override {
    device_ = device::find_device(std::get<0>(GetParam()));
    stream_ = device_->make_stream();
  }

  struct Found {
    std::vector<std::int64_t> selected;
    std::int64_t count;
  };
  /// Of elements 10, 11, 12, ... or (is_of_places) of places.
  Found select(const std::vector<std::uint8_t>& mask, std::size_t capacity, bool is_of_places) {
    std::vector<std::int64_t> elements(mask.size());
    for (std::size_t i = 0; i < elements.size(); ++i)
      elements[i] = static_cast<std::int64_t>(i + 10);
    const memory::Buffer on_device(device_, mask), given(device_, elements);
    const memory::Buffer into(device_, std::vector<std::int64_t>(capacity + 1, -1));
    const memory::Buffer total(device_, std::vector<std::int64_t>{-1});
    launch_masked(*stream_,
                  {.size = mask.size(),
                   .capacity = capacity,
                   .item_bytes = is_of_places ? 0u : 8u,
                   .schedule = std::get<1>(GetParam())},
                  {on_device, is_of_places ? on_device : given, into, total});
    stream_->synchronize();
    Found found{std::vector<std::int64_t>(capacity + 1), 0};
    std::vector<std::int64_t> count(1);
    into.copy_to(found.selected);
    total.copy_to(count);
    found.count = count[0];
    return found;
  }

  std::shared_ptr<device::Device> device_;
  std::shared_ptr<device::Stream> stream_;
};
INSTANTIATE_TEST_SUITE_P(Devices, MaskedTest, each_device_and_schedule(), schedule_test_name);

TEST_P(MaskedTest, ElementsAndPlacesStayInTheirOrder) {
  for (const std::size_t n : {0, 1, 70'001})
    for (const bool is_of_places : {false, true}) {
      std::vector<std::uint8_t> mask(n);
      std::vector<std::int64_t> expected;
      for (std::size_t i = 0; i < n; ++i) {
        mask[i] = i * 7919 % 1013 < 400 || i + 1 == n ? 1 : 0;
        if (mask[i] != 0)
          expected.push_back(static_cast<std::int64_t>(i + (is_of_places ? 0 : 10)));
      }
      const Found found = select(mask, expected.size(), is_of_places);
      if (!device_->info().traits.runs_kernels) continue;
      EXPECT_EQ(found.count, static_cast<std::int64_t>(expected.size()));
      expected.push_back(-1);  // nothing is written behind it
      EXPECT_EQ(found.selected, expected) << n;
    }
}

TEST_P(MaskedTest, WhatHasNoRoomIsCounted) {
  const Found found = select({1, 0, 1, 1, 0, 1}, 2, false);
  if (!device_->info().traits.runs_kernels) return;
  EXPECT_EQ(found.count, 4);
  EXPECT_EQ(found.selected, (std::vector<std::int64_t>{10, 12, -1}));
}

}  // namespace
}  // namespace treadle::kernel
