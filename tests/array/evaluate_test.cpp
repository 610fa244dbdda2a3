// SPDX-License-Identifier: MIT
// When arrays are computed.
#include "treadle/array/evaluate.hpp"

#include "array/each_array_device.hpp"
#include "treadle/array/array.hpp"

namespace treadle::array {
namespace {

class EvaluateTest : public OnEachArrayDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, EvaluateTest, each_device(), device_test_name);

TEST_P(EvaluateTest, AnExpressionWaitsUntilItIsLookedAt) {
  const device::StreamScope scope(shared_stream());
  const Array x = make({1, 2, 3}), y = make({10, 20, 30});
  const Array z = 5 * x + 6 * y;
  EXPECT_TRUE(z.is_pending());
  EXPECT_EQ(z.dtype(), DType(Scalar::float32));
  EXPECT_EQ(z.size(), 3);
  expect(z, {65, 130, 195});
  EXPECT_FALSE(z.is_pending());
}

TEST_P(EvaluateTest, LongChainsAreComputedInPieces) {
  const device::StreamScope scope(shared_stream());
  Array x = make({1, 2});
  for (int i = 0; i < 1000; ++i) x = x * 0.5f + 1.f;
  expect(x, {2, 2});
}

TEST_P(EvaluateTest, SharedPartsAreComputedOnceWhereRootsAreEvaluatedTogether) {
  const device::StreamScope scope(shared_stream());
  const Array x = make(count_up(100));
  const Array a = x + 1, b = a * a, c = b - a;
  evaluate({a, b, c});
  EXPECT_FALSE(a.is_pending() || b.is_pending() || c.is_pending());
  EXPECT_EQ(c.as<float>().size(), 100u);
  if (runs_kernels()) {
    EXPECT_EQ(c.as<float>()[3], 12);
  }
}

TEST_P(EvaluateTest, MemoryThatOthersReachIsNotDeferred) {
  const device::StreamScope scope(shared_stream());
  const Array x = make({1, 2, 3});
  const Array before = x + 1;
  const memory::Buffer buffer = x.buffer();
  EXPECT_TRUE(before.is_pending());  // what is done to a Buffer is noticed
  (void)buffer.location();
  EXPECT_FALSE(before.is_pending());
  EXPECT_FALSE((x + 1).is_pending());
  const Fusing fusing;
  EXPECT_TRUE((x + 1).is_pending());
}

TEST_P(EvaluateTest, EagerEvaluationComputesEveryOperation) {
  const Array x = make({1, 2, 3});
  const bool was = set_lazy(false);
  EXPECT_FALSE((x + 1).is_pending());
  set_lazy(was);
  EXPECT_TRUE((x + 1).is_pending());
}

}  // namespace
}  // namespace treadle::array
