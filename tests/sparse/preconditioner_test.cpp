// SPDX-License-Identifier: MIT
#include "treadle/sparse/preconditioner.hpp"

#include <gtest/gtest.h>

#include "sparse/small_matrix.hpp"
#include "treadle/base/error.hpp"
#include "treadle/linalg/decomposition.hpp"
#include "treadle/sparse/conjugate_gradients.hpp"

namespace treadle::sparse {
namespace {

class PreconditionerTest : public SparseTest {};
INSTANTIATE_TEST_SUITE_P(Devices, PreconditionerTest, each_device(), device_test_name);

TEST_P(PreconditionerTest, IsAboutTheInverse) {
  const device::StreamScope scope(shared_stream());
  const CsrMatrix a = small();
  expect(jacobi(a).apply(make({4, 6, 8})), {1, 2, 4});
  expect(chebyshev(a, 1, 0.5).apply(make({0, 0, 0})), {0, 0, 0});
  const Array b = make({7, 6, 7});
  const Solution found = conjugate_gradients(
      a, b, {.relative_tolerance = 1e-6, .preconditioner = chebyshev(a, 20, 0.2)});
  EXPECT_EQ(found.end, SolverEnd::converged);
  EXPECT_LE(found.iterations, 2);
  try {
    // One block is the whole matrix, and rows that it has beyond that count as ones.
    const Solution exact = conjugate_gradients(
        a, b, {.relative_tolerance = 1e-5, .preconditioner = block_jacobi(a, 4)});
    EXPECT_EQ(exact.iterations, 1);
    expect(block_jacobi(a, 1).apply(make({4, 6, 8})), {1, 2, 4});
  } catch (const LibraryNotFound&) {
    GTEST_SKIP() << "no LAPACK";
  }
}

TEST_P(PreconditionerTest, RefusesWhatHasNone) {
  const device::StreamScope scope(shared_stream());
  const CsrMatrix hollow = small().with_data(make({0, 1, 3, 1, 2}));
  EXPECT_THROW(jacobi(hollow), InvalidArgument);
  EXPECT_THROW(chebyshev(small(), 0), InvalidArgument);
  EXPECT_THROW(block_jacobi(small(), 0), InvalidArgument);
  EXPECT_THROW(jacobi(small().rows_between(0, 2)), ShapeError);
}

}  // namespace
}  // namespace treadle::sparse
