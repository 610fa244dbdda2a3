// SPDX-License-Identifier: MIT
#include "treadle/array/sobol.hpp"

#include "array/each_array_device.hpp"

namespace treadle::array {
namespace {

class SobolTest : public OnEachArrayDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, SobolTest, each_device(), device_test_name);

TEST_P(SobolTest, PlainPointsAreInGrayCodeOrder) {
  Sobol sobol(2, {}, device());
  const Array first = sobol.draw(3, Scalar::float32);
  EXPECT_EQ(first.rank(), 2);
  expect(first, std::vector<float>{0, 0, 0.5f, 0.5f, 0.75f, 0.25f});
  EXPECT_EQ(sobol.position(), 3);
  expect(sobol.draw(1, Scalar::float32), std::vector<float>{0.25f, 0.75f});
  sobol.reset();
  sobol.skip(3);
  expect(sobol.draw(1, Scalar::float32), std::vector<float>{0.25f, 0.75f});
  EXPECT_EQ(sobol.draw(0, Scalar::float32).size(), 0);
}

TEST_P(SobolTest, BothPrecisionsAreTheSamePoints) {
  if (!info().traits.fp64 || !runs_kernels()) GTEST_SKIP();
  Sobol sobol(40, {}, device());
  sobol.skip(1000);
  const std::vector<double> exact = sobol.draw(25).as<double>();
  sobol.reset();
  sobol.skip(1000);
  const std::vector<float> rounded = sobol.draw(25, Scalar::float32).as<float>();
  for (std::size_t i = 0; i < exact.size(); ++i)
    ASSERT_EQ(static_cast<float>(exact[i]), rounded[i]);
}

TEST_P(SobolTest, ScrambledPointsAreUniformAndFollowTheSeed) {
  Sobol sobol(3, 5, device()), same(3, 5, device()), other(3, 6, device());
  const std::vector<float> points = sobol.draw(1024, Scalar::float32).as<float>();
  if (!runs_kernels()) return;
  EXPECT_EQ(points, same.draw(1024, Scalar::float32).as<float>());
  EXPECT_NE(points, other.draw(1024, Scalar::float32).as<float>());
  double sums[3] = {};
  for (std::size_t i = 0; i < points.size(); ++i) {
    ASSERT_GE(points[i], 0);
    ASSERT_LT(points[i], 1);
    sums[i % 3] += static_cast<double>(points[i]) / 1024;
  }
  for (const double sum : sums) EXPECT_NEAR(sum, 0.5, 1. / 1024);
}

TEST_P(SobolTest, RefusesWhatThereIsNot) {
  EXPECT_THROW(Sobol(0, {}, device()), InvalidArgument);
  EXPECT_THROW(Sobol(20001, {}, device()), InvalidArgument);
  Sobol sobol(1, {}, device());
  EXPECT_THROW((void)sobol.draw(-1, Scalar::float32), InvalidArgument);
  EXPECT_THROW((void)sobol.draw(1, Scalar::int32), DTypeError);
  EXPECT_THROW(sobol.skip(-1), InvalidArgument);
  sobol.skip((std::int64_t{1} << 32) - 1);
  expect(sobol.draw(1, Scalar::float32), std::vector<float>{0x1p-24f * 0});
  EXPECT_THROW((void)sobol.draw(1, Scalar::float32), InvalidArgument);
}

}  // namespace
}  // namespace treadle::array
