// SPDX-License-Identifier: MIT
#include "treadle/codegen/sparse_by_length.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "golden.hpp"

namespace treadle::codegen {
namespace {

TEST(SparseByLength, GoldenTexts) {
  const SparseForm form{.stored = Scalar::float32, .dtype = Scalar::float32};
  for (const Language language : {Language::cuda_c, Language::opencl_c})
    expect_golden("sparse_rows", language == Language::cuda_c ? "by_length.cu" : "by_length.cl",
                  generate_sparse_by_length(form, tiling_of(Schedule::wide), dialect_of(language)));
}

/// b - a * product, with b an element for each row.
SparseEpilogue difference() {
  ExpressionBuilder step;
  const Value product = step.leaf(Scalar::float64), b = step.leaf(Scalar::float64),
              scaled =
                  step.step(Op::multiply, Scalar::float64, {step.scalar(Scalar::float64), product});
  step.output(step.step(Op::subtract, Scalar::float64, {b, scaled}));
  return {step.build(), {false}};
}

TEST(SparseByLength, StoresWhatIsMadeOfAProduct) {
  const FamilyText made = generate_sparse_by_length(
      {.epilogue = difference()}, tiling_of(Schedule::wide), dialect_of(Language::cuda_c));
  expect_golden("sparse_rows", "by_length_epilogue.cu", made);
  for (const FamilyKernel& kernel : made.kernels) {
    std::vector<std::string> names;
    for (const ParameterSpec& parameter : kernel.parameters) names.push_back(parameter.name);
    EXPECT_EQ(names, (std::vector<std::string>{"data", "columns", "starts", "x", "result0",
                                               "beside0", "scalar0", "order", "parts", "pieces",
                                               "count0", "count1", "count2", "count3", "count4"}));
  }
}

TEST(SparseByLength, ClassesHaveShorterRowsAndFewerWorkItems) {
  Tiling tiling = tiling_of(Schedule::wide);
  const auto longest = longest_rows(tiling);
  for (std::size_t k = 1; k < longest.size(); ++k) EXPECT_LT(longest[k], longest[k - 1]);
  tiling.group_size = 32;
  for (const unsigned lanes : row_lanes(tiling)) EXPECT_LE(lanes, 32u);
  EXPECT_EQ(row_lanes(tiling).back(), 1u);
}

/// 64 lanes of a group of 256 would add the sums of all its rows.
TEST(SparseByLength, AnyDepthIsAtMostThirtyTwoLanes) {
  Tiling tiling = tiling_of(Schedule::wide);
  tiling.middle_row_depth = 128;
  tiling.short_row_depth = 64;
  const auto lanes = row_lanes(tiling);
  EXPECT_EQ(lanes[2], 32u);
  EXPECT_EQ(lanes[3], 32u);
}

TEST(SparseByLength, OneHugeRowDoesNotCutTheOthersIntoCrumbs) {
  EXPECT_EQ(row_pieces(19'879, 4096, 5'760'243, 75), 5u);
  EXPECT_EQ(row_pieces(4097, 4096, 4097, 1), 2u);
  EXPECT_LE(row_pieces(5'000'000, 4096, 210'000'000, 50'001), 4u);
  EXPECT_EQ(row_pieces(20'000'000, 4096, 20'000'000, 1), 512u);
}

TEST(SparseByLength, TakesRowsByAVector) {
  const Tiling& wide = tiling_of(Schedule::wide);
  EXPECT_TRUE(can_go_by_length({}, wide));
  EXPECT_TRUE(can_go_by_length({.stored = Scalar::float32}, wide));
  EXPECT_FALSE(can_go_by_length({}, tiling_of(Schedule::narrow)));
  EXPECT_FALSE(can_go_by_length({.across = 1}, wide));
  EXPECT_FALSE(can_go_by_length({.layout = SparseLayout::columned}, wide));
  EXPECT_FALSE(can_go_by_length({.stored = Scalar::float16, .dtype = Scalar::float16}, wide));
}

}  // namespace
}  // namespace treadle::codegen
