// SPDX-License-Identifier: MIT
// Sorts of arrays; tests/python/sorting_test.py has them beside NumPy.
#include "treadle/array/ordering.hpp"

#include <limits>

#include "array/each_array_device.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/base/error.hpp"

namespace treadle::array {
namespace {

class OrderingTest : public OnEachArrayDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, OrderingTest, each_device(), device_test_name);

TEST_P(OrderingTest, RowsAreSortedEitherWay) {
  const Array x = reshape(make({4, 3, -1, 2, 8, 5}), {2, 3});
  expect(sorted(x), {-1, 3, 4, 2, 5, 8});
  expect(sorted(x, {.axis = 0}), {2, 3, -1, 4, 8, 5});
  expect(sorted(x, {.axis = {}, .is_descending = true}), {8, 5, 4, 3, 2, -1});
  if (!runs_kernels()) return;
  EXPECT_EQ(argsort(x).as<std::int64_t>(), (std::vector<std::int64_t>{2, 1, 0, 0, 2, 1}));
  sort_in_place(x);
  expect(x, {-1, 3, 4, 2, 5, 8});
}

TEST_P(OrderingTest, SeveralKeysCountFromTheLast) {
  const Array keys[] = {make({3, 1, 2, 0}), make({1, 0, 0, 1})};
  const Array order = lexsort(keys);
  if (!runs_kernels()) return;
  EXPECT_EQ(order.as<std::int64_t>(), (std::vector<std::int64_t>{1, 2, 3, 0}));
}

TEST_P(OrderingTest, RefusesWhatHasNoOrder) {
  const Array x = make({4, 3, -1, 2});
  EXPECT_THROW(sorted(x, {.axis = 1}), IndexError);
  EXPECT_THROW(sort_in_place(broadcast_to(x, {2, 4})), InvalidArgument);
  EXPECT_THROW(lexsort({}), InvalidArgument);
  const Array keys[] = {x, reshape(x, {2, 2})};
  EXPECT_THROW(lexsort(keys), ShapeError);
}

}  // namespace
}  // namespace treadle::array
