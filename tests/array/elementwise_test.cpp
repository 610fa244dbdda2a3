// SPDX-License-Identifier: MIT
// Functions on elements that are several operations.
#include "treadle/array/elementwise.hpp"

#include <limits>
#include <numbers>
#include <vector>

#include "array/each_array_device.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/base/error.hpp"

namespace treadle::array {
namespace {

class ArrayElementwiseTest : public OnEachArrayDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, ArrayElementwiseTest, each_device(), device_test_name);

TEST_P(ArrayElementwiseTest, ClipKeepsElementsBetweenTwoNumbers) {
  const device::StreamScope scope(shared_stream());
  const Array x = make(count_up(5));
  const Array clipped = clip(x, 1, 3);
  EXPECT_TRUE(clipped.is_pending());
  expect(clipped, {1, 1, 2, 3, 3});
  expect(clip(x, std::nullopt, make({0, 0, 9, 9, 9})), {0, 0, 2, 3, 4});
  const Array same = clip(x, std::nullopt, std::nullopt);
  same.assign(0);
  expect(x, {0, 1, 2, 3, 4});
}

TEST_P(ArrayElementwiseTest, RoundsToDecimals) {
  const device::StreamScope scope(shared_stream());
  const Array x = make({-1.25f, 0.5f, 1.5f, 26.5f});
  expect(round(x), {-1, 0, 2, 26});
  expect(round(x, -1), {-0.f, 0, 0, 30});
  const Array whole = cast(make({15, 25, -149}), Scalar::int32);
  EXPECT_EQ(round(whole, -1).dtype(), DType(Scalar::int32));
  expect(cast(round(whole, -1), Scalar::float32), {20, 20, -150});
  expect(cast(round(whole, 2), Scalar::float32), {15, 25, -149});
  EXPECT_THROW(round(whole == whole, 1), DTypeError);
}

TEST_P(ArrayElementwiseTest, TwoResultsOfOneArray) {
  const device::StreamScope scope(shared_stream());
  const Array x = make({7.5f, -7.5f});
  const auto [quotient, rest] = divmod(x, 2);
  evaluate({quotient, rest});
  expect(quotient, {3, -4});
  expect(rest, {1.5f, .5f});
  const auto [fraction, whole] = modf(x);
  expect(fraction, {.5f, -.5f});
  expect(whole, {7, -7});
  const auto [significand, exponent] = frexp(x);
  expect(significand, {.9375f, -.9375f});
  expect(cast(exponent, Scalar::float32), {3, 3});
  expect(pow(abs(conj(x)), 2), {56.25f, 56.25f});
}

TEST_P(ArrayElementwiseTest, AnglesInDegreesAndRadians) {
  const device::StreamScope scope(shared_stream());
  const float half_turn = std::numbers::pi_v<float>;
  const Array x = make({180, -90, 0});
  EXPECT_EQ(deg2rad(x).dtype(), DType(Scalar::float32));
  expect(deg2rad(x), {half_turn, -half_turn / 2, 0});
  expect(radians(x), {half_turn, -half_turn / 2, 0});
  expect(round(rad2deg(make({half_turn, 1}))), {180, 57});
  expect(round(degrees(make({half_turn, 1}))), {180, 57});
  EXPECT_EQ(rad2deg(cast(x, Scalar::int32)).dtype(), DType(Scalar::float64));  // as sqrt() has it
  EXPECT_EQ(deg2rad(cast(x, Scalar::int16)).dtype(), DType(Scalar::float32));
  EXPECT_THROW(deg2rad(cast(x, Scalar::complex64)), DTypeError);
}

TEST_P(ArrayElementwiseTest, TriangularParts) {
  const device::StreamScope scope(shared_stream());
  const Array x = reshape(make(count_up(6)), {2, 3});
  expect(tril(x), {0, 0, 0, 3, 4, 0});
  expect(triu(x, 1), {0, 1, 2, 0, 0, 5});
  EXPECT_TRUE(tril(x).is_pending());
  EXPECT_THROW(tril(make({1})), ShapeError);
}

TEST_P(ArrayElementwiseTest, NumbersInPlaceOfNanAndInfinity) {
  const device::StreamScope scope(shared_stream());
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const float largest = std::numeric_limits<float>::max();
  const Array x = make({nan, infinity, -infinity, 2});
  expect(nan_to_num(x), {0, largest, -largest, 2});
  expect(nan_to_num(x, 5, 6, 7), {5, 6, 7, 2});
}

TEST_P(ArrayElementwiseTest, ChoicesAndPolynomials) {
  const device::StreamScope scope(shared_stream());
  const Array x = make({0, 1, 2, 3});
  const std::vector<Array> conditions{less(x, 1), less(x, 3)};
  const std::vector<Operand> choices{10, x};
  expect(select(conditions, choices, -1), {10, 1, 2, -1});
  const std::vector<Operand> numbers{5, 6, 7};
  expect(cast(choose(cast(x, Scalar::int32), numbers), Scalar::float32), {5, 6, 7, 7});
  const std::vector<Operand> coefficients{2, 0, 1};
  const Array value = polyval(coefficients, x);
  EXPECT_TRUE(value.is_pending());
  expect(value, {1, 3, 9, 19});
  expect(sinc(make({0})), {1});
  EXPECT_THROW(select(conditions, {}, 0), InvalidArgument);
  EXPECT_THROW(choose(x, {}), InvalidArgument);
}

TEST_P(ArrayElementwiseTest, PowersAndKindsOfNumbers) {
  const device::StreamScope scope(shared_stream());
  const auto as_float = [](const Array& x) { return cast(x, Scalar::float32); };
  const float inf = std::numeric_limits<float>::infinity();
  expect(as_float(float_power(cast(make({2, 4}), Scalar::int32), make({-1, 2}))), {0.5f, 16});
  const Array x = make({inf, -inf, 1.5f});
  expect(as_float(isposinf(x)), {1, 0, 0});
  expect(as_float(isneginf(x)), {0, 1, 0});
  expect(as_float(isreal(x)), {1, 1, 1});
  expect(as_float(iscomplex(x)), {0, 0, 0});
  expect(fix(make({-1.5f, 2.7f})), {-1, 2});
}

}  // namespace
}  // namespace treadle::array
