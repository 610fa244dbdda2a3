// SPDX-License-Identifier: MIT
// When arrays are computed.
#include "treadle/array/evaluate.hpp"

#include <optional>

#include "array/each_array_device.hpp"
#include "treadle/array/array.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/device/null.hpp"

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

// What was worked out for a launch is used again for those that differ in places and numbers only.
TEST_P(EvaluateTest, ExpressionsThatLookAlikeAreNotTakenForEachOther) {
  const device::StreamScope scope(shared_stream());
  for (int round = 0; round < 2; ++round) {
    const Array x = make(count_up(40)), y = make(count_up(40));
    expect(x.at({{.stop = 3}}) + y.at({{.stop = 3}}), {0, 2, 4});
    expect(x.at({{.stop = 4}}) + y.at({{.stop = 4}}), {0, 2, 4, 6});               // longer
    expect(x.at({{.start = 1, .stop = 5}}) + y.at({{.stop = 4}}), {1, 3, 5, 7});   // begins late
    expect(x.at({{.stop = 4}}) + y.at({{.start = 4, .stop = 8}}), {4, 6, 8, 10});  // elsewhere
    expect(x.at({{.stop = 8, .step = 2}}) + y.at({{.stop = 4}}), {0, 3, 6, 9});    // with gaps
    expect(x.at({{.start = 3, .stop = 7}}) + x.at({{.start = 3, .stop = 7}}), {6, 8, 10, 12});
    expect(x.at({{.stop = 4}}) - y.at({{.start = 1, .stop = 5}}), {-1, -1, -1, -1});
    expect(x.at({{.stop = 4}}) + cast(y.at({{.stop = 4}}), Scalar::int16), {0, 2, 4, 6});
    expect(2.f * x.at({{.stop = 3}}), {0, 2, 4});
    expect(3.f * x.at({{.stop = 3}}), {0, 3, 6});
    Array in_place = make({1, 2, 3}), other = make({10, 20, 30});
    in_place += other;
    expect(in_place, {11, 22, 33});
    expect(in_place + other, {21, 42, 63});
    expect(x.at({{.start = 8, .stop = 16}}).at({Index::new_axis(), Index::all()}) +
               y.at({{.stop = 2}}).at({Index::all(), Index::new_axis()}),
           {8, 9, 10, 11, 12, 13, 14, 15, 9, 10, 11, 12, 13, 14, 15, 16});
  }
}

TEST(EvaluateFailure, LeavesTheExpressionAsItWas) {
  const auto device = device::make_null_device({.memory_bytes = 5 << 19});
  const auto stream = device->make_stream();
  const device::StreamScope scope(stream);
  const Array x = zeros({1 << 18}, Scalar::float32);
  evaluate({x});
  auto taken = std::make_optional<memory::Buffer>(device, 1 << 20);
  const Array sum = x + 1, product = 2 * sum;
  EXPECT_THROW(evaluate({sum, product}), OutOfMemory);
  EXPECT_TRUE(sum.is_pending() && product.is_pending());
  EXPECT_THROW(evaluate({sum}), OutOfMemory);
  EXPECT_TRUE(sum.is_pending());
  taken.reset();
  evaluate({sum});
  EXPECT_FALSE(sum.is_pending());
  EXPECT_TRUE(product.is_pending());
}

TEST_P(EvaluateTest, EagerEvaluationComputesEveryOperation) {
  const Array x = make({1, 2, 3});
  const bool was = set_lazy(false);
  EXPECT_FALSE((x + 1).is_pending());
  set_lazy(was);
  EXPECT_TRUE((x + 1).is_pending());
}

TEST_P(EvaluateTest, WhatASecondKernelNeedsIsKept) {
  const device::StreamScope scope(shared_stream());
  const Array x = make({1, 2, 3});
  const Array part = x * 2 + 1, first = part + 1, second = part * part, third = part - 1;
  expect(first, {4, 6, 8});
  EXPECT_TRUE(part.is_pending());
  expect(second, {9, 25, 49});
  EXPECT_FALSE(part.is_pending());
  EXPECT_NE(explain(part).find("a second kernel needed it"), std::string::npos);
  expect(third, {2, 4, 6});
  EXPECT_NE(explain(third).find("reads 12 bytes, writes 12 bytes, about 3"), std::string::npos);
  expect(part, {3, 5, 7});
}

TEST_P(EvaluateTest, NumbersAndOtherShapesAreNotKept) {
  const device::StreamScope scope(shared_stream());
  const Array x = make({1, 2, 3}), row = x * 2, ones = full({3}, 1.f, Scalar::float32, here());
  const Array square = zeros({2, 3}, Scalar::float32, here());
  for (int i = 0; i < 3; ++i) {
    evaluate({square + row});
    evaluate({x + ones});
  }
  EXPECT_TRUE(row.is_pending() && ones.is_pending() && square.is_pending());
}

TEST_P(EvaluateTest, WhatNobodyStandsForIsNotKept) {
  const device::StreamScope scope(shared_stream());
  const Array x = make({1, 2, 3});
  Array part = x * 2;
  const Array first = part + 1, second = part + 2;
  part = {};
  evaluate({first});
  evaluate({second});
  EXPECT_NE(explain(second).find("writes 12 bytes"), std::string::npos);
}

}  // namespace
}  // namespace treadle::array
