// SPDX-License-Identifier: MIT
#include "treadle/codegen/signature.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/both_dialects.hpp"
#include "treadle/base/error.hpp"

namespace treadle::codegen {
namespace {

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

TEST(TypeNames, WriteTheNameThatIsPreferred) {
  TypeNames types(cuda);
  EXPECT_EQ(types.name_of(Scalar::int64), "long long");
  types.prefer("long", Scalar::int64);
  EXPECT_EQ(types.name_of(Scalar::int64), "long");
  EXPECT_EQ(types.find("long long"), DType(Scalar::int64));
  EXPECT_THROW(types.prefer("float", Scalar::int64), InvalidArgument);
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
