// SPDX-License-Identifier: MIT
#include "treadle/sparse/lsqr.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "sparse/small_matrix.hpp"
#include "treadle/base/error.hpp"

namespace treadle::sparse {
namespace {

class LsqrTest : public SparseTest {};
INSTANTIATE_TEST_SUITE_P(Devices, LsqrTest, each_device(), device_test_name);

TEST_P(LsqrTest, SolvesAndFitsALine) {
  const device::StreamScope scope(shared_stream());
  const LsqrSolution exact = lsqr(small(), make({7, 6, 7}));
  EXPECT_EQ(exact.end, LsqrEnd::solved);
  EXPECT_NEAR(exact.x.as<float>()[2], 3, 1e-4);
  // 1 + 2 t at t = 0, 1, 2, 3, with errors that are orthogonal to all lines.
  const CsrMatrix line(make({1, 1, 1, 1, 2, 1, 3}),
                       array::cast(make({0, 0, 1, 0, 1, 0, 1}), Scalar::int32),
                       array::cast(make({0, 1, 3, 5, 7}), Scalar::int64), {4, 2});
  const LsqrSolution found = lsqr(line, make({1.1f, 2.7f, 5.3f, 6.9f}), {.has_variances = true});
  EXPECT_EQ(found.end, LsqrEnd::least_squares);
  const std::vector<float> x = found.x.as<float>();
  EXPECT_NEAR(x[0], 1.0, 1e-3);
  EXPECT_NEAR(x[1], 2.0, 1e-3);
  EXPECT_NEAR(found.variances.as<float>()[0], 0.7, 0.02);
}

TEST_P(LsqrTest, RefusesWhatDoesNotFit) {
  const device::StreamScope scope(shared_stream());
  EXPECT_THROW(lsqr(small(), make({1, 2})), ShapeError);
  EXPECT_THROW(lsqr([](const Array& x) { return x; }, make({1, 2})), NotSupported);
  EXPECT_THROW(lsqr(small(), make({1, 2, 3}), {.damping = -1}), InvalidArgument);
  EXPECT_EQ(lsqr(small(), make({0, 0, 0})).end, LsqrEnd::zero);
}

}  // namespace
}  // namespace treadle::sparse
