// SPDX-License-Identifier: MIT
// Arrays as text. The texts are NumPy 2's for the same arrays.
#include "treadle/array/text.hpp"

#include <cmath>
#include <complex>
#include <limits>
#include <sstream>

#include "array/each_array_device.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/manipulation.hpp"

namespace treadle::array {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

class TextTest : public OnEachArrayDevice {
 protected:
  template <class T>
  std::string text(const std::vector<T>& values) {
    return to_string(Array::from(values, here()));
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, TextTest, each_device(), device_test_name);

TEST_P(TextTest, RealNumbersMeetAtThePoint) {
  EXPECT_EQ(text<double>({1.5, -2, not_a_number, infinite}), "[ 1.5 -2.   nan  inf]");
  EXPECT_EQ(text<float>({0.1f, 1.f / 3, 100}), "[  0.1          0.33333334 100.        ]");
  EXPECT_EQ(text<double>({1e-5, 1, 1e10}), "[1.e-05 1.e+00 1.e+10]");
  EXPECT_EQ(text<float>({1e-7f, 2e-7f}), "[1.e-07 2.e-07]");
  EXPECT_EQ(text<double>({123456789}), "[1.23456789e+08]");
  EXPECT_EQ(text<double>({0, 0}), "[0. 0.]");
}

TEST_P(TextTest, HalvesHaveTheDigitsThatGiveThemBack) {
  if (!runs_kernels()) GTEST_SKIP() << "it casts";
  const device::StreamScope scope(shared_stream());
  EXPECT_EQ(to_string(cast(make({0.1f, 1.f / 3, 2}), Scalar::float16)), "[0.1    0.3333 2.    ]");
}

TEST_P(TextTest, IntegersAndBoolsStandOnTheRight) {
  const std::int64_t values[] = {1, -20, 300, 4};
  EXPECT_EQ(to_string(Array::from(values, {2, 2}, Scalar::int64, here())),
            "[[  1 -20]\n [300   4]]");
  const bool flags[] = {true, false};
  EXPECT_EQ(to_string(Array::from(flags, {2}, Scalar::boolean, here())), "[ True False]");
  EXPECT_EQ(text<std::uint64_t>({18446744073709551615u}), "[18446744073709551615]");
}

TEST_P(TextTest, ComplexNumbersHaveTheJBehindTheirDigits) {
  using C = std::complex<double>;
  const C values[] = {C(1, 2), C(-0.5, -0.1)};
  EXPECT_EQ(to_string(Array::from(values, {2}, Scalar::complex128, here())),
            "[ 1. +2.j  -0.5-0.1j]");
  const std::complex<float> others[] = {{1, 2}, {static_cast<float>(not_a_number), -3.25f}};
  EXPECT_EQ(to_string(Array::from(others, {2}, Scalar::complex64, here())),
            "[ 1.+2.j   nan-3.25j]");
}

TEST_P(TextTest, RecordsHaveAColumnForEachField) {
  const std::pair<std::string, DType> fields[] = {{"a", Scalar::int32}, {"b", Scalar::float32}};
  const DType pair = DType::c_structure("pair", fields);
  struct Pair {
    std::int32_t a;
    float b;
  };
  const Pair values[] = {{1, 2.5f}, {3, 4}};
  EXPECT_EQ(to_string(Array::from(values, {2}, pair, here())), "[(1, 2.5) (3, 4. )]");
  const DType square = DType::structure("square", {{"m", Scalar::int32, 0, {2, 2}}}, 16, 4);
  const std::int32_t numbers[] = {1, 2, 3, 4};
  EXPECT_EQ(to_string(Array::from(numbers, {1}, square, here())), "[([[1 2] [3 4]])]");
}

TEST_P(TextTest, AxesAreBrackets) {
  const std::vector<float> values = count_up(12);
  EXPECT_EQ(to_string(Array::from(values.data(), {2, 2, 3}, Scalar::float32, here())),
            "[[[ 0.  1.  2.]\n  [ 3.  4.  5.]]\n\n [[ 6.  7.  8.]\n  [ 9. 10. 11.]]]");
  EXPECT_EQ(to_string(Array::from(values.data() + 1, {}, Scalar::float32, here())), "1.0");
  EXPECT_EQ(to_string(empty({0, 3}, Scalar::float32, here())), "[]");
}

TEST_P(TextTest, LongRowsGoOnInTheNextLine) {
  std::vector<std::int64_t> values(30);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int64_t>(i) * 1000;
  EXPECT_EQ(text(values),
            "[    0  1000  2000  3000  4000  5000  6000  7000  8000  9000 10000 11000\n"
            " 12000 13000 14000 15000 16000 17000 18000 19000 20000 21000 22000 23000\n"
            " 24000 25000 26000 27000 28000 29000]");
}

TEST_P(TextTest, OfManyElementsThoseAtTheEdgesAreShown) {
  if (!runs_kernels()) GTEST_SKIP() << "it joins the edges";
  const device::StreamScope scope(shared_stream());
  const Array numbers = arange(0, 2000, 1, Scalar::int64);
  std::ostringstream out;
  out << numbers;
  EXPECT_EQ(out.str(), "[   0    1    2 ... 1997 1998 1999]");
  EXPECT_EQ(to_string(reshape(numbers, {1000, 2})),
            "[[   0    1]\n [   2    3]\n [   4    5]\n ...\n [1994 1995]\n [1996 1997]\n"
            " [1998 1999]]");
  EXPECT_EQ(to_string(reshape(numbers, {2000}), {.edge_items = 1}), "[   0 ... 1999]");
}

TEST_P(TextTest, BitsAreChangedInPlace) {
  if (!runs_kernels()) GTEST_SKIP() << "it computes";
  Array x = Array::from(std::vector<std::int32_t>{1, 6, 12}, here());
  x |= 1;
  x <<= 2;
  x &= 12;
  x ^= 4;
  x >>= 1;
  EXPECT_EQ(to_string(x), "[0 4 0]");
  x %= 3;
  EXPECT_EQ(to_string(x), "[0 1 0]");
}

}  // namespace
}  // namespace treadle::array
