// SPDX-License-Identifier: MIT
// Arrays that are made of no other array.
#include "treadle/array/creation.hpp"

#include <complex>
#include <cstdint>
#include <limits>

#include "array/each_array_device.hpp"
#include "treadle/array/manipulation.hpp"

namespace treadle::array {
namespace {

class CreationTest : public OnEachArrayDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, CreationTest, each_device(), device_test_name);

TEST_P(CreationTest, CreationFunctions) {
  const device::StreamScope scope(shared_stream());
  expect(arange(0, 10, 3, Scalar::float32, here()), {0, 3, 6, 9});
  expect(arange(5, 0, -2, Scalar::float32, here()), {5, 3, 1});
  expect(arange(5, 0, 1, Scalar::float32, here()), {});
  // The first two are stored as they are: infinities, whose distance is no number.
  const std::int64_t least = std::numeric_limits<std::int64_t>::min();
  const Array infinite = arange(least, least + 6, 2, Scalar::float16, here());
  expect(cast(isinf(infinite), Scalar::float32), {1, 1, 0});
  expect(linspace(0, 1, 5, true, Scalar::float32, here()), {0, .25f, .5f, .75f, 1});
  const std::complex<double> corner(1, -2);
  const Array line = linspace(0.0, corner, 3, true, Scalar::complex64, here());
  if (runs_kernels()) {
    using Values = std::vector<std::complex<float>>;
    EXPECT_EQ(line.as<std::complex<float>>(), (Values{{0, 0}, {.5f, -1}, {1, -2}}));
  }
  EXPECT_EQ(linspace(corner, 0.0, 3, false, Scalar::complex128, here()).size(), 3);
  const Array ends = reshape(make({4, 8}), {2, 1});
  expect(cast(linspace(make({0, 2}), ends, 3), Scalar::float32),
         {0, 2, 0, 2, 2, 3, 4, 5, 4, 4, 8, 8});
  EXPECT_EQ(linspace(ends, ends, 0).shape()[0], 0);
  EXPECT_THROW(linspace(ends, ends, -1), InvalidArgument);
  expect(eye(2, 3, 1, Scalar::float32, here()), {0, 1, 0, 0, 0, 1});
  expect(cast(logspace(0, 3, 4, true, 2, here()), Scalar::float32), {1, 2, 4, 8});
  expect(cast(geomspace(-1, -100, 3, true, here()), Scalar::float32), {-1, -10, -100});
  EXPECT_THROW(geomspace(-1, 1, 3, true, here()), InvalidArgument);
  EXPECT_THROW(arange(0, 1, 0, Scalar::float32, here()), InvalidArgument);
  EXPECT_THROW(full({2}, 300, Scalar::uint8, here()), OverflowError);
}

TEST_P(CreationTest, OthersLikeAnArray) {
  const device::StreamScope scope(shared_stream());
  const Array x = reshape(make({1, 2, 3, 4}), {2, 2});
  expect(full_like(x, 7), {7, 7, 7, 7});
  expect(cast(zeros_like(x, Scalar::int8), Scalar::float32), {0, 0, 0, 0});
  EXPECT_EQ(ones_like(x).dtype(), Scalar::float32);
  EXPECT_EQ(ones_like(x).shape()[1], 2);
  EXPECT_EQ(empty_like(x).size(), 4);
  expect(identity(2, Scalar::float32), {1, 0, 0, 1});
  expect(tri(2, 3, 1, Scalar::float32), {1, 1, 0, 1, 1, 1});
}

TEST_P(CreationTest, IndicesAndDiagonals) {
  const device::StreamScope scope(shared_stream());
  expect(cast(indices({2, 2}), Scalar::float32), {0, 0, 1, 1, 0, 1, 0, 1});
  EXPECT_THROW(indices({}), ShapeError);
  expect(diag(make({5, 6}), -1), {0, 0, 0, 5, 0, 0, 0, 6, 0});
  expect(diag(reshape(make({1, 2, 3, 4}), {2, 2}), 1), {2});
  EXPECT_THROW(diag(reshape(make({1}), {1, 1, 1})), ShapeError);
}

}  // namespace
}  // namespace treadle::array
