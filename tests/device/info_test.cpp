// SPDX-License-Identifier: MIT
#include "treadle/device/info.hpp"

#include <gtest/gtest.h>

namespace treadle::device {
namespace {

TEST(Extent, OneNumberIsOneDimension) {
  const Extent line = 128;
  EXPECT_EQ(line, Extent(128, 1, 1));
  EXPECT_EQ(extent_text({16, 8}), "16x8x1");
}

TEST(Extent, CountDoesNotOverflow) {
  EXPECT_EQ(Extent(0xFFFFFFFF, 0xFFFF).count(), std::uint64_t{0xFFFFFFFF} * 0xFFFF);
  EXPECT_EQ(Extent(4, 0, 4).count(), 0u);
}

TEST(Extent, IsEmptyWhereOneSizeIsNone) {
  EXPECT_TRUE(Extent(4, 0, 4).is_empty());
  EXPECT_FALSE(Extent(1, 1, 1).is_empty());
  EXPECT_FALSE(Extent(1u << 22, 1u << 22, 1u << 22).is_empty());  // whose count() does overflow
}

TEST(DeviceKind, NamesAreLowerCase) {
  EXPECT_EQ(kind_name(DeviceKind::gpu), "gpu");
  EXPECT_EQ(kind_name(DeviceKind::cpu), "cpu");
  EXPECT_EQ(kind_name(DeviceKind::accelerator), "accelerator");
  EXPECT_EQ(kind_name(DeviceKind::null), "null");
}

}  // namespace
}  // namespace treadle::device
