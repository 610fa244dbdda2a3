// SPDX-License-Identifier: MIT
#include "treadle/codegen/device_functions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/both_dialects.hpp"
#include "treadle/codegen/op_text.hpp"

namespace treadle::codegen {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++found;
  return found;
}

TEST(DeviceFunctions, areWrittenForADtypeInALanguage) {
  EXPECT_EQ(device_functions("z = treadle_right_shift_uint8(x, y);", cuda),
            "static __device__ inline unsigned char treadle_right_shift_uint8(unsigned char a, "
            "unsigned char count)\n"
            "{\n"
            "  return count < 8 ? (unsigned char)(a >> count) : 0;\n"
            "}\n\n");
  EXPECT_THAT(device_functions("treadle_remainder_uint8(x, y)", opencl),
              HasSubstr("static inline uchar treadle_remainder_uint8(uchar a, uchar b)"));
}

TEST(DeviceFunctions, takeThePlaceOfARunTimesWhereTheyAreBetter) {
  const std::string text = device_functions("z = atan(x) + atan(y) + sinh(x);", opencl);
  EXPECT_EQ(occurrences(text, "#define atan treadle_own_atan\n"), 1u);
  EXPECT_EQ(occurrences(text, "#define sinh treadle_own_sinh\n"), 1u);
  EXPECT_THAT(text, HasSubstr("#if defined(POCL_DEVICE_ADDRESS_BITS) || "
                              "defined(__NV_CL_C_VERSION)\n"));
  EXPECT_THAT(text, HasSubstr("float __attribute__((overloadable)) treadle_own_atan(float x)"));
  EXPECT_THAT(text, HasSubstr("double __attribute__((overloadable)) treadle_own_atan(double x)"));
  EXPECT_THAT(device_functions("z = atan2(y, x);", opencl),
              HasSubstr("treadle_own_atan2(double x, double y)\n{\n  return atan2(x, y);"));
  // What a function of ours calls is defined once, and so is what two of them call.
  EXPECT_EQ(occurrences(device_functions("sinh(x) + cosh(x)", opencl),
                        "double4 treadle_math_power_of_e("),
            1u);
  EXPECT_THAT(device_functions("z = treadle_logaddexp_float32(x, y);", opencl),
              HasSubstr("#define log1p treadle_own_log1p"));
  EXPECT_EQ(device_functions("z = atan(x);", cuda), "");
}

TEST(DeviceFunctions, comeOnceAndBehindThoseTheyCall) {
  const std::string text =
      device_functions("treadle_lcm_int32(treadle_gcd_int32(a, b), treadle_lcm_int32(c, d))", cuda);
  EXPECT_EQ(occurrences(text, "inline int treadle_lcm_int32("), 1u);
  EXPECT_EQ(occurrences(text, "inline unsigned int treadle_gcd_uint32("), 1u);
  EXPECT_LT(text.find("inline unsigned int treadle_gcd_uint32("),
            text.find("inline unsigned int treadle_lcm_uint32("));
  EXPECT_LT(text.find("inline unsigned int treadle_lcm_uint32("),
            text.find("inline int treadle_lcm_int32("));
}

TEST(DeviceFunctions, haveConstantsOfTheirPrecision) {
  EXPECT_THAT(device_functions("treadle_logaddexp_float32", cuda),
              HasSubstr("a + 0.69314718055994530942f;"));
  EXPECT_THAT(device_functions("treadle_logaddexp_float64", cuda),
              HasSubstr("a + 0.69314718055994530942;"));
}

TEST(DeviceFunctions, thoseOfTheDialectAreKnown) {
  EXPECT_THAT(device_functions("treadle_half_to_float(x)", cuda), HasSubstr("cvt.f32.f16"));
  EXPECT_THAT(device_functions("treadle_half_to_float(x)", opencl), HasSubstr("vload_half"));
}

TEST(DeviceFunctions, otherNamesAreLeftAlone) {
  EXPECT_EQ(device_functions("treadle_unheard_of(x) + sin(y)", cuda), "");
}

// Every function that a text calls is there, and no word that stands for something is left.
TEST(DeviceFunctions, areThereForEveryOperation) {
  for (const Dialect* dialect : {&cuda, &opencl})
    for (int op = 0; op < static_cast<int>(Op::cast); ++op)
      for (int dtype = 0; dtype < static_cast<int>(Scalar::structure); ++dtype) {
        const auto which = static_cast<Op>(op);
        const auto of = static_cast<Scalar>(dtype);
        if (!has_op_text(which, of)) continue;
        const std::vector<OperandText> operands(op_info(which).arity, OperandText{"a", of});
        const std::string call = op_text(which, operands, *dialect);
        const std::string text = device_functions(call, *dialect) + call;
        for (std::size_t at = 0; (at = text.find("treadle_", at)) != std::string::npos; ++at) {
          const std::string name = text.substr(
              at, text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_", at) - at);
          EXPECT_THAT(device_functions(name, *dialect), HasSubstr(" " + name + "("))
              << op_info(which).name;
        }
        for (const char* word : {"TYPE", "UNSIGNED", "REAL", "WIDTH"})
          EXPECT_THAT(text, Not(HasSubstr(word)));
        // A macro of the CPU device's compiler, not a word of the dialect.
        EXPECT_EQ(occurrences(text, "TREADLE_"), occurrences(text, "__TREADLE_CPU__"));
      }
}

}  // namespace
}  // namespace treadle::codegen
