// SPDX-License-Identifier: MIT
#include "treadle/base/bfloat16.hpp"

#include <gtest/gtest.h>

namespace treadle {
namespace {

TEST(Bfloat16, IsARecordOf16Bits) {
  EXPECT_EQ(bfloat16_dtype().size_bytes(), 2u);
  EXPECT_EQ(bfloat16_dtype().alignment(), 2u);
  EXPECT_EQ(DType::parse("bfloat16"), bfloat16_dtype());
  EXPECT_TRUE(is_bfloat16(bfloat16_dtype()));
  EXPECT_FALSE(is_bfloat16(Scalar::uint16));
  EXPECT_FALSE(is_bfloat16(Scalar::float16));
  EXPECT_FALSE(is_bfloat16(DType::structure("pair", {{"bits", Scalar::uint16, 0}}, 2, 2)));
}

}  // namespace
}  // namespace treadle
