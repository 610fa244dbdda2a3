// SPDX-License-Identifier: MIT
// Borders of numbers and of elements; tests/python/array_beside_numpy_test.py has them beside
// NumPy.
#include "treadle/array/padding.hpp"

#include "array/each_array_device.hpp"
#include "treadle/array/manipulation.hpp"

namespace treadle::array {
namespace {

class PaddingTest : public OnEachArrayDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, PaddingTest, each_device(), device_test_name);

TEST_P(PaddingTest, PadPutsABorderAround) {
  const device::StreamScope scope(shared_stream());
  const std::vector<PadWidth> widths{{1, 0}, {0, 2}};
  expect(pad(reshape(make({1, 2}), {1, 2}), widths, 9), {9, 9, 9, 9, 1, 2, 9, 9});
  EXPECT_THROW(pad(make({1}), widths), InvalidArgument);
  const std::vector<PadValues> values = {{5, 6}, {7, 8}};
  const PadWidth around[] = {{1, 1}, {0, 1}};
  expect(pad(reshape(make({1, 2}), {1, 2}), around, values), {5, 5, 8, 1, 2, 8, 6, 6, 8});
  EXPECT_THROW(pad(reshape(make({1}), {1, 1}), around, std::span(values).first(1)),
               InvalidArgument);
}

TEST_P(PaddingTest, PadRepeatsElements) {
  if (!runs_kernels()) GTEST_SKIP() << "it computes nothing";
  const device::StreamScope scope(shared_stream());
  const Array x = make({1, 2, 4});
  const PadWidth widths[] = {{2, 3}};
  expect(pad(x, widths, PadMode::edge), {1, 1, 1, 2, 4, 4, 4, 4});
  expect(pad(x, widths, PadMode::reflect), {4, 2, 1, 2, 4, 2, 1, 2});
  expect(pad(x, widths, PadMode::symmetric), {2, 1, 1, 2, 4, 4, 2, 1});
  expect(pad(x, widths, PadMode::wrap), {2, 4, 1, 2, 4, 1, 2, 4});
  expect(pad(x, widths, PadMode::reflect, {.is_odd = true}), {-2, 0, 1, 2, 4, 6, 7, 8});
  const PadValues ends[] = {{5, 1}};
  expect(pad(x, widths, PadMode::linear_ramp, {.ends = ends}), {5, 3, 1, 2, 4, 3, 2, 1});
  const PadWidth lengths[] = {{1, 2}};
  expect(pad(x, widths, PadMode::mean, {.lengths = lengths}), {1, 1, 1, 2, 4, 3, 3, 3});
  expect(pad(x, widths, PadMode::median), {2, 2, 1, 2, 4, 2, 2, 2});
  const PadWidth too_few[] = {{0, 1}};
  EXPECT_THROW(pad(x, widths, PadMode::maximum, {.lengths = too_few}), InvalidArgument);
  EXPECT_THROW(pad(make({}), widths, PadMode::edge), ShapeError);
  EXPECT_THROW(pad(x, {}, PadMode::edge), InvalidArgument);
}

}  // namespace
}  // namespace treadle::array
