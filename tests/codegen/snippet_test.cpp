// SPDX-License-Identifier: MIT
#include "treadle/codegen/snippet.hpp"

#include <gtest/gtest.h>

#include "golden.hpp"
#include "treadle/base/error.hpp"

namespace treadle::codegen {
namespace {

Snippet snippet(const std::string& operation, const Dialect& dialect,
                const std::string& arguments = "float a, const float *x, float *y") {
  Snippet made{
      .parameters = parse_parameters(arguments, TypeNames(dialect),
                                     dialect.has_addresses ? Offsets::none : Offsets::passed),
      .operation = operation};
  made.name = "axpy";
  return made;
}

TEST(Snippet, GoldenTexts) {
  for (const Language language : {Language::cuda_c, Language::opencl_c})
    for (const Schedule schedule : {Schedule::wide, Schedule::narrow})
      for (const bool has_range : {false, true})
        for (const bool is_literal : {false, true}) {
          const Dialect& dialect = dialect_of(language);
          Snippet made = snippet(is_literal ? "y[i] += a * x[tid]" : "y[i] += a * x[i]", dialect);
          made.has_range = has_range;
          made.is_apart = true;
          made.preamble = "#define TWICE(v) ((v) + (v))";
          made.loop_prep = "float b = a";
          made.after_loop = "b = TWICE(b)";
          std::string name = is_literal ? "snippet_literal_" : "snippet_";
          name += has_range ? "range_" : "";
          name += schedule_name(schedule);
          name += language == Language::cuda_c ? ".cu" : ".cl";
          expect_golden(
              "elementwise", name,
              generate_elementwise(made, tiling_of(schedule), dialect, TypeNames(dialect)));
        }
}

TEST(Snippet, PointersShareNoMemoryWhereOnlyTheirElementIsUsed) {
  const auto says = [](const std::string& operation, Schedule schedule = Schedule::wide,
                       const std::string& preamble = "") {
    const Dialect& dialect = dialect_of(Language::cuda_c);
    Snippet made = snippet(operation, dialect);
    made.is_apart = true;
    made.preamble = preamble;
    const std::string text =
        generate_elementwise(made, tiling_of(schedule), dialect, TypeNames(dialect)).text;
    return text.find("float *" + dialect.restrict + " y") != std::string::npos;
  };
  for (const char* text : {"y[i] = a * x[i]", "if (x [ i ] > 0) y[i] += /* x + 1 */ 3", "y[i]++",
                           "float xx = x[i]; for (int k = 0; k < 3; ++k) y[i] += xx"})
    EXPECT_TRUE(says(text)) << text;
  for (const char* text : {"y[i] = x[i + 1]", "y[i] = *x", "y[i] = f(&x[i])", "y[i] = f(x)",
                           "y[i] = x[0]", "y[i] = i[x]", "y[i] = x[tid]"})
    EXPECT_FALSE(says(text)) << text;
  EXPECT_FALSE(says("y[i] = x[i]", Schedule::narrow));
  EXPECT_FALSE(says("y[i] = LEFT", Schedule::wide, "#define LEFT x[i - 1]"));
  EXPECT_TRUE(says("y[i] = f(x[i])", Schedule::wide, "__device__ float f(float x);"));
}

TEST(Snippet, SpeaksOfItsLoopWhereItChangesOrLeavesIt) {
  const auto speaks = [](const std::string& operation) {
    return speaks_of_its_loop(snippet(operation, dialect_of(Language::cuda_c)));
  };
  for (const char* text : {"i += total_threads", "i = 0", "++i", "i++", "--i", "i <<= 1", "f(&i)",
                           "x[i] = (&i)[0]", "if (x[i] < 0) return", "if (x[i] < 0) break",
                           "y[tid] = 0", "y[i] = cta_start", "asm(\"\" : \"+r\"(i))"})
    EXPECT_TRUE(speaks(text)) << text;
  for (const char* text : {"y[i] = x[i]", "y[i] = x[n - i - 1]", "if (i == 3) y[i] = 1",
                           "y[i] = i <= 4 && i >= 2", "y[i] = mask & i", "y[i] += j = 4",
                           "int ii = 0; ii += 1; y[i] = ii", "y[i] = i != 3", "if (i) continue"})
    EXPECT_FALSE(speaks(text)) << text;
}

TEST(Snippet, SpeaksOfItsLoopInMacrosAndAroundIt) {
  Snippet made = snippet("NEXT", dialect_of(Language::cuda_c));
  made.preamble =
      "__device__ int f(int i) { return i = 3; }\n#define NEXT y[i] = 0; \\\n  i += 1\n";
  EXPECT_TRUE(speaks_of_its_loop(made));
  made.preamble = "__device__ int f(int i) { return i = 3; }\n";
  EXPECT_FALSE(speaks_of_its_loop(made));
  made.after_loop = "y[tid] = 1";
  EXPECT_TRUE(speaks_of_its_loop(made));
}

TEST(Snippet, RefusesTheLoopsOwnNames) {
  const Dialect& dialect = dialect_of(Language::cuda_c);
  const auto generate = [&](const std::string& arguments, bool has_range) {
    Snippet made = snippet("", dialect, arguments);
    made.has_range = has_range;
    return generate_elementwise(made, tiling_of(Schedule::wide), dialect, TypeNames(dialect));
  };
  EXPECT_THROW(generate("float *i", false), InvalidArgument);
  EXPECT_THROW(generate("int n", false), InvalidArgument);
  EXPECT_THROW(generate("int step", true), InvalidArgument);
  EXPECT_NO_THROW(generate("int step", false));
  EXPECT_NO_THROW(generate("int n", true));
}

TEST(Snippet, LeavesUsersTheNamesThatTheyKnowNothingOf) {
  const Dialect& dialect = dialect_of(Language::cuda_c);
  for (const Schedule schedule : {Schedule::wide, Schedule::narrow})
    for (const bool has_range : {false, true}) {
      Snippet made = snippet("chunk_end[i] = item", dialect, "float *chunk, float *chunk_end");
      made.loop_prep = "float item = 1, tile = 2, tile_ = 3";
      made.has_range = has_range;
      const std::string text =
          generate_elementwise(made, tiling_of(schedule), dialect, TypeNames(dialect)).text;
      for (const char* taken :
           {" tile = (", " tile_ = (", " item = 0", " chunk = (", " chunk_end = n"})
        EXPECT_EQ(text.find(taken), std::string::npos) << taken << "\n" << text;
    }
}

TEST(Snippet, OfAnyLaunchAsksTheLaunchForItsSize) {
  for (const Language language : {Language::cuda_c, Language::opencl_c}) {
    const Dialect& dialect = dialect_of(language);
    Snippet made = snippet("y[i] = x[i]", dialect);
    made.any_launch = true;
    const SnippetText text =
        generate_elementwise(made, tiling_of(Schedule::narrow), dialect, TypeNames(dialect));
    EXPECT_TRUE(text.is_literal);
    EXPECT_NE(text.text.find(dialect.group_count + " * " + dialect.local_size), std::string::npos);
    EXPECT_EQ(text.text.find("256"), std::string::npos) << text.text;
  }
}

TEST(Snippet, UsesEveryElementWhereNothingIsLeftToDoubt) {
  const auto uses = [](const std::string& operation, const std::string& preamble = "") {
    Snippet made = snippet(operation, dialect_of(Language::cuda_c));
    made.preamble = preamble;
    return uses_every_element(made);  // of float a, float *x, float *y
  };
  using Uses = std::vector<bool>;
  EXPECT_EQ(uses("y[i] = a * x [ i ]"), (Uses{false, true, true}));
  EXPECT_EQ(uses("y[i] = x[i / 2] + x[n - 1]"), (Uses{false, false, true}));
  EXPECT_EQ(uses("y[i] = xx[i] /* x[i] */"), (Uses{false, false, true}));
  EXPECT_EQ(uses("y[i] = f(&x[i])", "__device__ float f(float *);"), (Uses{false, false, true}));
  const Uses none{false, false, false};
  for (const char* text :
       {"y[i] = i < 3 ? x[i] : 0", "if (i < 3) y[i] = x[i]", "i < 3 && (y[i] = 1)",
        "continue; y[i] = x[i]", "y[i] = x[i]; i += total_threads"})
    EXPECT_EQ(uses(text), none) << text;
  EXPECT_EQ(uses("SET(y[i])", "#define SET(what) i < 3 ? what = 0 : 0"), none);
}

TEST(Snippet, MentionsElementsUnderWhicheverConditions) {
  EXPECT_TRUE(mentions_element("if (i < 3) y[ i ] = 0", "y"));
  EXPECT_TRUE(mentions_element("f(&y[i])", "y"));
  for (const char* text : {"y[i + 1] = 0", "yy[i] = 0", "b.y[i] = 0", "b->y[i] = 0", "// y[i]"})
    EXPECT_FALSE(mentions_element(text, "y")) << text;
}

TEST(Snippet, EntriesAreNotNamedAsFunctionsOfTheLanguages) {
  for (const char* name : {"min", "abs", "upsample", "dot"})
    EXPECT_EQ(entry_name(name), std::string(name) + "_kernel");
  for (const char* name : {"add", "minimum", "my_min", ""}) EXPECT_EQ(entry_name(name), name);
}

TEST(Snippet, GroupsTakeWhatTheScheduleSays) {
  const Dialect& dialect = dialect_of(Language::cuda_c);
  const auto generate = [&](const char* operation, Schedule schedule) {
    return generate_elementwise(snippet(operation, dialect), tiling_of(schedule), dialect,
                                TypeNames(dialect));
  };
  EXPECT_EQ(generate("y[i] = 0", Schedule::wide).group_length, 1024u);
  EXPECT_EQ(generate("y[i] = 0", Schedule::narrow).group_length, 65536u);
  EXPECT_EQ(generate("y[i] = 0", Schedule::narrow).group_size, 1u);
  EXPECT_EQ(generate("y[tid] = 0", Schedule::narrow).group_length, 256u);
  EXPECT_TRUE(generate("y[tid] = 0", Schedule::narrow).is_literal);
}

TEST(Snippet, variables_of_modules_are_told_from_functions) {
  for (const char* text :
       {"__constant__ float c[4];", "__device__ int counter;", "__device__ float x[2] = {1, 2};",
        "static __device__ __align__(8) int a = 0;", "texture<float, 1> t;", "surface <void, 2> s;",
        "__device__ float f(float x) { return x; }\n__device__ struct { int a; } s;",
        "__managed__ int m;"})
    EXPECT_TRUE(declares_variables(text)) << text;
  for (const char* text :
       {"", "#define N 3", "__device__ float f(float x) { return x; }", "// __constant__ float c;",
        "template <class T> __device__ __forceinline__ T f(T x = 0) { int a = 0; return x; }",
        "struct texture_size { int x; };", "__device__ __attribute__((noinline)) int g();",
        "struct A { __host__ __device__ A() {} int a; };"})
    EXPECT_FALSE(declares_variables(text)) << text;
}

}  // namespace
}  // namespace treadle::codegen
