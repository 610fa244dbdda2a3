// SPDX-License-Identifier: MIT
// Medians and quantiles; tests/python/order_statistics_test.py has them beside NumPy.
#include "treadle/array/order_statistics.hpp"

#include "array/each_array_device.hpp"
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
  EXPECT_THROW(median(make({})), ShapeError);
}

}  // namespace
}  // namespace treadle::array
