// SPDX-License-Identifier: MIT
#include "treadle/codegen/segmented_fold.hpp"

#include <gtest/gtest.h>

#include "golden.hpp"
#include "treadle/base/error.hpp"

namespace treadle::codegen {
namespace {

SegmentedFoldText fold_text(SegmentedFoldSnippet snippet, unsigned lanes, Schedule schedule,
                            Language language, const std::string& arguments) {
  const Dialect& dialect = dialect_of(language);
  const TypeNames types(dialect);
  snippet.parameters =
      parse_parameters(arguments, types, dialect.has_addresses ? Offsets::none : Offsets::passed);
  return generate_segmented_fold(snippet, lanes, tiling_of(schedule), dialect, types);
}

SegmentedFoldSnippet sparse_product() {
  return {.parameters = {},
          .dtype = Scalar::float32,
          .map = "a[i] * x[column[i]]",
          .reduce = "a + b",
          .neutral = "0",
          .name = "product"};
}
constexpr const char* product_arguments =
    "const float *a, const int *column, const float *x, const long *starts, const long *ends, "
    "float *y";

TEST(SegmentedFold, GoldenTexts) {
  for (const Language language : {Language::cuda_c, Language::opencl_c}) {
    const std::string ending = language == Language::cuda_c ? ".cu" : ".cl";
    expect_golden("segmented_fold", "wide" + ending,
                  fold_text(sparse_product(), 32, Schedule::wide, language, product_arguments));
    expect_golden("segmented_fold", "narrow" + ending,
                  fold_text(sparse_product(), 1, Schedule::narrow, language, product_arguments));
  }
}

TEST(SegmentedFold, ReadsAllElementsOfAShortSegmentAtOnce) {
  SegmentedFoldSnippet snippet = sparse_product();
  snippet.can_repeat = true;
  for (const unsigned lanes : {1u, 8u}) {
    const std::string text =
        fold_text(snippet, lanes, Schedule::wide, Language::cuda_c, product_arguments).text;
    EXPECT_EQ(text.find("treadle_end - 1") != std::string::npos, lanes > 1) << text;
  }
}

TEST(SegmentedFold, LongSegmentsHaveMoreWorkItems) {
  const Tiling& wide = tiling_of(Schedule::wide);
  EXPECT_EQ(segment_lanes(0, wide), 1u);
  const std::uint64_t two_turns = 2 * wide.short_row_depth * wide.strided_items;
  EXPECT_EQ(segment_lanes(two_turns, wide), wide.short_row_depth);
  EXPECT_EQ(segment_lanes(two_turns + 1, wide), 2 * wide.short_row_depth);
  EXPECT_EQ(segment_lanes(wide.short_row, wide), 2 * wide.short_row_depth);
  Tiling small = wide;
  small.group_size = wide.short_row_depth;
  EXPECT_EQ(segment_lanes(wide.short_row, small), small.group_size);
  EXPECT_EQ(segment_lanes(1000, wide), wide.middle_row_depth);
  EXPECT_EQ(segment_lanes(1 << 20, wide), wide.group_size);
  EXPECT_EQ(segment_lanes(1 << 20, tiling_of(Schedule::narrow)), 1u);
  const SegmentedFoldText made =
      fold_text(sparse_product(), 32, Schedule::wide, Language::cuda_c, product_arguments);
  EXPECT_EQ(made.group_size, 256u);
  EXPECT_EQ(made.segments, 8u);
}

TEST(SegmentedFold, RefusesWhatItCannotWrite) {
  SegmentedFoldSnippet snippet = sparse_product();
  EXPECT_THROW(fold_text(snippet, 1, Schedule::wide, Language::cuda_c, "float *y"),
               InvalidArgument);
  EXPECT_THROW(fold_text(snippet, 1, Schedule::wide, Language::cuda_c,
                         "int i, const long *starts, const long *ends, float *y"),
               InvalidArgument);
  snippet.neutral.clear();
  EXPECT_THROW(fold_text(snippet, 1, Schedule::wide, Language::cuda_c, product_arguments),
               InvalidArgument);
}

}  // namespace
}  // namespace treadle::codegen
