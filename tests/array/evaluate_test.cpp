// SPDX-License-Identifier: MIT
// When arrays are computed.
#include "treadle/array/evaluate.hpp"

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "array/each_array_device.hpp"
#include "treadle/array/array.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/elementwise.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/device/launch_log.hpp"
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

TEST_P(EvaluateTest, ALoopThatReadsItsArrayMoreThanOnceIsCutIntoTheSameKernels) {
  const device::StreamScope scope(shared_stream());
  Array x = make({4, 9});
  std::set<std::string> makers;
  for (int i = 0; i < 60; ++i) {
    x = x - (x * x * x - 8) / (3 * x * x);
    const std::string text = explain(x), before = "was computed before, by ";
    if (const auto at = text.find(before); at != std::string::npos)
      makers.insert(text.substr(at, text.find(' ', at + before.size()) - at));
  }
  EXPECT_GT(makers.size(), 0u);
  EXPECT_LE(makers.size(), 2u);  // one of the start, and one of all the rest
  if (runs_kernels()) {
    EXPECT_NEAR(x.as<float>()[1], 2, 1e-5);
  }
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

TEST_P(EvaluateTest, WhatAReductionHasComputedIsNotKept) {
  const device::StreamScope scope(shared_stream());
  const Array x = make({1, 2, 3}), part = x * 2, next = part + 1, total = sum(next);
  evaluate({total});
  const Array shares = next / total;
  evaluate({shares});
  EXPECT_NE(explain(shares).find("writes 12 bytes"), std::string::npos);
  EXPECT_TRUE(part.is_pending() && next.is_pending());
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

/// Programs whose state is an array of the last step: what they look at depends on it, but is
/// another one.
class LoopTest : public EvaluateTest {
 protected:
  void SetUp() override {
    EvaluateTest::SetUp();
    scope_.emplace(shared_stream());
    start_ = make({1, 2, 4});
  }
  void TearDown() override {
    start_ = {};
    scope_.reset();
    EvaluateTest::TearDown();
  }
  /// Few kernels make 40 steps of x = x / 2 + 1, of which `look` computes something; x is right at
  /// the end. `look` gives the array that it has computed, or none.
  void expect_few_kernels(const std::function<Array(const Array& x)>& look) {
    std::set<std::string> texts;
    Array x = start_;
    const auto names = kernels([&] {
      x = x * 0.5f + 1;
      const Array seen = look(x);
      if (seen.has_value()) texts.insert(kernel_text(seen));
    });
    EXPECT_LE(texts.size(), 3u);
    EXPECT_LE(names.size(), 5u) << testing::PrintToString(names);
    expect(x, {2, 2, 2});
  }
  /// The names of those that 40 steps launch.
  std::set<std::string> kernels(const std::function<void()>& step) {
    std::set<std::string> names;
    for (int i = 0; i < 40; ++i) {
      step();
      if (i < 8) continue;  // the last eight may be another test's
      for (const device::LaunchRecord& launch : device::last_launches(*device()))
        names.insert(launch.kernel);
    }
    return names;
  }
  static Array computed(const Array& x) {
    evaluate({x});
    return x;
  }

 private:
  /// What explain() has of it, without the line before it, which names reasons.
  static std::string kernel_text(const Array& x) {
    const std::string text = explain(x);
    return text.substr(text.find("\n\n"));
  }

  std::optional<device::StreamScope> scope_;
  Array start_;
};
INSTANTIATE_TEST_SUITE_P(Devices, LoopTest, each_device(), device_test_name);

TEST_P(LoopTest, WhatIsOfTheSameShape) {
  expect_few_kernels([](const Array& x) { return computed(x * 3); });
}

TEST_P(LoopTest, Reductions) {
  expect_few_kernels([](const Array& x) { return computed(sum(x)); });
  expect_few_kernels([](const Array& x) {
    computed(sum(x));
    return computed(max(x));
  });
}

TEST_P(LoopTest, WhatIsOfAnotherShape) {
  const Array table = reshape(make(count_up(6)), {2, 3});
  expect_few_kernels([&](const Array& x) { return computed(table * x); });
  expect_few_kernels([&](const Array& x) { return computed(sum(table * x, {.axes = 1})); });
}

TEST_P(LoopTest, WhatIsWrittenToMemoryThatIsThere) {
  Array total = make({0, 0, 0});
  const Array out = make({0, 0, 0});
  expect_few_kernels([&](const Array& x) {
    total += x;
    return Array();
  });
  expect_few_kernels([&](const Array& x) {
    out.assign(x);
    return Array();
  });
  expect_few_kernels([&](const Array& x) {
    out.assign_where(x > 2, 2 * x);
    return Array();
  });
  if (runs_kernels()) {
    EXPECT_NEAR(total.as<float>()[1], 80, 1e-3);
  }
}

TEST_P(LoopTest, WhereEveryStepIsKept) {
  std::vector<Array> steps;
  expect_few_kernels([&](const Array& x) {
    steps.push_back(x);
    return computed(sum(x));
  });
  expect(steps[40 - 2], {2, 2, 2});
}

TEST_P(LoopTest, WhatSharesAnOperandThatNobodyStandsFor) {
  const auto step = [](const Array& x) {
    const Array half = x * 0.5f;
    return std::pair(half * 3, half + 1);
  };
  Array x = make({1, 2, 4}), y;
  const auto names = kernels([&] {
    std::tie(y, x) = step(x);
    evaluate({y});
  });
  EXPECT_LE(names.size(), 5u) << testing::PrintToString(names);
  expect(x, {2, 2, 2});
}

// Jacobi's iteration: the state meets a matrix within a reduction.
TEST_P(LoopTest, WhatIsComputedWithinAReduction) {
  const Array a = reshape(make({4, 1, 1, 4}), {2, 2}), b = make({6, 9});
  Array x = make({0, 0});
  const auto names = kernels([&] {
    const Array residual = b - sum(a * x, {.axes = 1});
    x = x + residual / 4.f;
    evaluate({max(abs(residual))});
  });
  EXPECT_LE(names.size(), 5u) << testing::PrintToString(names);
  expect(x, {1, 2});
}

TEST(LoopWithoutMemory, GoesOnWithLongerKernels) {
  const auto device = device::make_null_device({.memory_bytes = 3 << 20});
  const device::StreamScope scope(device->make_stream());
  Array x = zeros({1 << 18}, Scalar::float32);
  evaluate({x});
  const auto taken = std::make_optional<memory::Buffer>(device, (3 << 19));
  for (int step = 0; step < 3; ++step) {
    x = x * 0.5f + 1;
    evaluate({sum(x)});
  }
  EXPECT_TRUE(x.is_pending());
}

}  // namespace
}  // namespace treadle::array
