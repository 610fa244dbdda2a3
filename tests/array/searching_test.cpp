// SPDX-License-Identifier: MIT
// Places among sorted elements; tests/python/searching_test.py has them beside NumPy.
#include "treadle/array/searching.hpp"

#include "array/each_array_device.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/elementwise.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/base/error.hpp"

namespace treadle::array {
namespace {

class SearchingTest : public OnEachArrayDevice {
 protected:
  void expect_places(const Array& places, const std::vector<std::int64_t>& expected) {
    if (!runs_kernels()) return;
    EXPECT_EQ(places.as<std::int64_t>(), expected);
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, SearchingTest, each_device(), device_test_name);

TEST_P(SearchingTest, PlacesAreOnEitherSideOfEqualElements) {
  const Array among = make({1, 2, 2, 5}), x = make({2, 0, 9});
  expect_places(searchsorted(among, x), {1, 0, 4});
  expect_places(searchsorted(among, x, SearchSide::right), {3, 0, 4});
  if (!runs_kernels()) return;
  expect_places(digitize(x, flip(make({1, 2, 5}))), {1, 3, 0});
  EXPECT_EQ(interp(make({0, 3, 9}), make({2, 4}), make({10, 20})).as<double>(),
            (std::vector<double>{10, 15, 20}));
}

TEST_P(SearchingTest, RefusesWhatHasNoOrder) {
  const Array x = make({1, 2, 3, 4});
  EXPECT_THROW(searchsorted(reshape(x, {2, 2}), x), ShapeError);
  EXPECT_THROW(interp(x, x, make({1})), ShapeError);
  EXPECT_THROW(interp(make_complex(x, x), x, x), DTypeError);
  EXPECT_THROW(digitize(x, make_complex(x, x)), DTypeError);
  EXPECT_THROW(interp(x, x, x, {.period = 0}), InvalidArgument);
}

}  // namespace
}  // namespace treadle::array
