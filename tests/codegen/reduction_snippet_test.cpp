// SPDX-License-Identifier: MIT
#include "treadle/codegen/reduction_snippet.hpp"

#include <gtest/gtest.h>

#include "golden.hpp"
#include "treadle/base/error.hpp"

namespace treadle::codegen {
namespace {

ReductionSnippetText reduction_snippet_text(ReductionSnippet snippet, Schedule schedule,
                                            Language language,
                                            const std::string& arguments = "const float *x",
                                            const ReductionSnippetForm& form = {}) {
  const Dialect& dialect = dialect_of(language);
  const TypeNames types(dialect);
  snippet.parameters =
      parse_parameters(arguments, types, dialect.has_addresses ? Offsets::none : Offsets::passed);
  return generate_reduction_snippet(snippet, form, tiling_of(schedule), dialect, types);
}

ReductionSnippet largest() {
  return {.parameters = {},
          .outputs = {{.dtype = Scalar::float32,
                       .neutral = "-1",
                       .reduce = "a > b ? a : b",
                       .map = "x[i] * x[i]"}}};
}

/// A sum, a count and a maximum of one pass.
ReductionSnippet moments() {
  return {.parameters = {},
          .outputs = {{Scalar::float64, "0", "a + b", "x[i]"},
                      {Scalar::int64, "0", "a + b", "x[i] > 0"},
                      {Scalar::float32, "-1e30f", "a > b ? a : b", "x[i]"}}};
}

TEST(ReductionSnippet, GoldenTexts) {
  for (const Schedule schedule : {Schedule::wide, Schedule::narrow})
    for (const Language language : {Language::cuda_c, Language::opencl_c}) {
      std::string name = "snippet_";
      name += schedule_name(schedule);
      name += language == Language::cuda_c ? ".cu" : ".cl";
      expect_golden("reduction", name, reduction_snippet_text(largest(), schedule, language).text);
      const ReductionSnippetForm columns = form_of_snippet(1000, 64, tiling_of(schedule));
      expect_golden(
          "reduction", "snippet_columns_" + name.substr(8),
          reduction_snippet_text(largest(), schedule, language, "const float *x", columns).text);
      expect_golden("reduction", "snippet_several_" + name.substr(8),
                    reduction_snippet_text(moments(), schedule, language).text);
      expect_golden(
          "reduction", "snippet_several_columns_" + name.substr(8),
          reduction_snippet_text(moments(), schedule, language, "const float *x", columns).text);
    }
}

TEST(ReductionSnippet, HandsOverSeveralOutputsAsAStructure) {
  const auto bytes = [](const ReductionSnippet& snippet) {
    return reduction_snippet_text(snippet, Schedule::wide, Language::cuda_c).partial_bytes;
  };
  EXPECT_EQ(bytes(largest()), 4u);
  EXPECT_EQ(bytes(moments()), 24u);
  ReductionSnippet snippet = moments();
  snippet.outputs = {{Scalar::int8, "0", "a + b", "1"}, {Scalar::float64, "0", "a", "x[i]"}};
  EXPECT_EQ(bytes(snippet), 16u);
  snippet.outputs = {{Scalar::int8, "0", "a", "1"}, {Scalar::int16, "0", "a", "1"}};
  EXPECT_EQ(bytes(snippet), 4u);
}

TEST(ReductionSnippet, FormsFollowElementsAndTheirDistance) {
  const Tiling& wide = tiling_of(Schedule::wide);
  EXPECT_EQ(form_of_snippet(3, 1, wide), (ReductionSnippetForm{.depth = 1}));
  EXPECT_EQ(form_of_snippet(16, 1, wide), (ReductionSnippetForm{.depth = 8}));
  EXPECT_EQ(form_of_snippet(100, 1, wide), (ReductionSnippetForm{.depth = 32}));
  EXPECT_EQ(form_of_snippet(1000, 1, wide), ReductionSnippetForm{});
  EXPECT_EQ(form_of_snippet(1000, 16, wide),
            (ReductionSnippetForm{.has_columns = true, .depth = 4}));
  const Tiling& narrow = tiling_of(Schedule::narrow);
  EXPECT_EQ(form_of_snippet(3, 15, narrow), ReductionSnippetForm{});
  EXPECT_EQ(form_of_snippet(3, 16, narrow), ReductionSnippetForm{.has_columns = true});
  EXPECT_EQ(tiles_of_snippet(2 * 100, 100, 64, wide), 4u);
  EXPECT_EQ(tiles_of_snippet(2 * 100, 100, 64, narrow), 4u);
  EXPECT_EQ(tiles_of_snippet(2 * 65, 65, 64, wide), 3u);
  EXPECT_EQ(tiles_of_snippet(2 * 65, 65, 64, narrow), 4u);
}

TEST(ReductionSnippet, LargeResultsHaveSmallerGroups) {
  ReductionSnippet snippet = largest();
  const auto group_size = [&](Schedule schedule) {
    return reduction_snippet_text(snippet, schedule, Language::cuda_c).group_size;
  };
  EXPECT_EQ(group_size(Schedule::wide), 256u);
  EXPECT_EQ(group_size(Schedule::narrow), 1u);
  snippet.outputs[0].dtype = Scalar::float64;
  EXPECT_EQ(group_size(Schedule::wide), 256u);
  snippet.outputs.assign(20, {Scalar::float64, "0", "a", "x[i]"});
  EXPECT_EQ(group_size(Schedule::wide), 64u);
}

TEST(ReductionSnippet, LinesOfTextsStayMacrosAndComments) {
  ReductionSnippet snippet = largest();
  snippet.outputs[0].reduce = "a >\nb ? a : b";
  snippet.outputs[0].map = "x[i] // squared";
  const std::string text = reduction_snippet_text(snippet, Schedule::wide, Language::opencl_c).text;
  EXPECT_NE(text.find("#define treadle_reduce(a, b) (a > b ? a : b)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("x[i] // squared\n"), std::string::npos) << text;
}

TEST(ReductionSnippet, RefusesAnArgumentThatIsItsIndex) {
  EXPECT_THROW(
      reduction_snippet_text(largest(), Schedule::wide, Language::cuda_c, "const float *i"),
      InvalidArgument);
}

}  // namespace
}  // namespace treadle::codegen
