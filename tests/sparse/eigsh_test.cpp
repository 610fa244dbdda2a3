// SPDX-License-Identifier: MIT
#include "treadle/sparse/eigsh.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sparse/small_matrix.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/base/error.hpp"

namespace treadle::sparse {
namespace {

class EigshTest : public SparseTest {};
INSTANTIATE_TEST_SUITE_P(Devices, EigshTest, each_device(), device_test_name);

TEST_P(EigshTest, FindsBothEnds) {
  const device::StreamScope scope(shared_stream());
  const double root = std::sqrt(2.0);  // of 4 0 1 / 0 3 0 / 1 0 2: 3 - root, 3, 3 + root
  const EigshSolution largest = eigsh(small(), 1);
  ASSERT_EQ(largest.values.size(), 1u);
  EXPECT_NEAR(largest.values[0], 3 + root, 1e-5);
  const EigshSolution two =
      eigsh(small(), 3, 2, Scalar::float32, {.choice = EigenChoice::smallest});
  ASSERT_EQ(two.values.size(), 2u);
  EXPECT_NEAR(two.values[0], 3 - root, 1e-5);
  EXPECT_NEAR(two.values[1], 3, 1e-5);
}

TEST_P(EigshTest, RestartsAndLeavesInvariantSpaces) {
  const device::StreamScope scope(shared_stream());
  const Array values = array::arange(0, 60, 1, Scalar::float32, {.stream = shared_stream()});
  const auto diagonal = [&](const Array& x) { return values * x; };
  const EigshSolution found =
      eigsh(diagonal, 60, 3, Scalar::float32, {.choice = EigenChoice::largest, .basis = 8});
  EXPECT_TRUE(found.has_all);
  EXPECT_GT(found.restarts, 0);
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(found.values[k], 57 + static_cast<double>(k), 1e-3);
  const auto twice = [](const Array& x) { return 2 * x; };
  const EigshSolution equal = eigsh(twice, 30, 3, Scalar::float32, {});
  ASSERT_EQ(equal.values.size(), 3u);
  for (const double value : equal.values) EXPECT_NEAR(value, 2, 1e-5);
}

TEST_P(EigshTest, RefusesWhatDoesNotFit) {
  const device::StreamScope scope(shared_stream());
  EXPECT_THROW(eigsh(small(), 3, 3, Scalar::float32, {}), InvalidArgument);
  EXPECT_THROW(eigsh(small(), 4, 1, Scalar::float32, {}), ShapeError);
  EXPECT_THROW(eigsh(small(), 3, 1, Scalar::int32, {}), DTypeError);
  EXPECT_THROW(eigsh(small(), 3, 2, Scalar::float32, {.basis = 2}), InvalidArgument);
}

}  // namespace
}  // namespace treadle::sparse
