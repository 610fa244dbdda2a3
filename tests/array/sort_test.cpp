// SPDX-License-Identifier: MIT
// Arrays sorted in place; tests/kernel/sort_test.cpp tests lengths, dtypes and schedules.
#include "treadle/array/sort.hpp"

#include "array/each_array_device.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/elementwise.hpp"
#include "treadle/array/manipulation.hpp"

namespace treadle::array {
namespace {

class SortedArrayTest : public OnEachArrayDevice {
 protected:
  Array made(const std::vector<float>& values, const Shape& shape) {
    return reshape(make(values), shape);
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, SortedArrayTest, each_device(), device_test_name);

TEST_P(SortedArrayTest, EveryAxisIsSorted) {
  const std::vector<float> values{4, 3, 1, 2, 8, 5, 7, 6};
  const Array rows = made(values, {2, 4}), columns = made(values, {2, 4});
  sort(rows, {}, -1);
  expect(rows, {1, 2, 3, 4, 5, 6, 7, 8});
  sort(columns, {}, 0);
  expect(columns, values);  // each column was in order
}

TEST_P(SortedArrayTest, PendingArraysAndViewsAreSorted) {
  const Array x = made({4, 3, 1, 2, 8, 5, 7, 6}, {8});
  const Array pending = x * 2;
  const Array before = pending + 0;  // reads it, and is computed before it changes
  sort(pending);
  expect(pending, {2, 4, 6, 8, 10, 12, 14, 16});
  expect(before, {8, 6, 2, 4, 16, 10, 14, 12});
  const Array every_second = x.at({{Index::Kind::slice, std::nullopt, std::nullopt, 2}});
  sort(every_second);
  expect(x, {1, 3, 4, 2, 7, 5, 8, 6});
}

TEST_P(SortedArrayTest, WhatIsCarriedGoesAlong) {
  const Array x = made({4, 3, 1, 2}, {4}), places = made({0, 1, 2, 3}, {4});
  sort(x, places);
  expect(places, {2, 3, 1, 0});
}

TEST_P(SortedArrayTest, ArraysOfOneElementOrNoneStay) {
  for (const Shape& shape : {Shape{}, Shape{1}, Shape{0}, Shape{3, 1}, Shape{4, 0}})
    EXPECT_NO_THROW(sort(full(shape, 1.5, Scalar::float32, here()), {}, -1));
}

TEST_P(SortedArrayTest, RefusesWhatDoesNotGoTogether) {
  const Array x = made({4, 3, 1, 2}, {4});
  EXPECT_THROW(sort(made({1, 2, 3}, {3})), InvalidArgument);
  EXPECT_THROW(sort(x, made({1, 2}, {2})), ShapeError);
  EXPECT_THROW(sort(x, x), InvalidArgument);
  EXPECT_THROW(sort(x, {}, 1), IndexError);
  EXPECT_THROW(sort(broadcast_to(x, {2, 4})), InvalidArgument);
}

}  // namespace
}  // namespace treadle::array
