// SPDX-License-Identifier: MIT
#include "treadle/codegen/selection.hpp"

#include <gtest/gtest.h>

#include "both_dialects.hpp"
#include "golden.hpp"

namespace treadle::codegen {
namespace {

TEST(Selection, GoldenTexts) {
  for (const Language language : {Language::cuda_c, Language::opencl_c}) {
    const std::string end = language == Language::cuda_c ? ".cu" : ".cl";
    expect_golden("selection", "words" + end, generate_masked(16, dialect_of(language)));
    expect_golden("selection", "places" + end, generate_masked(0, dialect_of(language)));
  }
}

TEST(Selection, UnderAMaskIsAScan) {
  const ScanTexts halves = scan_of_mask(2, opencl);
  EXPECT_EQ(halves.arguments,
            "const uchar *mask, const ushort *elements, ushort *selected, long *total, long "
            "capacity");
  ASSERT_EQ(halves.compactions.size(), 1u);
  EXPECT_EQ(halves.compactions[0].value, "elements[i]");
  EXPECT_EQ(scan_of_mask(0, cuda).compactions[0].value, "i");
  const ScanTexts pairs = scan_of_mask(16, cuda);
  EXPECT_TRUE(pairs.compactions.empty());
  EXPECT_NE(pairs.output.find("selected[prev_item * 2 + 1] = elements[i * 2 + 1];"),
            std::string::npos)
      << pairs.output;
  EXPECT_EQ(masked_name(16), "select_2_uint64");
  EXPECT_EQ(masked_name(0), "places_under_mask");
}

TEST(Selection, ByATextIsAScan) {
  const SelectTexts texts{
      .type = "float", .predicate = "ary[i] > limit // so", .arguments = "float limit"};
  const ScanTexts both = scan_of(Selection::both, texts, Scalar::uint32, opencl);
  EXPECT_EQ(both.arguments,
            "const float *ary, float *out, float *others, uint *count, float limit");
  EXPECT_EQ(both.input, "!!(\nary[i] > limit // so\n)");
  EXPECT_NE(both.output.find("others[i - prev_item] = ary[i]"), std::string::npos);
  const ScanTexts runs =
      scan_of(Selection::run_starts, {.type = "int", .predicate = "a == b"}, Scalar::uint64, cuda);
  EXPECT_EQ(runs.input, "!(\na == b\n) | (i == 0)");
  ASSERT_EQ(runs.fetches.size(), 2u);
  EXPECT_EQ(runs.fetches[0].offset, -1);
}

}  // namespace
}  // namespace treadle::codegen
