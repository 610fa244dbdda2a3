// SPDX-License-Identifier: MIT
// Windows, convolutions, slopes and steps.
#include "treadle/array/signal.hpp"

#include "array/each_array_device.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/base/error.hpp"

namespace treadle::array {
namespace {

class SignalTest : public OnEachArrayDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, SignalTest, each_device(), device_test_name);

TEST_P(SignalTest, WindowsAreSymmetricAndHighestInTheMiddle) {
  const device::StreamScope scope(shared_stream());
  expect(cast(bartlett(5), Scalar::float32), {0, 0.5, 1, 0.5, 0});
  for (const auto window : {blackman, hamming, hanning}) {
    EXPECT_EQ(window(0, {}).size(), 0);
    expect(cast(window(1, {}), Scalar::float32), {1});
    if (!runs_kernels()) continue;
    const std::vector<double> values = window(7, {}).as<double>();
    EXPECT_NEAR(values[3], 1, 1e-15);
    EXPECT_DOUBLE_EQ(values[1], values[5]);
    EXPECT_LT(values[0], values[1]);
  }
  if (runs_kernels()) {
    const std::vector<double> values = kaiser(3, 2).as<double>();
    EXPECT_NEAR(values[0], 1 / 2.2795853023360673, 1e-14);  // I0(2)
    EXPECT_NEAR(values[1], 1, 1e-15);
  }
}

TEST_P(SignalTest, ConvolvesAndCorrelates) {
  const device::StreamScope scope(shared_stream());
  const Array x = make({1, 2, 3, 4}), y = make({1, 0, -1});
  expect(convolve(x, y), {1, 2, 2, 2, -3, -4});
  expect(convolve(x, y, Overlap::same), {2, 2, 2, -3});
  expect(convolve(y, x, Overlap::valid), {2, 2});
  expect(correlate(x, y), {-2, -2});
  expect(correlate(x, y, Overlap::full), {-1, -2, -2, -2, 3, 4});
  expect(correlate(y, x, Overlap::full), {4, 3, -2, -2, -2, -1});
  EXPECT_EQ(convolve(cast(x, Scalar::int8), cast(y, Scalar::int8)).dtype(), Scalar::int8);
  EXPECT_THROW(convolve(x, make({})), ShapeError);
  EXPECT_THROW(correlate(reshape(x, {2, 2}), y), ShapeError);
}

TEST_P(SignalTest, SlopesAreThoseOfTheNeighbours) {
  const device::StreamScope scope(shared_stream());
  const Array x = make({0, 1, 4, 9, 16});
  expect(gradient(x), {1, 2, 4, 6, 7});
  expect(gradient(x, 2.0, 0, 2), {0, 1, 2, 3, 4});
  const Array places = make({0, 1, 3, 4, 8});
  expect(rint(gradient_at(square(places), places, 0, 2)), {0, 2, 6, 8, 16});
  EXPECT_EQ(gradient(cast(x, Scalar::int16)).dtype(), Scalar::float64);
  EXPECT_THROW(gradient(x, 1.0, 0, 3), InvalidArgument);
  EXPECT_THROW(gradient(make({1, 2}), 1.0, 0, 2), ShapeError);
  EXPECT_THROW(gradient_at(x, make({1, 2})), ShapeError);
  EXPECT_THROW(gradient(x, 1.0, 1), IndexError);
}

TEST_P(SignalTest, StepsOfMoreThanHalfAPeriodAreJumps) {
  const device::StreamScope scope(shared_stream());
  expect(unwrap(make({0, 3, 7, 2, 6, 0}), {.period = 8}), {0, 3, 7, 10, 14, 16});
  const Array whole = unwrap(cast(make({0, 7, 2}), Scalar::int32), {.period = 8});
  EXPECT_EQ(whole.dtype(), Scalar::int32);
  expect(cast(whole, Scalar::float32), {0, -1, 2});
  expect(unwrap(make({0, 4, 0}), {.discontinuity = 5, .period = 8}), {0, 4, 0});
  EXPECT_THROW(unwrap(zeros({3}, Scalar::complex64)), DTypeError);
}

}  // namespace
}  // namespace treadle::array
