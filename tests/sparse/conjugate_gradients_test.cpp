// SPDX-License-Identifier: MIT
#include "treadle/sparse/conjugate_gradients.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "sparse/small_matrix.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/base/error.hpp"

namespace treadle::sparse {
namespace {

class CgTest : public SparseTest {};
INSTANTIATE_TEST_SUITE_P(Devices, CgTest, each_device(), device_test_name);

TEST_P(CgTest, Solves) {
  const device::StreamScope scope(shared_stream());
  const CsrMatrix a = small();
  const auto times = [&](const Array& x) { return a.multiply(x); };
  const Array b = array::cast(make({7, 6, 7}), Scalar::float64);
  const Solution found = conjugate_gradients(times, b, {.relative_tolerance = 1e-12});
  EXPECT_EQ(found.end, SolverEnd::converged);
  EXPECT_LE(found.iterations, 3);
  const std::vector<double> x = found.x.as<double>();
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(x[k], static_cast<double>(k + 1), 1e-9);
  EXPECT_THROW(conjugate_gradients(times, b, {.relative_tolerance = -1}), InvalidArgument);
}

TEST_P(CgTest, KernelsDoWhatOperationsDo) {
  const device::StreamScope scope(shared_stream());
  const CsrMatrix a = small();
  const auto times = [&](const Array& x) { return a.multiply(x); };
  const LinearOperator factors = LinearOperator::diagonal(make({0.25, 0.5, 0.5}));
  const LinearOperator function = [&](const Array& r) { return factors.apply(r); };
  const Array b = make({7, 6, 7});
  for (const bool has_factor : {false, true}) {
    SolverOptions options{.relative_tolerance = 1e-4};
    if (has_factor) options.preconditioner = factors;
    const Solution one = conjugate_gradients(a, b, options);
    if (has_factor) options.preconditioner = function;
    const Solution other = conjugate_gradients(times, b, options);
    EXPECT_EQ(one.iterations, other.iterations);
    EXPECT_EQ(one.end, SolverEnd::converged);
    EXPECT_NEAR(one.x.as<float>()[2], 3, 1e-3);
  }
  EXPECT_EQ(conjugate_gradients(a, make({0, 0, 0})).iterations, 0);
  const CsrMatrix minus = a.with_data(-a.data());
  EXPECT_EQ(conjugate_gradients(minus, b).end, SolverEnd::not_definite);
  const CsrMatrix nan = a.with_data(a.data() * std::numeric_limits<float>::quiet_NaN());
  EXPECT_EQ(conjugate_gradients(nan, b).end, SolverEnd::not_a_number);
}

TEST_P(CgTest, TellsWhyItEnds) {
  const device::StreamScope scope(shared_stream());
  const Array b = make({1, 2, 3});
  const Array signs = make({1, -1, 2});
  const auto indefinite = [&](const Array& x) { return x * signs; };
  EXPECT_EQ(conjugate_gradients(indefinite, b, {}).end, SolverEnd::not_definite);
  const auto nan = [](const Array& x) { return x * std::numeric_limits<float>::quiet_NaN(); };
  EXPECT_EQ(conjugate_gradients(nan, b, {}).end, SolverEnd::not_a_number);
  const CsrMatrix a = small();
  const auto times = [&](const Array& x) { return a.multiply(x); };
  const Solution cut = conjugate_gradients(times, b, {.most_iterations = 1});
  EXPECT_EQ(cut.end, SolverEnd::iterations);
  EXPECT_EQ(cut.iterations, 1);
}

TEST_P(CgTest, SolvesColumnsAndIteratesInFloat32) {
  const device::StreamScope scope(shared_stream());
  const CsrMatrix a = small().with_data(array::cast(small().data(), Scalar::float64));
  const Array columns =
      array::cast(array::reshape(make({7, 5, 0, 6, 3, 0, 7, 3, 0}), {3, 3}), Scalar::float64);
  const Solution several = conjugate_gradients(a, columns, {.relative_tolerance = 1e-12});
  EXPECT_EQ(several.end, SolverEnd::converged);
  ASSERT_EQ(several.columns.size(), 3u);
  EXPECT_NEAR(several.x.as<double>()[6], 3, 1e-9);
  const Array b = columns.at({Index::all(), Index::at(0)});
  const Solution mixed =
      conjugate_gradients(a, b, {.relative_tolerance = 1e-12, .inner_dtype = Scalar::float32});
  EXPECT_EQ(mixed.end, SolverEnd::converged);
  EXPECT_NEAR(mixed.x.as<double>()[1], 2, 1e-10);
  EXPECT_EQ(mixed.x.dtype(), Scalar::float64);
}

TEST_P(CgTest, TellsThatTheResidualStays) {
  const device::StreamScope scope(shared_stream());
  const Solution found =
      conjugate_gradients(small(), make({0.1f, 0.3f, 0.7f}), {.relative_tolerance = 1e-12});
  EXPECT_TRUE(found.end == SolverEnd::stagnation || found.end == SolverEnd::not_definite ||
              found.residual <= 1e-11);
}

}  // namespace
}  // namespace treadle::sparse
