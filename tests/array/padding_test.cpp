// SPDX-License-Identifier: MIT
// Borders of an array's own elements; tests/python/array_beside_numpy_test.py has them beside
// NumPy.
#include "treadle/array/padding.hpp"

#include "array/each_array_device.hpp"

namespace treadle::array {
namespace {

class PaddingTest : public OnEachArrayDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, PaddingTest, each_device(), device_test_name);

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
