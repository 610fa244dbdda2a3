// SPDX-License-Identifier: MIT
// Medians and quantiles; tests/python/order_statistics_test.py has them beside NumPy.
#include "treadle/array/order_statistics.hpp"

#include <cmath>
#include <cstdint>

#include "array/each_array_device.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/elementwise.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/base/error.hpp"

namespace treadle::array {
namespace {

class OrderStatisticsTest : public OnEachArrayDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, OrderStatisticsTest, each_device(), device_test_name);

TEST_P(OrderStatisticsTest, NumbersLieAtPlacesOfTheOrder) {
  const Array x = reshape(make({4, 1, 3, 2, 9, 7}), {2, 3});
  expect(median(x, {.axes = 1}), {3, 7});
  expect(median(x), {3.5});
  const double fractions[] = {0, 0.25, 1};
  expect(quantile(x, fractions), {1, 2.25, 9});
  expect(quantile(x, fractions, {.method = QuantileMethod::lower}), {1, 2, 9});
}

TEST_P(OrderStatisticsTest, RefusesWhatIsNoFraction) {
  const double wrong[] = {-0.5};
  EXPECT_THROW(quantile(make({1, 2}), wrong), InvalidArgument);
  const double half[] = {0.5};
  EXPECT_THROW(quantile(make_complex(make({1}), make({2})), half), DTypeError);
}

TEST_P(OrderStatisticsTest, ElementsKeepTheirDtype) {
  const double half[] = {0.5};
  const Array large = full({2}, (std::int64_t{1} << 53) + 1, Scalar::int64, here());
  const Array found = quantile(large, half, {.method = QuantileMethod::higher});
  EXPECT_EQ(found.dtype(), Scalar::int64);
  EXPECT_EQ(quantile(large, half).dtype(), Scalar::float64);
  if (!runs_kernels()) return;
  EXPECT_EQ(found.as<std::int64_t>()[0], (std::int64_t{1} << 53) + 1);
}

TEST_P(OrderStatisticsTest, OfNoElementsTheyAreNan) {
  const double half[] = {0.5};
  const Array none = empty({0, 2}, Scalar::float32, here());
  expect(cast(isnan(median(none, {.axes = 0})), Scalar::float32), {1, 1});
  expect(cast(isnan(median(none)), Scalar::float32), {1});
  expect(median(none, {.axes = 1}), {});
  EXPECT_EQ(quantile(none, half, {.axes = 0, .ignores_nan = true}).shape()[1], 2);
  EXPECT_THROW(quantile(none, half, {.axes = 0}), IndexError);
  EXPECT_EQ(quantile(none, half, {.axes = 1}).size(), 0);
}

TEST_P(OrderStatisticsTest, MediansOfComplexNumbersAndOfHalves) {
  const float nan = std::nanf("");
  const Array x = make_complex(make({3, 1, 2, 1}), make({0, 2, 0, 1}));
  expect(real_part(median(x)), {1.5f});
  expect(imaginary_part(median(x)), {1});
  const Array with_nan = make_complex(make({3, nan, 1}), make({0, 2, 5}));
  expect(cast(isnan(median(with_nan)), Scalar::float32), {1});
  expect(imaginary_part(median(with_nan, {.ignores_nan = true})), {2.5f});
  expect(cast(median(cast(make({60000, 65000}), Scalar::float16)), Scalar::float32), {62496});
}

}  // namespace
}  // namespace treadle::array
