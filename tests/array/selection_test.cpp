// SPDX-License-Identifier: MIT
// Elements under masks; tests/python/selection_test.py has them beside NumPy.
#include "treadle/array/selection.hpp"

#include "array/each_array_device.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/base/error.hpp"

namespace treadle::array {
namespace {

class SelectionTest : public OnEachArrayDevice {
 protected:
  std::vector<std::int64_t> numbers(const Array& x) { return x.as<std::int64_t>(); }
};
INSTANTIATE_TEST_SUITE_P(Devices, SelectionTest, each_device(), device_test_name);

TEST_P(SelectionTest, WhatIsChosenHasThatLength) {
  const Array x = make({5, -1, 0, 7});
  if (!runs_kernels()) return;
  expect(selected(x, x > 0), {5, 7});
  expect(extract(x, x), {5, -1, 7});
  expect(compress(make({0, 1}), reshape(x, {2, 2}), 1), {-1, 7});
  EXPECT_EQ(numbers(flatnonzero(x)), (std::vector<std::int64_t>{0, 1, 3}));
  EXPECT_EQ(numbers(argwhere(reshape(x, {2, 2}))), (std::vector<std::int64_t>{0, 0, 0, 1, 1, 1}));
  expect(without(x, x > 5), {5, -1, 0});
}

TEST_P(SelectionTest, WithACapacityNothingIsWaitedFor) {
  const Array x = make({5, -1, 0, 7});
  const Counted few = selected(x, x > -1, {2}), many = flatnonzero(x, {5});
  expect(few.values, {5, 0});
  if (!runs_kernels()) return;
  EXPECT_EQ(numbers(few.count), (std::vector<std::int64_t>{3}));
  EXPECT_EQ(numbers(many.values), (std::vector<std::int64_t>{0, 1, 3, 0, 0}));
}

TEST_P(SelectionTest, RefusesWhatDoesNotFit) {
  const Array x = make({5, -1, 0, 7});
  EXPECT_THROW(selected(x, x), DTypeError);
  EXPECT_THROW(selected(x, make({1, 2}) > 0), IndexError);
  EXPECT_THROW(selected(reshape(x, {2, 2}), make({1, 2}) > 0, {4}), ShapeError);
  EXPECT_THROW(flatnonzero(x, {-1}), InvalidArgument);
  EXPECT_THROW(compress(reshape(x, {2, 2}), x), ShapeError);
  EXPECT_THROW(nonzero(full({}, 1.0, Scalar::float32, here())), ShapeError);
}

}  // namespace
}  // namespace treadle::array
