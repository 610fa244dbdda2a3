// SPDX-License-Identifier: MIT
#include "treadle/base/c_declaration.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "treadle/base/error.hpp"

namespace treadle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <class F>
std::string refusal(F call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.message();
  }
  return "nothing was refused";
}

Declaration read_only(const char* type, const char* name,
                      AddressSpace space = AddressSpace::unspecified) {
  return {type, name, true, space, true};
}

struct Reading {
  const char* text;
  Declaration expected;
};
class EveryReading : public testing::TestWithParam<Reading> {};
INSTANTIATE_TEST_SUITE_P(
    Declaration, EveryReading,
    testing::Values(
        Reading{"float x", {"float", "x"}}, Reading{"float *x", {"float", "x", true}},
        Reading{"float* x", {"float", "x", true}}, Reading{"float*x", {"float", "x", true}},
        Reading{"  const   float\n* x ", read_only("float", "x")},
        Reading{"float const *const x", read_only("float", "x")},
        Reading{"float *const x", {"float", "x", true}}, Reading{"const int n", {"int", "n"}},
        Reading{"double* __restrict__ out", {"double", "out", true}},
        Reading{"volatile int *restrict flag", {"int", "flag", true}},
        Reading{"int values[]", {"int", "values", true}},
        Reading{"int values[ 16 ]", {"int", "values", true}},
        Reading{"unsigned long  long n", {"unsigned long long", "n"}},
        Reading{"int constant_t", {"int", "constant_t"}}, Reading{"int global", {"int", "global"}},
        Reading{"__global float *x", {"float", "x", true, AddressSpace::global}},
        Reading{"global const float *x", read_only("float", "x", AddressSpace::global)},
        Reading{"__local float *x", {"float", "x", true, AddressSpace::local}},
        Reading{"__constant float *x", {"float", "x", true, AddressSpace::constant}},
        Reading{"struct point p", {"struct point", "p"}},
        Reading{"pycuda::complex<float> *z", {"pycuda::complex<float>", "z", true}},
        Reading{"std::array<float, 4> a", {"std::array<float, 4>", "a"}}));

TEST_P(EveryReading, IsTakenApart) {
  EXPECT_EQ(parse_declaration(GetParam().text), GetParam().expected) << GetParam().text;
}

struct Refusal {
  const char* text;
  const char* why;
};
class EveryRefusal : public testing::TestWithParam<Refusal> {};
INSTANTIATE_TEST_SUITE_P(
    Declaration, EveryRefusal,
    testing::Values(Refusal{"", "it is empty"}, Refusal{"   ", "it is empty"},
                    Refusal{"float", "name of the parameter is missing"},
                    Refusal{"float *", "name of the parameter is missing"},
                    Refusal{"unsigned int", "name of the parameter is missing"},
                    Refusal{"float 2x", "name of the parameter is missing"},
                    Refusal{"float *const", "name of the parameter is missing"},
                    Refusal{"const x", "name of the parameter is missing"},
                    Refusal{"float **x", "not to pointers"},
                    Refusal{"float *x[]", "not to pointers"}, Refusal{"float &x", "no references"},
                    Refusal{"float x]", "without its '['"},
                    Refusal{"float x = y", "no default values"},
                    Refusal{"void (*f)(int)", "has no place"},
                    Refusal{"float x; int y", "has no place"}));

TEST_P(EveryRefusal, QuotesTheTextAndSaysWhy) {
  const std::string message = refusal([] { parse_declaration(GetParam().text); });
  EXPECT_THAT(message, HasSubstr(std::string("\"") + GetParam().text + "\""));
  EXPECT_THAT(message, HasSubstr(GetParam().why));
}

TEST(Declarations, AreSeparatedByCommasOutsideTemplates) {
  const auto declarations = parse_declarations(
      "float a, /* scale, not shift */ const float *x, // the input, read only\n pair<int, int> p");
  ASSERT_EQ(declarations.size(), 3u);
  EXPECT_EQ(declarations[0].name, "a");
  EXPECT_EQ(declarations[1], read_only("float", "x"));
  EXPECT_EQ(declarations[2].type, "pair<int, int>");
}

TEST(Declarations, OfEmptyTextAreNone) {
  EXPECT_TRUE(parse_declarations("").empty());
  EXPECT_TRUE(parse_declarations(" // nothing here\n").empty());
}

TEST(Declarations, RefuseAnEmptyPlace) {
  EXPECT_THAT(refusal([] { parse_declarations("float a, , float b"); }), HasSubstr("is empty"));
}

// What parse_declaration() refuses is read as far as it goes.
TEST(ReadDeclaration, TakesWhatItUnderstands) {
  EXPECT_EQ(read_declaration("const float *x"), read_only("float", "x"));
  EXPECT_EQ(read_declaration("const unsigned int"), (Declaration{"unsigned int", ""}));
  EXPECT_EQ(read_declaration("float *"), (Declaration{"float", "", true}));
  EXPECT_EQ(read_declaration("my_type"), (Declaration{"my_type", ""}));
  EXPECT_EQ(read_declaration("TREADLE_LOCAL_POINTER int *t"),
            (Declaration{"int", "t", true, AddressSpace::local}));
  EXPECT_EQ(read_declaration("float &x = y").address_space, AddressSpace::unspecified);
  EXPECT_EQ(read_declaration(""), Declaration{});
}

TEST(ReadType, HasNoName) {
  EXPECT_EQ(read_type("const float4"), (Declaration{"float4", ""}));
  EXPECT_EQ(read_type("int[]"), (Declaration{"int", "", true}));
}

TEST(CScalar, KnowsNumbersByTheirNames) {
  EXPECT_EQ(c_scalar("std::size_t"), Scalar::uint64);
  EXPECT_EQ(c_scalar("long unsigned int"), Scalar::uint64);
  EXPECT_EQ(c_scalar("half"), Scalar::float16);
  EXPECT_EQ(c_scalar("float4"), std::nullopt);
  EXPECT_EQ(c_integer("half"), std::nullopt);
}

TEST(ScalarAliases, AreNamesOfNumbersThatHaveOneMeaning) {
  EXPECT_EQ(scalar_aliases("typedef float real; typedef unsigned int/* */index;\n"
                           "using wide = std::int64_t; typedef real other;"),
            (ScalarAliases{{"real", Scalar::float32},
                           {"index", Scalar::uint32},
                           {"wide", Scalar::int64},
                           {"other", Scalar::float32}}));
  EXPECT_EQ(scalar_aliases("#ifdef D\ntypedef double real;\n#else\ntypedef float real;\n#endif"),
            ScalarAliases{});
  EXPECT_EQ(scalar_aliases("typedef struct { float x; } Pair; typedef float *pointer; typedef;"
                           "using namespace std; using std::max; using x; // typedef float y;\n"
                           "typedef float four[4]; typedef float (*call)(float);"),
            ScalarAliases{});
}

TEST(Words, KeepTemplateArgumentsTogether) {
  EXPECT_THAT(c_words("pair<int, int> *p"), ElementsAre("pair<int, int>", "*", "p"));
  EXPECT_THAT(split_list("pair<int, int> p,float x"), ElementsAre("pair<int, int> p", "float x"));
}

TEST(Comments, AreBlankedOutInTheirPlaces) {
  EXPECT_EQ(without_comments("a/*b*/c//d\ne"), "a     c   \ne");
  EXPECT_EQ(without_comments("a/*b"), "a   ");
  for (const char* text : {"f(\"http://a\", '\"', \"/*\")", "\"a\\\"//\"", "'/' '*'"})
    EXPECT_EQ(without_comments(text), text);
  EXPECT_EQ(without_comments("1'000 // it's"), "1'000        ");
  EXPECT_EQ(without_comments("#error don't // c"), "#error don't     ");
}

TEST(Comments, MayStandAnywhereInDeclarations) {
  const auto declarations = parse_declarations(
      "/* input, of\n two lines */ const float *x, // y, z\n int /* how many */ n // last");
  ASSERT_EQ(declarations.size(), 2u);
  EXPECT_EQ(declarations[0], parse_declaration("const float *x"));
  EXPECT_EQ(declarations[1], parse_declaration("int n"));
  EXPECT_EQ(parse_declaration("int n /* how, many */"), declarations[1]);
  EXPECT_EQ(read_declaration("int n // of x"), declarations[1]);
  EXPECT_EQ(split_declarations("a<b, c> d /* , */, // e\nint f"),
            (std::vector<std::string>{"a<b, c> d        ", "     \nint f"}));
  EXPECT_TRUE(split_declarations(" // nothing").empty());
}

}  // namespace
}  // namespace treadle
