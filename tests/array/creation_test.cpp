// SPDX-License-Identifier: MIT
// Arrays that are made of no other array.
#include "treadle/array/creation.hpp"

#include "array/each_array_device.hpp"

namespace treadle::array {
namespace {

class CreationTest : public OnEachArrayDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, CreationTest, each_device(), device_test_name);

TEST_P(CreationTest, CreationFunctions) {
  const device::StreamScope scope(shared_stream());
  expect(arange(0, 10, 3, Scalar::float32, here()), {0, 3, 6, 9});
  expect(arange(5, 0, -2, Scalar::float32, here()), {5, 3, 1});
  expect(arange(5, 0, 1, Scalar::float32, here()), {});
  expect(linspace(0, 1, 5, true, Scalar::float32, here()), {0, .25f, .5f, .75f, 1});
  expect(eye(2, 3, 1, Scalar::float32, here()), {0, 1, 0, 0, 0, 1});
  expect(cast(logspace(0, 3, 4, true, 2, here()), Scalar::float32), {1, 2, 4, 8});
  expect(cast(geomspace(-1, -100, 3, true, here()), Scalar::float32), {-1, -10, -100});
  EXPECT_THROW(geomspace(-1, 1, 3, true, here()), InvalidArgument);
  EXPECT_THROW(arange(0, 1, 0, Scalar::float32, here()), InvalidArgument);
  EXPECT_THROW(full({2}, 300, Scalar::uint8, here()), OverflowError);
}

}  // namespace
}  // namespace treadle::array
