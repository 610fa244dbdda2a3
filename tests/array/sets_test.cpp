// SPDX-License-Identifier: MIT
// Arrays as sets; tests/python/searching_test.py has them beside NumPy.
#include "treadle/array/sets.hpp"

#include "array/each_array_device.hpp"

namespace treadle::array {
namespace {

class SetsTest : public OnEachArrayDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, SetsTest, each_device(), device_test_name);

TEST_P(SetsTest, EachValueIsThereOnce) {
  if (!runs_kernels()) GTEST_SKIP() << "it computes nothing";
  const Array x = make({3, 1, 3, 2}), y = make({2, 7, 3});
  const Unique found = unique(x, {.has_indices = true, .has_inverse = true, .has_counts = true});
  expect(found.values, {1, 2, 3});
  EXPECT_EQ(found.indices.as<std::int64_t>(), (std::vector<std::int64_t>{1, 3, 0}));
  EXPECT_EQ(found.inverse.as<std::int64_t>(), (std::vector<std::int64_t>{2, 0, 2, 1}));
  EXPECT_EQ(found.counts.as<std::int64_t>(), (std::vector<std::int64_t>{1, 1, 2}));
  expect(union1d(x, y), {1, 2, 3, 7});
  const Intersection both = intersect1d(x, y);
  expect(both.values, {2, 3});
  EXPECT_EQ(both.second.as<std::int64_t>(), (std::vector<std::int64_t>{0, 2}));
  expect(setdiff1d(x, y), {1});
  expect(setxor1d(x, y), {1, 7});
  EXPECT_EQ(isin(x, y).as<bool>(), (std::vector<bool>{true, false, true, true}));
}

TEST_P(SetsTest, PartsAreComparedElementByElement) {
  if (!runs_kernels()) GTEST_SKIP() << "it computes nothing";
  const Array x = reshape(make({2, 1, 0, 5, 2, 1}), {3, 2});
  const Unique found = unique(x, {.has_inverse = true, .has_counts = true, .axis = 0});
  expect(found.values, {0, 5, 2, 1});
  EXPECT_EQ(found.inverse.as<std::int64_t>(), (std::vector<std::int64_t>{1, 0, 1}));
  EXPECT_EQ(found.counts.as<std::int64_t>(), (std::vector<std::int64_t>{1, 2}));
  EXPECT_THROW(unique(x, {.axis = 2}), IndexError);
}

}  // namespace
}  // namespace treadle::array
