// SPDX-License-Identifier: MIT
// Every dtype, operation and weak kind is compared with NumPy in tests/python/promotion_test.py;
// here are the rules as a reader would state them, and what is refused.
#include "treadle/base/promotion.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "base/message_of.hpp"
#include "treadle/base/error.hpp"

namespace treadle {
namespace {

using enum Scalar;

TEST(Promotion, HoldsWhatBothOperandsHold) {
  EXPECT_EQ(promote(int8, uint8), int16);
  EXPECT_EQ(promote(int64, uint64), float64);
  EXPECT_EQ(promote(int32, float32), float64);
  EXPECT_EQ(promote(float16, int16), float32);
  EXPECT_EQ(promote(complex64, int32), complex128);
}

TEST(Promotion, NumbersOfTheHostLanguageAdapt) {
  EXPECT_EQ(promote(int8, Weak::integer), int8);
  EXPECT_EQ(promote(int8, Weak::floating), float64);
  EXPECT_EQ(promote(boolean, Weak::integer), int64);
  EXPECT_EQ(promote(float16, Weak::complex), complex64);
  EXPECT_EQ(promote(Weak::integer, Weak::floating), float64);
}

TEST(Promotion, OfSeveralOperandsDoesNotDependOnTheirOrder) {
  std::vector<OperandType> operands = {int8, Weak::floating, uint16, float16};
  for (int turn = 0; turn < 4; ++turn) {
    EXPECT_EQ(promote(operands), float32);
    std::rotate(operands.begin(), operands.begin() + 1, operands.end());
  }
  EXPECT_THROW(promote({}), InvalidArgument);
}

TEST(Promotion, RecordsHaveNoCommonDtype) {
  EXPECT_EQ(message_of([] { promote(structure, float32); }),
            "there is no common dtype of a record and float32");
  const std::vector<OperandType> operands = {int8, structure};
  EXPECT_THROW(promote(operands), DTypeError);
  EXPECT_THROW(resolve(Op::add, structure, int8), DTypeError);
  EXPECT_THROW(resolve(Op::negative, structure), DTypeError);
  EXPECT_THROW(reduction_dtypes(Reduction::sum, structure), DTypeError);
}

TEST(Promotion, OperandsComputeInTheirOwnDtypesWhereThatIsExact) {
  const OpDtypes less = resolve(Op::less, int8, uint64);
  EXPECT_EQ(less.operands[0], int64);
  EXPECT_EQ(less.operands[1], uint64);
  EXPECT_EQ(resolve(Op::where, float32, int8, Weak::floating),
            (OpDtypes{{boolean, float64, float64}, float64}));
  EXPECT_EQ(resolve(Op::ldexp, float32, uint32), (OpDtypes{{float32, int64}, float32}));
}

TEST(Promotion, RefusalsNameOperationAndDtypes) {
  EXPECT_EQ(message_of([] { resolve(Op::subtract, boolean, boolean); }),
            "operation subtract does not take bool and bool");
  EXPECT_EQ(message_of([] { resolve(Op::left_shift, int8, Weak::floating); }),
            "operation left_shift does not take int8 and Python float");
  EXPECT_EQ(message_of([] { resolve(Op::floor, complex64); }),
            "operation floor does not take complex64");
}

TEST(Promotion, AnotherNumberOfOperandsIsRefused) {
  EXPECT_EQ(message_of([] { resolve(Op::add, int8); }), "operation add takes 2 operands, not 1");
  EXPECT_THROW(resolve(Op::negative, int8, int8), InvalidArgument);
  EXPECT_THROW(resolve(Op::add, int8, int8, int8), InvalidArgument);
  EXPECT_THROW(resolve(Op::where, std::vector<OperandType>{int8, int8}), InvalidArgument);
}

TEST(Promotion, WhatHasADtypeGivenHasNoRule) {
  for (const Op op : {Op::cast, Op::leaf, Op::scalar, Op::iota})
    EXPECT_NE(message_of([&] { resolve(op, int8); }).find("no rule"), std::string::npos);
}

TEST(Promotion, IntegersFitOrLieBeyond) {
  EXPECT_EQ(fit(uint8, std::int64_t{255}), IntegerFit::within);
  EXPECT_EQ(fit(uint8, std::int64_t{256}), IntegerFit::above);
  EXPECT_EQ(fit(uint8, std::int64_t{-1}), IntegerFit::below);
  EXPECT_EQ(fit(int8, std::int64_t{-128}), IntegerFit::within);
  EXPECT_EQ(fit(int8, std::int64_t{-129}), IntegerFit::below);
  EXPECT_EQ(fit(int64, std::uint64_t{1} << 63), IntegerFit::above);
  EXPECT_EQ(fit(int64, std::numeric_limits<std::int64_t>::min()), IntegerFit::within);
  EXPECT_EQ(fit(uint64, std::numeric_limits<std::uint64_t>::max()), IntegerFit::within);
  EXPECT_EQ(fit(boolean, std::int64_t{2}), IntegerFit::above);
  EXPECT_EQ(fit(float16, std::int64_t{100000}), IntegerFit::within);
}

TEST(Promotion, ComparisonsWithIntegersBeyondAreKnown) {
  EXPECT_TRUE(compare_beyond(Op::less, IntegerFit::above));
  EXPECT_FALSE(compare_beyond(Op::less, IntegerFit::below));
  EXPECT_TRUE(compare_beyond(Op::greater_equal, IntegerFit::below));
  EXPECT_TRUE(compare_beyond(Op::not_equal, IntegerFit::below));
  EXPECT_FALSE(compare_beyond(Op::equal, IntegerFit::above));
}

TEST(Promotion, AnOverflowNamesTheIntegerAndTheBounds) {
  EXPECT_EQ(message_of([] { throw_overflow(int8, IntegerFit::above, "300"); }),
            "Python int 300 is above int8 (-128 to 127)");
  EXPECT_THROW(throw_overflow(uint64, IntegerFit::below, "-1"), OverflowError);
}

TEST(Promotion, FacesDifferInWhatTheyCastResultsTo) {
  EXPECT_EQ(result_dtype(native_dtypes, Op::less, int8, float32), boolean);
  EXPECT_EQ(result_dtype(pycuda_dtypes, Op::less, int8, float32), float32);
  EXPECT_EQ(result_dtype(pycuda_dtypes, Op::less, int8, Weak::floating), int8);
  EXPECT_EQ(result_dtype(pyopencl_dtypes, Op::less, int8, float32), int8);
  EXPECT_EQ(result_dtype(pyopencl_dtypes, Op::logical_and, int8, float32), int8);
  EXPECT_EQ(result_dtype(pyopencl_dtypes, Op::divide, int8, int8), float64);
  EXPECT_EQ(reduction_dtypes(pycuda_dtypes, Reduction::sum, int8), (ReductionDtypes{int64, int8}));
  EXPECT_EQ(reduction_dtypes(pyopencl_dtypes, Reduction::any, float32),
            (ReductionDtypes{boolean, int8}));
  EXPECT_EQ(reduction_dtypes(native_dtypes, Reduction::sum, int8), (ReductionDtypes{int64, int64}));
}

}  // namespace
}  // namespace treadle
