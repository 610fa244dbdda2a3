// SPDX-License-Identifier: MIT
#include "treadle/base/number.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

namespace treadle {
namespace {

template <class T>
T element(const Number& number, Scalar dtype = DTypeOf<T>::value) {
  T value;
  const ElementBytes bytes = number.as(dtype);
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

TEST(Number, BecomesAnElementOfEveryDtype) {
  EXPECT_EQ(element<std::int8_t>(-3), -3);
  EXPECT_EQ(element<std::uint16_t>(65535), 65535);
  EXPECT_EQ(element<std::uint64_t>(std::numeric_limits<std::uint64_t>::max()),
            std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(element<float>(2.5), 2.5f);
  EXPECT_EQ(element<bool>(0.5), true);
  EXPECT_EQ(element<std::uint16_t>(1.5, Scalar::float16), 0x3e00);
  EXPECT_EQ(element<std::complex<float>>(std::complex<double>(1, -2), Scalar::complex64),
            std::complex<float>(1, -2));
}

TEST(Number, IntegersWrapAndFloatingNumbersSaturate) {
  EXPECT_EQ(element<std::uint8_t>(300), 44);
  EXPECT_EQ(element<std::int32_t>(1e20), std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(element<std::int64_t>(-1e30), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(element<std::uint32_t>(-1.0), 0u);
  EXPECT_EQ(element<std::uint64_t>(1.8e19), 18000000000000000000u);
  EXPECT_EQ(element<std::int32_t>(std::numeric_limits<double>::quiet_NaN()), 0);
}

TEST(Number, ConvertsToNumbersOfCpp) {
  EXPECT_EQ(std::uint64_t(Number(1e19)), 10000000000000000000u);
  EXPECT_EQ(int(Number(3e9)), std::numeric_limits<int>::max());
  EXPECT_EQ(int(Number(-2.9)), -2);
  EXPECT_EQ(unsigned(Number(std::numeric_limits<double>::quiet_NaN())), 0u);
  EXPECT_EQ(long(Number(-5)), -5);
  EXPECT_EQ(std::uint64_t(Number(std::numeric_limits<std::uint64_t>::max())),
            std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(float(Number(2.5)), 2.5f);
  EXPECT_TRUE(bool(Number(std::complex<double>(0, 1))));
}

TEST(Number, IsReadBackAsItWasStored) {
  for (int dtype = 0; dtype < static_cast<int>(Scalar::structure); ++dtype) {
    const auto scalar = static_cast<Scalar>(dtype);
    const ElementBytes bytes = Number(1).as(scalar);
    const Number back = Number::stored(scalar, bytes.data());
    EXPECT_EQ(back.as_double(), 1) << DType(scalar).name();
    EXPECT_EQ(back.kind(), DType(scalar).kind()) << DType(scalar).name();
    EXPECT_EQ(back.as(scalar), bytes) << DType(scalar).name();
  }
}

TEST(Number, ComplexNumbersOfCppAreElements) {
  EXPECT_EQ(dtype_of<std::complex<float>>(), DType(Scalar::complex64));
  EXPECT_EQ(dtype_of<std::complex<double>>(), DType(Scalar::complex128));
}

TEST(Number, TextIsPythons) {
  EXPECT_EQ(Number(true).text(), "True");
  EXPECT_EQ(Number(-5).text(), "-5");
  EXPECT_EQ(Number(2.5).text(), "2.5");
  EXPECT_EQ(Number(std::complex<double>(1, -2)).text(), "(1-2j)");
  EXPECT_EQ(Number(std::numeric_limits<std::uint64_t>::max()).text(), "18446744073709551615");
}

TEST(Number, Signs) {
  EXPECT_TRUE(Number(-1).is_negative());
  EXPECT_FALSE(Number(std::numeric_limits<std::uint64_t>::max()).is_negative());
  EXPECT_TRUE(Number(-0.5).is_negative());
}

}  // namespace
}  // namespace treadle
