// SPDX-License-Identifier: MIT
#include "treadle/codegen/list_builder.hpp"

#include <gtest/gtest.h>

#include "both_dialects.hpp"
#include "golden.hpp"

namespace treadle::codegen {
namespace {

std::vector<BuiltList> two_lists() {
  return {{"near", Scalar::int32}, {"distance", Scalar::float32, "near"}};
}

TEST(ListBuilder, GoldenTexts) {
  const ListBuilderTexts texts{
      "TREADLE_FUNCTION void generate(LIST_ARG_DECL USER_ARG_DECL index_type i)\n{\n"
      "  if (x[i] > 0) {\n    APPEND_near(i);\n    APPEND_distance(x[i]);\n  }\n}\n",
      "const float *x"};
  for (const Language language : {Language::cuda_c, Language::opencl_c}) {
    const Dialect& dialect = dialect_of(language);
    const TypeNames types(dialect);
    for (const ListStage stage : {ListStage::count, ListStage::write}) {
      const ListText made = generate_list_stage(two_lists(), texts, stage, "int", dialect, types);
      expect_golden("list_builder",
                    std::string(stage == ListStage::count ? "count" : "write") +
                        (language == Language::cuda_c ? ".cu" : ".cl"),
                    "// " + made.arguments + "\n" + made.preamble + "// for each object\n" +
                        made.operation + "\n");
    }
  }
}

TEST(ListBuilder, CountsListsThatHaveNoMother) {
  std::vector<BuiltList> lists = two_lists();
  EXPECT_TRUE(has_counts(lists, lists[0]));
  EXPECT_FALSE(has_counts(lists, lists[1]));
  lists[0].is_left_out = true;
  EXPECT_TRUE(has_counts(lists, lists[0]));
  lists[1].is_left_out = true;
  EXPECT_FALSE(has_counts(lists, lists[0]));
}

TEST(ListBuilder, ScansSayWhereListsBegin) {
  const ScanTexts sums = scan_of_counts("int", cuda);
  EXPECT_EQ(sums.output, "starts[i] = prev_item;\nif (i == N - 1)\n  starts[N] = item");
  EXPECT_EQ(scan_of_lists("long", opencl).arguments,
            "const long *starts, long *left, long *objects, long *places");
}

}  // namespace
}  // namespace treadle::codegen
