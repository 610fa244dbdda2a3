// SPDX-License-Identifier: MIT
#include "treadle/codegen/counting.hpp"

#include <gtest/gtest.h>

#include "both_dialects.hpp"
#include "golden.hpp"

namespace treadle::codegen {
namespace {

TEST(Counting, GoldenTexts) {
  each_golden([](const std::string& name, const Tiling& tiling, const Dialect& dialect) {
    expect_golden("counting", "values_" + name,
                  generate_count({Scalar::float32, true, 1024, true}, tiling, dialect));
    expect_golden("counting", "bins_" + name,
                  generate_count({Scalar::int64, false, 0}, tiling, dialect));
  });
}

TEST(Counting, SumsOfBinsAreAScan) {
  const ScanTexts texts = bin_sums(cuda);
  EXPECT_EQ(texts.segment_start, "i == 0 || bins[i] != bins[i - 1]");
  EXPECT_EQ(texts.output,
            "if ((i == N - 1 || bins[i] != bins[i + 1]) && bins[i] < bin_count)\n"
            "  sums[bins[i]] = item");
}

}  // namespace
}  // namespace treadle::codegen
