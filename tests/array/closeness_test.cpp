// SPDX-License-Identifier: MIT
// Elements that are equal but for rounding.
#include "treadle/array/closeness.hpp"

#include <limits>

#include "array/each_array_device.hpp"

namespace treadle::array {
namespace {

class ClosenessTest : public OnEachArrayDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, ClosenessTest, each_device(), device_test_name);

TEST_P(ClosenessTest, NumbersAreCloseWithinTheTolerance) {
  const device::StreamScope scope(shared_stream());
  const auto as_float = [](const Array& x) { return cast(x, Scalar::float32); };
  const Array x = make({1, 1.001f, 0, 100}), y = make({1.000001f, 1, 1e-9f, 100.1f});
  expect(as_float(isclose(x, y)), {1, 0, 1, 0});
  expect(as_float(isclose(x, y, {.relative = 0.01})), {1, 1, 1, 1});
  expect(as_float(isclose(x, 1, {.absolute = 0.5})), {1, 1, 0, 0});
  expect(as_float(isclose(1, x)), {1, 0, 0, 0});
  expect(as_float(isclose(1, 2)), {0});
  EXPECT_TRUE(isclose(1, 1).shape().empty());
  EXPECT_THROW(isclose(x, make({1, 2})), ShapeError);
}

TEST_P(ClosenessTest, SpecialNumbersAndIntegers) {
  const device::StreamScope scope(shared_stream());
  const auto as_float = [](const Array& x) { return cast(x, Scalar::float32); };
  const float inf = std::numeric_limits<float>::infinity(),
              nan = std::numeric_limits<float>::quiet_NaN();
  const Array x = make({inf, -inf, nan, 1}), y = make({inf, inf, nan, inf});
  expect(as_float(isclose(x, y)), {1, 0, 0, 0});
  expect(as_float(isclose(x, y, {.nan_equals_nan = true})), {1, 0, 1, 0});
  const Array a = cast(make({1, 200}), Scalar::uint8), b = cast(make({2, 200}), Scalar::uint8);
  expect(as_float(isclose(a, b)), {0, 1});
  expect(as_float(isclose(a, b, {.absolute = 1})), {1, 1});
}

TEST_P(ClosenessTest, WholeArraysAreCompared) {
  if (!runs_kernels()) GTEST_SKIP() << "it computes";
  const device::StreamScope scope(shared_stream());
  const float quiet = std::numeric_limits<float>::quiet_NaN();
  const Array x = make({1, 2}), y = make({1, 2.00001f}), z = make({1, quiet});
  EXPECT_TRUE(allclose(x, y));
  EXPECT_FALSE(allclose(x, y, {.relative = 1e-7}));
  EXPECT_TRUE(array_equal(x, x));
  EXPECT_FALSE(array_equal(x, y));
  EXPECT_FALSE(array_equal(x, make({1, 2, 3})));
  EXPECT_FALSE(array_equal(z, z));
  EXPECT_TRUE(array_equal(z, z, true));
  EXPECT_TRUE(array_equiv(make({1, 1}), make({1})));
  EXPECT_FALSE(array_equiv(x, make({1, 2, 3})));
}

}  // namespace
}  // namespace treadle::array
