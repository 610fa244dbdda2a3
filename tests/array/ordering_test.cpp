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

TEST_P(OrderingTest, TakesTheFirstOfRowsAndOfColumns) {
  const Array x = reshape(make({4, 3, -1, 2, 8, 5}), {2, 3});
  const TopK rows = top_k(x, 2), columns = top_k(x, 1, {.axis = 0, .is_largest = false});
  expect(rows.values, {4, 3, 8, 5});
  expect(columns.values, {2, 3, -1});
  EXPECT_EQ(top_k(x, 0).values.size(), 0);
  EXPECT_THROW(top_k(x, 4), InvalidArgument);
  if (!runs_kernels()) return;
  EXPECT_EQ(rows.indices.as<std::int64_t>(), (std::vector<std::int64_t>{0, 1, 1, 2}));
  EXPECT_EQ(columns.indices.as<std::int64_t>(), (std::vector<std::int64_t>{1, 0, 0}));
}

TEST_P(OrderingTest, MergesWhatIsSorted) {
  expect(merged(make({1, 3, 3, 8}), make({0, 3, 9})), {0, 1, 3, 3, 3, 8, 9});
  expect(merged(make({}), make({2})), {2});
  EXPECT_THROW(merged(reshape(make({1, 2}), {1, 2}), make({1})), ShapeError);
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
