// SPDX-License-Identifier: MIT
// Histograms; tests/python/counting_test.py has them beside NumPy.
#include "treadle/array/counting.hpp"

#include "array/each_array_device.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/base/error.hpp"

namespace treadle::array {
namespace {

class CountingTest : public OnEachArrayDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, CountingTest, each_device(), device_test_name);

TEST_P(CountingTest, ElementsAreCountedInTheirBins) {
  if (!runs_kernels()) GTEST_SKIP() << "it computes nothing";
  const Array x = make({0.5, 1, 2, 2.5, 4, 9});
  const Histogram found = histogram(x, {.count = 2, .range = HistogramRange{0, 4}});
  EXPECT_EQ(found.counts.as<std::int64_t>(), (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(found.edges[0].as<float>(), (std::vector<float>{0, 2, 4}));
  const Histogram between = histogram(x, {.edges = make({0, 1, 2})});
  EXPECT_EQ(between.counts.as<std::int64_t>(), (std::vector<std::int64_t>{1, 2}));
  const Array numbers = cast(make({3, 0, 3}), Scalar::int32);
  EXPECT_EQ(bincount(numbers).as<std::int64_t>(), (std::vector<std::int64_t>{1, 0, 0, 2}));
  EXPECT_EQ(bincount(numbers, make({1, 2, 0.5}), 5).as<double>(),
            (std::vector<double>{2, 0, 0, 1.5, 0}));
}

TEST_P(CountingTest, RefusesWhatHasNoBins) {
  const Array x = make({1, 2, 3, 4});
  EXPECT_THROW(bincount(x), DTypeError);
  EXPECT_THROW(bincount(cast(x, Scalar::int32), make({1})), ShapeError);
  EXPECT_THROW(histogram(x, {.count = 0}), InvalidArgument);
  EXPECT_THROW(histogram(x, {.range = HistogramRange{1, 0}}), InvalidArgument);
  EXPECT_THROW(histogram(x, {.edges = reshape(x, {2, 2})}), ShapeError);
  EXPECT_THROW(histogramdd({}, {}), InvalidArgument);
}

}  // namespace
}  // namespace treadle::array
