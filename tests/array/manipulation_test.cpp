// SPDX-License-Identifier: MIT
// Views.
#include "treadle/array/manipulation.hpp"

#include <complex>

#include "array/each_array_device.hpp"

namespace treadle::array {
namespace {

class ManipulationTest : public OnEachArrayDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, ManipulationTest, each_device(), device_test_name);

TEST_P(ManipulationTest, ViewsOfTheSameMemory) {
  const device::StreamScope scope(shared_stream());
  const Array x = reshape(make(count_up(6)), {2, 3});
  expect(transpose(x) + 0, {0, 3, 1, 4, 2, 5});
  expect(reshape(transpose(x), {-1}), {0, 3, 1, 4, 2, 5});
  expect(flip(x), {5, 4, 3, 2, 1, 0});
  expect(flip(x, 1), {2, 1, 0, 5, 4, 3});
  expect(diagonal(x, 1), {1, 5});
  expect(broadcast_to(x.at({Index::at(1)}), {2, 3}), {3, 4, 5, 3, 4, 5});
  EXPECT_EQ(expand_dims(x, -1).rank(), 3);
  EXPECT_EQ(squeeze(expand_dims(x, 0), 0).layout(), x.layout());
  EXPECT_EQ(moveaxis(x, 0, 1).layout(), swapaxes(x, 0, 1).layout());
  EXPECT_THROW(squeeze(x, 0), ShapeError);
  EXPECT_THROW(flip(x, 2), IndexError);
  EXPECT_THROW(reshape(x, {4}), ShapeError);
  const Array z = x + std::complex<float>(0, 2);
  expect(real_part(z), {0, 1, 2, 3, 4, 5});
  expect(imaginary_part(z), {2, 2, 2, 2, 2, 2});
}

}  // namespace
}  // namespace treadle::array
