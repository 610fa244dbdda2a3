// SPDX-License-Identifier: MIT
#include "treadle/codegen/signature.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "treadle/base/error.hpp"

namespace treadle::codegen {
namespace {

using testing::HasSubstr;

const Dialect& cuda = dialect_of(Language::cuda_c);
const Dialect& opencl = dialect_of(Language::opencl_c);

template <class F>
std::string refusal(F call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.message();
  }
  return "nothing was refused";
}

struct Reading {
  const char* text;
  Declaration expected;
};
class EveryReading : public testing::TestWithParam<Reading> {};
INSTANTIATE_TEST_SUITE_P(
    Declaration, EveryReading,
    testing::Values(Reading{"float x", {"float", "x"}}, Reading{"float *x", {"float", "x", true}},
                    Reading{"float* x", {"float", "x", true}},
                    Reading{"float*x", {"float", "x", true}},
                    Reading{"  const   float\n* x ", {"float", "x", true}},
                    Reading{"float const *const x", {"float", "x", true}},
                    Reading{"double* __restrict__ out", {"double", "out", true}},
                    Reading{"volatile int *restrict flag", {"int", "flag", true}},
                    Reading{"int values[]", {"int", "values", true}},
                    Reading{"int values[ 16 ]", {"int", "values", true}},
                    Reading{"unsigned long  long n", {"unsigned long long", "n"}},
                    Reading{"int constant_t", {"int", "constant_t"}},
                    Reading{"int global", {"int", "global"}},
                    Reading{"__global float *x", {"float", "x", true, AddressSpace::global}},
                    Reading{"global const float *x", {"float", "x", true, AddressSpace::global}},
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
  EXPECT_EQ(declarations[1], (Declaration{"float", "x", true}));
  EXPECT_EQ(declarations[2].type, "pair<int, int>");
}

TEST(Declarations, OfEmptyTextAreNone) {
  EXPECT_TRUE(parse_declarations("").empty());
  EXPECT_TRUE(parse_declarations(" // nothing here\n").empty());
}

TEST(Declarations, RefuseAnEmptyPlace) {
  EXPECT_THAT(refusal([] { parse_declarations("float a, , float b"); }), HasSubstr("is empty"));
}

TEST(TypeNames, KnowIntegersInEveryOrderOfTheirWords) {
  const TypeNames types(cuda);
  EXPECT_EQ(types.find("unsigned"), DType(Scalar::uint32));
  EXPECT_EQ(types.find("long unsigned int"), DType(Scalar::uint64));
  EXPECT_EQ(types.find("int long signed long"), DType(Scalar::int64));
  EXPECT_EQ(types.find("short int"), DType(Scalar::int16));
  EXPECT_EQ(types.find("char unsigned"), DType(Scalar::uint8));
}

TEST(TypeNames, RefuseWordsThatMakeNoInteger) {
  const TypeNames types(cuda);
  for (const char* name :
       {"long long long", "unsigned signed", "short long", "char int", "int int"})
    EXPECT_THROW(types.find(name), InvalidArgument) << name;
}

TEST(TypeNames, NameAnUnknownTypeAndTheOnesThatComeNear) {
  const TypeNames types(cuda);
  try {
    types.find("floatt");
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.message(), HasSubstr("unknown type 'floatt'"));
    EXPECT_THAT(error.hint(), HasSubstr("float"));
  }
}

TEST(TypeNames, TakeTheProgramsOwn) {
  TypeNames types(opencl);
  const std::pair<std::string, DType> fields[] = {{"x", Scalar::float32}, {"y", Scalar::int32}};
  const DType point = DType::c_structure("point", fields);
  EXPECT_THROW(types.name_of(point), DTypeError);
  types.add("point_t", point);
  types.add("struct point", point);
  EXPECT_EQ(types.find("struct point"), point);
  EXPECT_EQ(types.name_of(point), "point_t");
  EXPECT_THAT(refusal([&] { types.add("float", point); }),
              HasSubstr("'float' already stands for float32"));
}

TEST(Arguments, AreScalarsAndVectors) {
  const auto parameters = parse_parameters("float a, const int *x", TypeNames(cuda));
  ASSERT_EQ(parameters.size(), 2u);
  EXPECT_EQ(parameters[0], (ParameterSpec{ParameterSpec::Kind::scalar, Scalar::float32, "a"}));
  EXPECT_EQ(parameters[1], (ParameterSpec{ParameterSpec::Kind::vector, Scalar::int32, "x"}));
}

TEST(Arguments, RefuseANameUsedTwice) {
  EXPECT_THAT(refusal([] { parse_parameters("int a, float *a", TypeNames(cuda)); }),
              HasSubstr("two parameters are called 'a'"));
}

TEST(Arguments, RefuseOtherMemoryThanGlobal) {
  for (const char* text : {"__local float *x", "__constant float *x"})
    EXPECT_THAT(refusal([&] { parse_parameters(text, TypeNames(opencl)); }),
                HasSubstr("'x' is no pointer to global memory"));
}

// One list, both languages: what differs is the dialect's.
struct Spelling {
  Language language;
  const char *plain, *with_offset, *pointers;
};
class EverySpelling : public testing::TestWithParam<Spelling> {};
INSTANTIATE_TEST_SUITE_P(
    Arguments, EverySpelling,
    testing::Values(Spelling{Language::cuda_c, "unsigned int n, double *x",
                             "unsigned int n, double *x__base, long long x__offset",
                             "double *x = (double *)((char *)x__base + x__offset);\n"},
                    Spelling{Language::opencl_c, "uint n, __global double *x",
                             "uint n, __global double *x__base, long x__offset",
                             "__global double *x = (__global double *)((__global char *)x__base + "
                             "x__offset);\n"}));

TEST_P(EverySpelling, DeclaresTheSameArguments) {
  const Dialect& dialect = dialect_of(GetParam().language);
  const TypeNames types(dialect);
  const auto plain = parse_parameters("unsigned n, double x[]", types);
  EXPECT_EQ(declare(plain, dialect, types), GetParam().plain);
  EXPECT_EQ(define_pointers(plain, dialect, types), "");
  const auto shifted = parse_parameters("unsigned n, double x[]", types, Offsets::passed);
  EXPECT_EQ(declare(shifted, dialect, types), GetParam().with_offset);
  EXPECT_EQ(define_pointers(shifted, dialect, types), GetParam().pointers);
}

TEST_P(EverySpelling, ReadsWhatItWrote) {
  const Dialect& dialect = dialect_of(GetParam().language);
  const TypeNames types(dialect);
  const auto parameters = parse_parameters("char c, ushort s, long n, float *f, double *d", types);
  EXPECT_EQ(parse_parameters(declare(parameters, dialect, types), types), parameters);
}

}  // namespace
}  // namespace treadle::codegen
