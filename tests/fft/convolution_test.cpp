// SPDX-License-Identifier: MIT
#include "treadle/fft/convolution.hpp"

#include <cmath>
#include <vector>

#include "array/each_array_device.hpp"
#include "fft/generated.hpp"
#include "treadle/base/error.hpp"

namespace treadle::fft {
namespace {

using array::Array;
using array::Overlap;

class ConvolutionTest : public array::OnEachArrayDevice {
 protected:
  void TearDown() override {
    forget_plans(*device());
    OnEachArrayDevice::TearDown();
  }
  void expect_near(const Array& z, const std::vector<float>& expected) {
    ASSERT_EQ(static_cast<std::size_t>(z.size()), expected.size());
    const std::vector<float> values = z.as<float>();
    if (!runs_kernels()) return;
    for (std::size_t k = 0; k < expected.size(); ++k)
      EXPECT_NEAR(values[k], expected[k], 1e-4) << k;
  }
};

TEST_P(ConvolutionTest, GivesTheSumsOfProducts) {
  const Array x = make({1, 2, 3, 4}), y = make({1, -1, 2});
  expect_near(convolve_fft(x, y), {1, 1, 3, 5, 2, 8});
  expect_near(convolve_fft(x, y, Overlap::same), {1, 3, 5, 2});
  expect_near(convolve_fft(x, y, Overlap::valid), {3, 5});
  expect_near(convolve_fft(y, x, Overlap::valid), {3, 5});
}

TEST_P(ConvolutionTest, TakesSeveralAxes) {
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  const Array x = Array::from(values.data(), {2, 3}, Scalar::float32, here());
  const Array y = Array::from(values.data(), {1, 2}, Scalar::float32, here());
  expect_near(convolve_fft(x, y), {1, 4, 7, 6, 4, 13, 16, 12});
}

TEST_P(ConvolutionTest, RefusesWhatHasNoPlaces) {
  const Array x = make({1, 2, 3});
  EXPECT_THROW(convolve_fft(x, Array::from(std::vector<float>{}, here())), ShapeError);
  const std::vector<float> values(6);
  const Array wide = Array::from(values.data(), {1, 6}, Scalar::float32, here());
  const Array tall = Array::from(values.data(), {6, 1}, Scalar::float32, here());
  EXPECT_THROW(convolve_fft(x, wide), ShapeError);
  EXPECT_THROW(convolve_fft(wide, tall, Overlap::valid), ShapeError);
}

TEST(FastLengthTest, IsTheNextProductOfSmallPrimes) {
  const auto is_fast = [](std::int64_t n) {
    for (const std::int64_t prime : {2, 3, 5, 7, 11})
      while (n % prime == 0) n /= prime;
    return n == 1;
  };
  for (std::int64_t n = 1; n <= 3000; ++n) {
    std::int64_t expected = n;
    while (!is_fast(expected)) ++expected;
    ASSERT_EQ(fast_length(n), expected) << n;
  }
  EXPECT_EQ(fast_length(1 << 20), 1 << 20);
  EXPECT_THROW(fast_length(0), InvalidArgument);
}

INSTANTIATE_TEST_SUITE_P(Devices, ConvolutionTest, array::each_device(), array::device_test_name);

}  // namespace
}  // namespace treadle::fft
