// SPDX-License-Identifier: MIT
// How texts look; what they compute is compared with NumPy in tests/python/op_text_test.py.
#include "treadle/codegen/op_text.hpp"

#include <gtest/gtest.h>

#include <array>

#include "codegen/both_dialects.hpp"
#include "treadle/base/error.hpp"

namespace treadle::codegen {
namespace {

std::string text_for(Op op, Scalar dtype, const Dialect& dialect = cuda) {
  constexpr std::array names = {"a", "b", "c"};
  std::vector<OperandText> operands;
  for (std::size_t i = 0; i < op_info(op).arity; ++i)
    operands.push_back({names[i], op == Op::where && i == 0 ? Scalar::boolean : dtype});
  return op_text(op, operands, dialect);
}

TEST(OpText, operatorsAreCsWhereTheyAreRight) {
  EXPECT_EQ(text_for(Op::add, Scalar::float32), "a + b");
  EXPECT_EQ(text_for(Op::multiply, Scalar::uint64), "a * b");
  EXPECT_EQ(text_for(Op::less_equal, Scalar::int8), "a <= b");
  EXPECT_EQ(text_for(Op::where, Scalar::float64), "a ? b : c");
  EXPECT_EQ(text_for(Op::sin, Scalar::float64), "sin(a)");
}

TEST(OpText, signedIntegersWrapAroundAsUnsignedOnes) {
  EXPECT_EQ(text_for(Op::add, Scalar::int32), "(int)((unsigned int)a + b)");
  EXPECT_EQ(text_for(Op::add, Scalar::int32, opencl), "(int)((uint)a + b)");
  EXPECT_EQ(text_for(Op::negative, Scalar::int8), "(signed char)(-(unsigned int)a)");
  EXPECT_EQ(text_for(Op::multiply, Scalar::uint16), "(unsigned short)((unsigned int)a * b)");
  EXPECT_EQ(text_for(Op::subtract, Scalar::int64), "(long long)((unsigned long long)a - b)");
}

TEST(OpText, boolsAreNormalised) {
  EXPECT_EQ(text_for(Op::add, Scalar::boolean), "a | b");
  EXPECT_EQ(text_for(Op::multiply, Scalar::boolean), "a & b");
  EXPECT_EQ(text_for(Op::logical_not, Scalar::boolean), "!a");
}

TEST(OpText, float16IsComputedInFloatAndRounded) {
  EXPECT_EQ(text_for(Op::add, Scalar::float16), "treadle_round_half(a + b)");
  EXPECT_EQ(text_for(Op::floor, Scalar::float16), "floor(a)");
  EXPECT_EQ(text_for(Op::remainder, Scalar::float16),
            "treadle_round_half(treadle_remainder_float32(a, b))");
  EXPECT_EQ(text_for(Op::nextafter, Scalar::float16), "treadle_nextafter_float16(a, b)");
}

TEST(OpText, complexNumbersAreArgumentsOfFunctions) {
  EXPECT_EQ(text_for(Op::multiply, Scalar::complex64), "treadle_multiply_complex64(a, b)");
  EXPECT_EQ(text_for(Op::greater, Scalar::complex128), "treadle_less_complex128(b, a)");
  EXPECT_EQ(text_for(Op::equal, Scalar::complex64), "a.x == b.x && a.y == b.y");
  EXPECT_EQ(text_for(Op::make_complex, Scalar::float32), "make_float2(a, b)");
  EXPECT_EQ(text_for(Op::make_complex, Scalar::float64, opencl), "(double2)(a, b)");
}

TEST(OpText, operandsAreBracketedBesideOperatorsOnly) {
  const auto product = [](const std::string& a, const std::string& b) {
    const OperandText operands[] = {{a, Scalar::float32}, {b, Scalar::float32}};
    return op_text(Op::multiply, operands, cuda);
  };
  EXPECT_EQ(product("x[i]", "sin(y + 1)"), "x[i] * sin(y + 1)");
  EXPECT_EQ(product("x + 1", "-y"), "(x + 1) * (-y)");
  EXPECT_EQ(product("(float)n", "f(a) + g(b)"), "((float)n) * (f(a) + g(b))");
  const OperandText sum[] = {{"x + y", Scalar::float32}};
  EXPECT_EQ(op_text(Op::exp, sum, cuda), "exp(x + y)");
}

TEST(OpText, integersWithAndWithoutSignAreComparedAsNumbers) {
  const auto compared = [](Op op, Scalar a, Scalar b) {
    const OperandText operands[] = {{"a", a}, {"b", b}};
    return op_text(op, operands, opencl);
  };
  const auto i64 = Scalar::int64, u64 = Scalar::uint64;
  EXPECT_EQ(compared(Op::less, i64, u64), "a < 0 || (ulong)a < b");
  EXPECT_EQ(compared(Op::less, u64, i64), "b >= 0 && a < (ulong)b");
  EXPECT_EQ(compared(Op::greater_equal, i64, u64), "a >= 0 && b <= (ulong)a");
  EXPECT_EQ(compared(Op::not_equal, u64, i64), "!(b >= 0 && a == (ulong)b)");
}

TEST(OpText, castsSayWhereCHasNoAnswer) {
  const auto cast = [](Scalar from, Scalar to, const Dialect& dialect = cuda) {
    return cast_text({"a", from}, to, dialect);
  };
  EXPECT_EQ(cast(Scalar::int32, Scalar::int32), "a");
  EXPECT_EQ(cast(Scalar::int32, Scalar::uint8), "(unsigned char)a");
  EXPECT_EQ(cast(Scalar::float32, Scalar::int32), "treadle_float32_to_int32(a)");
  EXPECT_EQ(cast(Scalar::float16, Scalar::uint8), "(unsigned char)treadle_float32_to_int32(a)");
  EXPECT_EQ(cast(Scalar::float16, Scalar::float32), "a");
  EXPECT_EQ(cast(Scalar::int8, Scalar::float16), "(float)a");
  EXPECT_EQ(cast(Scalar::int32, Scalar::float16), "treadle_round_half((float)a)");
  EXPECT_EQ(cast(Scalar::float64, Scalar::float16), "treadle_double_to_float16(a)");
  EXPECT_EQ(cast(Scalar::complex128, Scalar::float32), "(float)a.x");
  EXPECT_EQ(cast(Scalar::complex64, Scalar::boolean), "a.x != 0 || a.y != 0");
  EXPECT_EQ(cast(Scalar::int8, Scalar::complex64, opencl), "(float2)((float)a, 0)");
}

TEST(OpText, refusesOtherDtypesAndNumbersOfOperands) {
  EXPECT_FALSE(has_op_text(Op::divide, Scalar::int32));
  EXPECT_THROW(text_for(Op::divide, Scalar::int32), DTypeError);
  EXPECT_THROW(text_for(Op::floor_divide, Scalar::complex64), DTypeError);
  EXPECT_THROW(op_text(Op::add, {}, cuda), InvalidArgument);
  EXPECT_THROW(text_for(Op::iota, Scalar::int64), InvalidArgument);
  EXPECT_THROW(text_for(Op::cast, Scalar::int64), InvalidArgument);
}

}  // namespace
}  // namespace treadle::codegen
