// SPDX-License-Identifier: MIT
#include "treadle/codegen/sparse_merge.hpp"

#include <gtest/gtest.h>

#include "golden.hpp"

namespace treadle::codegen {
namespace {

TEST(SparseMerge, GoldenTexts) {
  const SparseForm form{.stored = Scalar::float32, .dtype = Scalar::float32};
  for (const Language language : {Language::cuda_c, Language::opencl_c})
    expect_golden("sparse_rows", language == Language::cuda_c ? "merged.cu" : "merged.cl",
                  generate_sparse_merge(form, tiling_of(Schedule::wide), dialect_of(language)));
}

TEST(SparseMerge, ItemsFitIntoLocalMemory) {
  Tiling tiling = tiling_of(Schedule::wide);
  EXPECT_EQ(merged_items(tiling), merged_group(tiling) * tiling.ranked_items);
  tiling.ranked_items = 31;
  EXPECT_EQ(merged_items(tiling), 256u * 14);
  EXPECT_LE(12 * (merged_items(tiling) + merged_group(tiling)), 48u * 1024 - 1024);
  tiling.group_size = 32;
  EXPECT_EQ(merged_items(tiling), 32u * 31);
}

TEST(SparseMerge, TakesRealRowsByAVector) {
  const Tiling& wide = tiling_of(Schedule::wide);
  EXPECT_TRUE(can_merge({}, wide));
  EXPECT_FALSE(can_merge({}, tiling_of(Schedule::narrow)));
  EXPECT_FALSE(can_merge({.across = 1}, wide));
  EXPECT_FALSE(can_merge({.stored = Scalar::float32}, wide));
  EXPECT_FALSE(can_merge({.stored = Scalar::complex64, .dtype = Scalar::complex64}, wide));
  EXPECT_FALSE(can_merge({.layout = SparseLayout::columned}, wide));
}

}  // namespace
}  // namespace treadle::codegen
