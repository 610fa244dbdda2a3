// SPDX-License-Identifier: MIT
#include "treadle/array/cumulative.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "array/each_array_device.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/evaluate.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/base/error.hpp"

namespace treadle::array {
namespace {

class ArrayCumulativeTest : public OnEachArrayDevice {
 protected:
  Array matrix() { return reshape(make(count_up(6)), {2, 3}); }
};
INSTANTIATE_TEST_SUITE_P(Devices, ArrayCumulativeTest, each_device(), device_test_name);

TEST_P(ArrayCumulativeTest, SumsAlongAnAxisOrOfAll) {
  const device::StreamScope scope(shared_stream());
  const Array x = matrix();
  expect(cumulative_sum(x), {0, 1, 3, 6, 10, 15});
  expect(cumulative_sum(x, {.axes = 1}), {0, 1, 3, 3, 7, 12});
  const Array down = cumulative_sum(x, {.axes = 0});
  expect(down, {0, 1, 2, 3, 5, 7});
  EXPECT_TRUE(down.layout().is_contiguous(4));
  expect(cumulative_sum(transpose(x), {.axes = -1}), {0, 3, 1, 5, 2, 7});
  expect(cumulative_sum(x * 2 + 1, {.axes = 1}), {1, 4, 9, 7, 16, 27});
  expect(cumulative_prod(flip(x) + 1, {.axes = 1}), {6, 30, 120, 3, 6, 6});
}

TEST_P(ArrayCumulativeTest, InitialsDtypesAndOut) {
  const device::StreamScope scope(shared_stream());
  const Array x = matrix();
  expect(cumulative_sum(x, {.axes = 1, .initial = 10}), {10, 10, 11, 13, 10, 13, 17, 22});
  const Array small = cast(x, Scalar::int8);
  EXPECT_EQ(cumulative_sum(small).dtype(), DType(Scalar::int64));
  EXPECT_EQ(cumulative_sum(small, {.dtype = Scalar::int8}).dtype(), DType(Scalar::int8));
  const Array out = zeros({6}, Scalar::float64, here());
  const Array same = cumulative_sum(x, {.out = &out});
  if (runs_kernels()) {
    EXPECT_EQ(out.as<double>(), (std::vector<double>{0, 1, 3, 6, 10, 15}));
  }
  EXPECT_EQ(cumulative_sum(zeros({2, 0}, Scalar::float32, here()), {.axes = 1}).size(), 0);
}

TEST_P(ArrayCumulativeTest, RefusesWhatItDoesNotTake) {
  const Array x = matrix();
  EXPECT_THROW(cumulative_sum(x, {.axes = 2}), IndexError);
  EXPECT_THROW(cumulative_sum(x, {.axes = {0, 1}}), InvalidArgument);
  EXPECT_THROW(cumulative_sum(x, {.keeps_axes = true}), InvalidArgument);
  const Array out = zeros({5}, Scalar::float32, here());
  EXPECT_THROW(cumulative_sum(x, {.out = &out}), ShapeError);
}

TEST_P(ArrayCumulativeTest, DifferencesAndIntegralsOfNeighbours) {
  const device::StreamScope scope(shared_stream());
  const Array x = reshape(make({0, 1, 4, 9, 16, 25}), {2, 3});
  expect(ravel(diff(x)), {1, 3, 7, 9});
  expect(ravel(diff(x, 2)), {2, 2});
  expect(ravel(diff(x, 1, 0)), {9, 15, 21});
  expect(ravel(diff(x, 0)), {0, 1, 4, 9, 16, 25});
  EXPECT_THROW(diff(x, -1), InvalidArgument);
  EXPECT_THROW(diff(x, 1, 2), IndexError);
  expect(trapezoid(x, 2.0), {6, 66});
  expect(trapezoid_at(x, make({0, 1, 3})), {5.5f, 53.5f});
  expect(trapezoid(x, 1.0, 0), {4.5f, 8.5f, 14.5f});
}

}  // namespace
}  // namespace treadle::array
