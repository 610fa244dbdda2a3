// SPDX-License-Identifier: MIT
#include "treadle/kernel/associative.hpp"

#include <gtest/gtest.h>

#include "treadle/base/error.hpp"

namespace treadle::kernel {
namespace {

AssociativeText text_of(const Associative& operation, const DType& dtype) {
  return associative_text(operation, dtype, codegen::dialect_of(Language::cuda_c));
}

TEST(AssociativeOperation, OursHaveNeutralElements) {
  EXPECT_EQ(text_of({.op = Op::add}, Scalar::float32).neutral, "0.0f");
  EXPECT_EQ(text_of({.op = Op::minimum}, Scalar::uint8).neutral, "(unsigned char)255");
  EXPECT_EQ(text_of({.op = Op::maximum}, Scalar::int16).neutral, "(short)-32768");
  EXPECT_EQ(text_of({.op = Op::bitwise_and}, Scalar::int32).neutral, "-1");
  EXPECT_EQ(text_of({.op = Op::lcm}, Scalar::int64).neutral.substr(0, 1), "1");
  const AssociativeText product = text_of({.op = Op::multiply}, Scalar::complex64);
  EXPECT_EQ(product.item, "float2");
  EXPECT_NE(product.preamble.find("treadle_multiply_complex64"), std::string::npos);
  EXPECT_NE(product.key, text_of({.op = Op::multiply}, Scalar::complex128).key);
}

TEST(AssociativeOperation, TextsAreTakenAsTheyAre) {
  const AssociativeText made = text_of(
      {.combine = "f(a, b)", .neutral = "7", .preamble = "int f(int, int);"}, Scalar::int32);
  EXPECT_EQ(made.combine, "f(a, b)");
  EXPECT_EQ(made.neutral, "7");
  EXPECT_EQ(made.item, "int");
  EXPECT_NE(made.key, text_of({.combine = "f(a, b)"}, Scalar::int32).key);
}

TEST(AssociativeOperation, RefusesOthers) {
  EXPECT_FALSE(is_associative(Op::subtract));
  EXPECT_TRUE(is_associative(Op::gcd));
  EXPECT_THROW(text_of({.op = Op::power}, Scalar::int32), InvalidArgument);
  EXPECT_THROW(text_of({.op = Op::add}, Scalar::float16), DTypeError);
  EXPECT_THROW(text_of({.op = Op::bitwise_or}, Scalar::float32), DTypeError);
  const std::pair<std::string, DType> fields[] = {{"x", Scalar::int32}};
  EXPECT_THROW(text_of({.combine = "a"}, DType::c_structure("pair", fields)), DTypeError);
}

}  // namespace
}  // namespace treadle::kernel
