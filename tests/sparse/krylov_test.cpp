// SPDX-License-Identifier: MIT
#include "treadle/sparse/krylov.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "sparse/small_matrix.hpp"
#include "treadle/base/error.hpp"

namespace treadle::sparse {
namespace {

class KrylovTest : public SparseTest {
 protected:
  void expect_solved(const Solution& found) {
    EXPECT_EQ(found.end, SolverEnd::converged);
    EXPECT_LE(found.iterations, 3);
    const std::vector<float> x = found.x.as<float>();
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(x[k], static_cast<float>(k + 1), 1e-4);
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, KrylovTest, each_device(), device_test_name);

TEST_P(KrylovTest, Solves) {
  const device::StreamScope scope(shared_stream());
  const CsrMatrix a = small();
  const Array b = make({7, 6, 7});
  expect_solved(bicgstab(a, b, {.relative_tolerance = 1e-5}));
  expect_solved(gmres(a, b, {.relative_tolerance = 1e-5}));
  expect_solved(minres(a, b, {.relative_tolerance = 1e-6}));
  expect_solved(gmres(a, b, {.relative_tolerance = 1e-5, .check_every = 2}));
  expect_solved({.x = shifted_inverse(a, 0, 1e-6).apply(b),
                 .iterations = 0,
                 .residual = 0,
                 .end = SolverEnd::converged});
}

TEST_P(KrylovTest, TellsWhyItEnds) {
  const device::StreamScope scope(shared_stream());
  const Array b = make({1, 2, 3});
  const auto nan = [](const Array& x) { return x * std::numeric_limits<float>::quiet_NaN(); };
  EXPECT_EQ(bicgstab(nan, b).end, SolverEnd::not_a_number);
  EXPECT_EQ(gmres(nan, b).end, SolverEnd::not_a_number);
  EXPECT_EQ(minres(nan, b).end, SolverEnd::not_a_number);
  // Of a rotation by a right angle the residual is orthogonal to its product.
  const Array turn = make({-1, 1});
  const auto rotate = [&](const Array& x) { return turn * x.at({Index{.step = -1}}); };
  EXPECT_EQ(bicgstab(rotate, make({1, 0})).end, SolverEnd::breakdown);
  EXPECT_EQ(gmres(rotate, make({1, 0}), {.restart = 1}).end, SolverEnd::stagnation);
  const auto turned = [](const Array& x) { return -x; };
  EXPECT_EQ(minres(small(), b, {.preconditioner = turned}).end, SolverEnd::not_definite);
  EXPECT_THROW(gmres(small(), b, {.restart = 0}), InvalidArgument);
  EXPECT_THROW(minres(small(), b, {.absolute_tolerance = 1}), InvalidArgument);
  EXPECT_THROW(bicgstab(small(), make({1, 2})), ShapeError);
}

}  // namespace
}  // namespace treadle::sparse
