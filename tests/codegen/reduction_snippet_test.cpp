// SPDX-License-Identifier: MIT
#include "treadle/codegen/reduction_snippet.hpp"

#include <gtest/gtest.h>

#include "golden.hpp"
#include "treadle/base/error.hpp"

namespace treadle::codegen {
namespace {

/// (outer, length, inner), of which the middle axis is folded.
struct Folded {
  std::int64_t outer = 1, length = 1 << 20, inner = 1;
};

ReductionLowering lower_snippet(const ReadReduction& read, Schedule schedule,
                                const Folded& extents) {
  const std::int64_t kept[] = {extents.outer, extents.inner}, folded[] = {extents.length};
  struct Strides {
    std::int64_t kept[2], folded[1];
  };
  const auto& operands = read.operands();
  std::vector<Strides> strides;
  for (const KernelOperand& operand : operands) {
    const auto size =
        operand.is_memory() ? static_cast<std::int64_t>(operand.dtype.size_bytes()) : 1;
    const std::int64_t length = operand.is_of_elements() ? extents.length : 1;
    strides.push_back({{length * extents.inner * size, size}, {extents.inner * size}});
  }
  std::vector<ReducedLayout> layouts;
  for (std::size_t k = 0; k < operands.size(); ++k)
    layouts.push_back({strides[k].kept, strides[k].folded,
                       operands[k].is_memory() ? operands[k].dtype.size_bytes() : 0, 0,
                       operands[k].is_of_elements()});
  return lower_reduction(kept, folded, layouts, read.target(tiling_of(schedule), 132));
}

ReductionText reduction_snippet_made(ReductionSnippet snippet, Schedule schedule, Language language,
                                     const std::string& arguments = "const float *x",
                                     const Folded& extents = {}) {
  const Dialect& dialect = dialect_of(language);
  const TypeNames types(dialect);
  snippet.parameters =
      parse_parameters(arguments, types, dialect.has_addresses ? Offsets::none : Offsets::passed);
  const ReadReduction read(snippet, dialect, types);
  return read.generate(lower_snippet(read, schedule, extents).loop, tiling_of(schedule));
}
std::string reduction_snippet_text(const ReductionSnippet& snippet, Schedule schedule,
                                   Language language,
                                   const std::string& arguments = "const float *x",
                                   const Folded& extents = {}) {
  return reduction_snippet_made(snippet, schedule, language, arguments, extents).text;
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
      expect_golden("reduction", name, reduction_snippet_made(largest(), schedule, language));
      const Folded columns{.length = 1000, .inner = 64};
      expect_golden(
          "reduction", "snippet_columns_" + name.substr(8),
          reduction_snippet_made(largest(), schedule, language, "const float *x", columns));
      expect_golden("reduction", "snippet_several_" + name.substr(8),
                    reduction_snippet_made(moments(), schedule, language));
      expect_golden(
          "reduction", "snippet_several_columns_" + name.substr(8),
          reduction_snippet_made(moments(), schedule, language, "const float *x", columns));
    }
}

TEST(ReductionSnippet, HandsOverSeveralOutputsAsAStructure) {
  const auto bytes_of_partial = [](const ReductionSnippet& snippet) {
    const Dialect& dialect = dialect_of(Language::cuda_c);
    return ReadReduction(snippet, dialect, TypeNames(dialect)).bytes_of_partial();
  };
  EXPECT_EQ(bytes_of_partial(largest()), 4u);
  EXPECT_EQ(bytes_of_partial(moments()), 32u);  // with what is left out of the sum
  ReductionSnippet snippet = moments();
  snippet.outputs = {{Scalar::int8, "0", "a + b", "1"}, {Scalar::float64, "0", "a", "x[i]"}};
  EXPECT_EQ(bytes_of_partial(snippet), 16u);
  snippet.outputs = {{Scalar::int8, "0", "a", "1"}, {Scalar::int16, "0", "a", "1"}};
  EXPECT_EQ(bytes_of_partial(snippet), 4u);
}

/// What a text surely reads as x[i] is read as expressions read it; all else is the text's.
TEST(ReductionSnippet, ReadsArraysItselfWhereTheTextSurelyDoes) {
  const auto leaves = [](const std::string& map, const std::string& preamble = "",
                         const std::string& declared = "const float *x, const float *y, int k") {
    const Dialect& dialect = dialect_of(Language::cuda_c);
    const TypeNames types(dialect);
    ReductionSnippet snippet = largest();
    snippet.outputs[0].map = map;
    snippet.preamble = preamble;
    snippet.parameters = parse_parameters(declared, types);
    std::string kinds;
    const ReadReduction read(snippet, dialect, types);
    for (const KernelOperand& operand : read.operands())
      kinds += operand.kind == KernelOperand::Kind::leaf       ? "xyk"[operand.index]
               : operand.kind == KernelOperand::Kind::position ? 'i'
                                                               : '.';
    return kinds;
  };
  EXPECT_EQ(leaves("x[i] * y[ i ]"), "xy.");
  EXPECT_EQ(leaves("x[i] * k"), "x.");
  EXPECT_EQ(leaves("x[i] * i"), "xi.");
  EXPECT_EQ(leaves("x[i] * y[i + 1]"), "xi.");
  EXPECT_EQ(leaves("x[i] * y[n - 1 - i]"), "xi.");
  EXPECT_EQ(leaves("x[i] == y[i]"), "xy.");
  EXPECT_EQ(leaves("x[i] <= y[i] & 1"), "xy.");
  for (const char* unsure :
       {"k ? x[i] : 0", "i > 0 && x[i]", "f(&x[i])", "(y[i] = x[i])", "y[i] += x[i]", "x[i]++",
        "x[(int)i]", "k + i", "s.x[i]", "y[i] <<= 1"})
    EXPECT_EQ(leaves(unsure), "i.") << unsure;
  EXPECT_EQ(leaves("x[i] + at(k)", "#define at(k) (x[k])"), "i.");
  EXPECT_EQ(leaves("at(x[i])", "#define at(k) (k ? 1 : 0)"), "i.");
  EXPECT_EQ(leaves("x[i]", "#include \"other.h\""), "i.");
  EXPECT_EQ(leaves("x[i]", "#define other 1"), "x.");
  EXPECT_EQ(leaves("x[i]", "#include <pycuda-complex.hpp>\n"), "x.");
  EXPECT_EQ(leaves("x[i]", "", "const bool *x"), "i.");
}

TEST(ReductionSnippet, ReadsVectorsOfWhatItReadsItself) {
  const ReductionSnippet snippet{.parameters = {},
                                 .outputs = {{Scalar::float32, "0", "a + b", "x[i] * y[i]"}}};
  const std::string text = reduction_snippet_text(snippet, Schedule::wide, Language::cuda_c,
                                                  "const float *x, const float *y");
  EXPECT_NE(text.find("*(const float32_x4 *)(x1_tile + i)"), std::string::npos) << text;
  EXPECT_NE(text.find("__shfl_down_sync(0xffffffffu, sum_0, step)"), std::string::npos) << text;
}

TEST(ReductionSnippet, AddsSumsOfFloatsAsExpressionsDo) {
  const auto keeps = [](Scalar dtype, const char* neutral, const char* reduce,
                        const char* preamble = "") {
    const ReductionSnippet snippet{
        .parameters = {}, .outputs = {{dtype, neutral, reduce, "x[i]"}}, .preamble = preamble};
    return reduction_snippet_text(snippet, Schedule::narrow, Language::cuda_c).find("left_out") !=
           std::string::npos;
  };
  for (const char* reduce : {"a+b", " a + b ", "(b+a)", "a /* and */ + b // all"})
    for (const char* neutral : {"0", "0.0f", "(0.)", "0f"})
      EXPECT_TRUE(keeps(Scalar::float32, neutral, reduce)) << reduce << ' ' << neutral;
  EXPECT_TRUE(keeps(Scalar::float64, "0", "a+b"));
  EXPECT_FALSE(keeps(Scalar::int32, "0", "a+b"));
  EXPECT_FALSE(keeps(Scalar::float32, "1", "a+b"));
  EXPECT_FALSE(keeps(Scalar::float32, "zero", "a+b"));
  EXPECT_FALSE(keeps(Scalar::float32, "0", "a+b", "#define a 2"));
  for (const char* reduce : {"a+b+0", "a-b", "(a)+(b)", "a+a", "a*b", "f(a+b)"})
    EXPECT_FALSE(keeps(Scalar::float32, "0", reduce)) << reduce;
}

/// One result has one text for all numbers of elements, but for where vectors may begin.
TEST(ReductionSnippet, OneResultHasOneTextForEachAlignment) {
  for (const Schedule schedule : {Schedule::wide, Schedule::narrow}) {
    const auto text = [&](std::int64_t length) {
      return reduction_snippet_text(largest(), schedule, Language::cuda_c, "const float *x",
                                    {.length = length});
    };
    for (const std::int64_t length : {2, 100, 1000, 5000, 1 << 30})
      EXPECT_EQ(text(length), text(1 << 20)) << length;
  }
}

TEST(ReductionSnippet, LargeResultsHaveSmallerGroups) {
  ReductionSnippet snippet = largest();
  const auto group_size = [&](Schedule schedule) {
    const Dialect& dialect = dialect_of(Language::cuda_c);
    return lower_snippet({snippet, dialect, TypeNames(dialect)}, schedule, {}).group_size;
  };
  EXPECT_EQ(group_size(Schedule::wide), 256u);
  EXPECT_EQ(group_size(Schedule::narrow), 1u);
  snippet.outputs[0].dtype = Scalar::float64;
  EXPECT_EQ(group_size(Schedule::wide), 256u);
  snippet.outputs.assign(20, {Scalar::float64, "0", "a", "x[i]"});
  EXPECT_EQ(group_size(Schedule::wide), 64u);
}

/// The kernel's variables are called `k`, `n` and `lane`, too.
TEST(ReductionSnippet, NamesOfTheTextAreNotTheKernels) {
  ReductionSnippet snippet = largest();
  snippet.preamble = "#define lane 5\n#define real float";
  snippet.outputs[0].map = "k[i] * lane + n";
  const std::string text =
      reduction_snippet_text(snippet, Schedule::wide, Language::cuda_c, "const float *k, int n");
  EXPECT_NE(text.find("#undef lane\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("#undef real"), std::string::npos) << text;
  EXPECT_NE(text.find("float *user_k, int user_n"), std::string::npos) << text;
}

TEST(ReductionSnippet, LinesOfTextsStayAndMayEndInComments) {
  ReductionSnippet snippet = largest();
  snippet.outputs[0].reduce = "a >\nb ? a : b";
  snippet.outputs[0].map = "x[i + 1] // squared";
  const std::string text = reduction_snippet_text(snippet, Schedule::wide, Language::opencl_c);
  EXPECT_NE(text.find("return (\n  a >\n  b ? a : b\n  );"), std::string::npos) << text;
  EXPECT_NE(text.find("x[i + 1] // squared\n"), std::string::npos) << text;
}

TEST(ReductionSnippet, RefusesAnArgumentThatIsItsIndex) {
  EXPECT_THROW(
      reduction_snippet_text(largest(), Schedule::wide, Language::cuda_c, "const float *i"),
      InvalidArgument);
}

}  // namespace
}  // namespace treadle::codegen
