// SPDX-License-Identifier: MIT
// Computations of other rooms among operations on elements: pending like them, and right whatever
// happens before somebody looks.
#include "treadle/array/computation.hpp"

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "array/each_array_device.hpp"
#include "array/reversal.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/evaluate.hpp"
#include "treadle/array/indexing.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/device/null.hpp"

namespace treadle::array {
namespace {

class ComputationTest : public OnEachArrayDevice {
 protected:
  void SetUp() override {
    OnEachArrayDevice::SetUp();
    scope_.emplace(shared_stream());
  }
  void TearDown() override {
    scope_.reset();
    OnEachArrayDevice::TearDown();
  }
  /// Launches are counted on the null device.
  template <class Call>
  void expect_launches(std::ptrdiff_t expected, Call call) {
    const bool counts = info().runtime == "null";
    if (counts) clear_null_calls(*device());
    call();
    const auto is_launch = [](const std::string& text) { return text.starts_with("launch"); };
    if (counts) {
      EXPECT_EQ(std::ranges::count_if(null_calls(*device()), is_launch), expected);
    }
  }

  std::shared_ptr<PlainReversal> plain = std::make_shared<PlainReversal>();
  std::shared_ptr<FusedReversal> fused = std::make_shared<FusedReversal>();
  std::optional<device::StreamScope> scope_;
};
INSTANTIATE_TEST_SUITE_P(Devices, ComputationTest, each_device(), device_test_name);

TEST_P(ComputationTest, RunsOnceWhenSomebodyLooks) {
  const Array z = reversed(plain, make({1, 2, 3}));
  EXPECT_TRUE(z.is_pending());
  EXPECT_EQ(z.shape()[0], 3);
  EXPECT_EQ(plain->runs, 0);
  expect(z, {3, 2, 1});
  expect(z, {3, 2, 1});
  EXPECT_EQ(plain->runs, 1);
}

TEST_P(ComputationTest, WithoutPrologueAndEpilogueItStandsBetweenKernels) {
  const Array x = make({1, 2, 3});
  const Array z = reversed(plain, 2 * x + 1) * x - 1;
  EXPECT_EQ(plain->runs, 0);
  expect_launches(3, [&] { evaluate({z}); });
  expect(z, {6, 9, 8});
  EXPECT_EQ(plain->runs, 1);
}

TEST_P(ComputationTest, WithPrologueAndEpilogueAllIsOneKernel) {
  const Array x = make({1, 2, 3});
  const Array z = reversed(fused, 2 * x + 1) * x - 1;
  expect_launches(1, [&] { evaluate({z}); });
  expect(z, {6, 9, 8});
  EXPECT_EQ(fused->runs, 1);
}

TEST_P(ComputationTest, AnArrayOnTheWayToAResultIsKept) {
  const Array x = make({1, 2, 3});
  const Array turned = reversed(fused, x), z = turned + x;
  evaluate({z});
  EXPECT_FALSE(turned.is_pending());
  expect(turned, {3, 2, 1});
  expect(z, {4, 4, 4});
  EXPECT_EQ(fused->runs, 1);
}

TEST_P(ComputationTest, InputsAreAsTheyWereWhenItWasRecorded) {
  Array x = make({1, 2, 3});
  const Array one = reversed(plain, x), two = reversed(fused, x + 1), three = one + 10;
  x += 100;
  x.assign(0);
  expect(one, {3, 2, 1});
  expect(two, {4, 3, 2});
  expect(three, {13, 12, 11});
  EXPECT_EQ(plain->runs, 1);
}

TEST_P(ComputationTest, ItsOwnInputMayBeTheTarget) {
  Array x = make({1, 2, 3}), y = make({1, 2, 4});
  x += reversed(plain, x);
  expect(x, {4, 4, 4});
  y.assign(reversed(fused, y));
  expect(y, {4, 2, 1});
  y.at({Index{.stop = 2}}).assign(reversed(plain, y.at({Index{.start = 1}})));
  expect(y, {1, 2, 1});
  y.assign_where(reversed(plain, y) > 1, reversed(fused, y * 10));
  expect(y, {1, 20, 1});
}

TEST_P(ComputationTest, ResultsGoStraightToWhereTheyAreAssigned) {
  const Array x = make({1, 2, 3}), y = make({0, 0, 0});
  const Array turned = reversed(fused, x + 1);
  const Operand operands[] = {turned, 2};
  expect_launches(1, [&] { apply_into(y, Op::multiply, operands); });
  expect(y, {8, 6, 4});
}

TEST_P(ComputationTest, ResultsGoStraightIntoTheArrayThatIsPassedAsOut) {
  const Array x = make({1, 2, 3}), y = make({0, 0, 0});
  for (const Array& z : {reversed(plain, x), reversed(fused, x)}) {
    y.assign(0);
    expect_launches(1, [&] { write_into(y, z); });
    expect(y, {3, 2, 1});
    expect(z, {3, 2, 1});  // once more
  }
  const Array above = reversed(plain, x), sum = above + 1;
  write_into(y, above);  // somebody will need it again
  EXPECT_EQ(plain->runs, 3);
  expect(sum, {4, 3, 2});
  EXPECT_EQ(plain->runs, 3);
  write_into(x, reversed(plain, x));
  expect(x, {3, 2, 1});
  write_into(y.at({Index{.start = 1}}), reversed(plain, make({5, 6})));
  expect(y, {3, 6, 5});
  const Array wide = zeros({3}, Scalar::float64, here());
  write_into(wide, reversed(plain, x));
  expect(cast(wide, Scalar::float32), {1, 2, 3});
}

TEST_P(ComputationTest, SeveralResultsAreComputedTogetherAndDeadOnesNot) {
  const Array x = make({1, 2, 3});
  const ResultSpec specs[] = {{{3}, Scalar::float32}, {{1}, Scalar::float32}};
  {
    const std::vector<Array> results = pending_results(plain, std::span(&x, 1), specs);
    const Array z = results[1] * 2;
    expect(z, {6});
    EXPECT_FALSE(results[0].is_pending());
    expect(results[0], {3, 2, 1});
    expect(results[1], {3});
    EXPECT_EQ(plain->runs, 1);
    EXPECT_EQ(plain->parts, 2);
  }
  for (const std::size_t kept : {0u, 1u}) {
    std::vector<Array> results = pending_results(plain, std::span(&x, 1), specs);
    results[1 - kept] = {};
    expect(results[kept], kept == 0 ? std::vector<float>{3, 2, 1} : std::vector<float>{3});
    EXPECT_EQ(plain->runs, 2 + static_cast<int>(kept));
    EXPECT_EQ(plain->parts, 3 + static_cast<int>(kept));
  }
  // Kept by an expression alone.
  std::vector<Array> results = pending_results(plain, std::span(&x, 1), specs);
  const Array z = results[1] + 1, w = results[0] + 1;
  results.clear();
  expect(z, {4});
  expect(w, {4, 3, 2});
  EXPECT_EQ(plain->runs, 4);
}

TEST_P(ComputationTest, ResultsWithoutElementsLeaveOthersAsTheyAre) {
  const Array x = make({1, 2, 3});
  const ResultSpec specs[] = {{{0}, Scalar::float32}, {{1}, Scalar::float32}};
  for (const std::size_t first : {0u, 1u}) {
    const std::vector<Array> results = pending_results(plain, std::span(&x, 1), specs);
    evaluate({results[first]});
    expect(results[0], {});
    expect(results[1], {3});
  }
  EXPECT_EQ(plain->runs, 2);
}

TEST_P(ComputationTest, SeveralFusedResultsAreOneKernelWithWhatIsAboveThem) {
  const Array x = make({1, 2, 3});
  const ResultSpec specs[] = {{{3}, Scalar::float32}, {{3}, Scalar::float32}};
  const std::vector<Array> results = pending_results(fused, std::span(&x, 1), specs);
  const Array z = results[0] * 10 + results[1];
  expect(z, {33, 22, 11});
  EXPECT_EQ(fused->runs, 1);
  EXPECT_FALSE(results[0].is_pending());
  expect(results[1], {3, 2, 1});
  EXPECT_EQ(fused->runs, 1);
}

TEST_P(ComputationTest, WhereItFailsEverythingIsAsBefore) {
  Array x = make({1, 2, 3});
  for (const bool is_plain : {true, false}) {
    Reversal& reversal = is_plain ? static_cast<Reversal&>(*plain) : *fused;
    const Array turned = is_plain ? reversed(plain, x + 1) : reversed(fused, x + 1);
    const Array z = turned * 2;
    reversal.fails = true;
    device::expect_error<InvalidState>([&] { evaluate({z}); }, {"reversal fails"});
    device::expect_error<InvalidState>([&] { evaluate({turned}); }, {"reversal fails"});
    // Of the plain one the input has memory of its own by now.
    if (!is_plain) device::expect_error<InvalidState>([&] { x += 1; }, {"reversal fails"});
    EXPECT_TRUE(turned.is_pending());
    EXPECT_TRUE(z.is_pending());
    reversal.fails = false;
    expect(z, {8, 6, 4});
    expect(x, {1, 2, 3});
    EXPECT_EQ(reversal.runs, 1);
  }
}

TEST_P(ComputationTest, FreedInputsAreComputedBeforeOrRefused) {
  Array x = make({1, 2, 3}), y = make({1, 2, 3});
  const Array before = reversed(plain, x), also = reversed(fused, x);
  x.buffer().free();
  expect(before, {3, 2, 1});
  expect(also, {3, 2, 1});
  y.buffer().free();
  EXPECT_THROW(evaluate({reversed(plain, y)}), InvalidState);
  EXPECT_THROW(evaluate({reversed(fused, y + 1)}), InvalidState);
}

TEST_P(ComputationTest, WhatNobodyLooksAtDoesNotRun) {
  Array kept;
  {
    const Array x = make({1, 2, 3});
    (void)reversed(plain, x);
    const Array z = reversed(plain, x + 1) * 2;
    kept = reversed(fused, x * 2);
  }
  stream().synchronize();
  EXPECT_EQ(plain->runs, 0);
  expect(kept, {6, 4, 2});
}

TEST_P(ComputationTest, ReductionsAndComputationsNeedEachOther) {
  const Array x = make({1, 2, 3});
  expect(sum(reversed(plain, x) * x), {10});
  expect(sum(reversed(fused, x) * x), {10});
  expect(reversed(plain, x / sum(x)) * 6, {3, 2, 1});
  expect(reversed(fused, x / sum(x)) * 6, {3, 2, 1});
  expect(reversed(plain, reversed(plain, x)), {1, 2, 3});
  expect(reversed(fused, reversed(fused, x) + 1), {2, 3, 4});
  expect(reversed(fused, x) + reversed(fused, x * 2), {9, 6, 3});
  const auto other = std::make_shared<FusedReversal>();
  expect(reversed(fused, x) + reversed(other, x * 2) + reversed(plain, x), {12, 8, 4});
}

TEST_P(ComputationTest, PositionsAndIndicesBelowItCountInItsInput) {
  const Array x = make({1, 2, 3});
  const Array places = copy(arange(2, -1, -1, Scalar::int64));
  const Array counted = cast(arange(0, 3, 1, Scalar::int64), Scalar::float32);
  expect(reversed(fused, x + counted), {5, 3, 1});
  expect(reversed(fused, take(x, places)), {1, 2, 3});
  expect(reversed(plain, take(x + 1, places)), {2, 3, 4});
  expect(take(reversed(fused, x), places), {1, 2, 3});
}

TEST_P(ComputationTest, ExplainNamesIt) {
  const Array x = make({1, 2, 3});
  const Array z = reversed(plain, x + 1) * 2, w = reversed(fused, x + 1) * 2;
  const std::string text = explain(z);
  for (const char* part : {"plain_reversal of", "multiply of", "add of", "is to be computed by"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
  EXPECT_NE(explain(reversed(plain, x)).find("plain_reversal of 0"), std::string::npos);
  EXPECT_NE(explain(w).find("multiply_f32"), std::string::npos) << explain(w);
  EXPECT_TRUE(z.is_pending());
  EXPECT_EQ(plain->runs, 0);
  EXPECT_EQ(fused->runs, 0);
  const Array turned = reversed(plain, x + 1), y = turned * 2;
  evaluate({y});
  EXPECT_NE(explain(turned).find("a computation that is no part of an expression"),
            std::string::npos)
      << explain(turned);
}

TEST_P(ComputationTest, RunsAtOnceWhereEvaluationIsEagerOrAnInputHasEscaped) {
  const Array x = make({1, 2, 3});
  const bool was_lazy = set_lazy(false);
  const Array eager = reversed(plain, x);
  set_lazy(was_lazy);
  EXPECT_EQ(plain->runs, 1);
  EXPECT_FALSE(eager.is_pending());
  (void)x.location();
  const Array at_once = reversed(plain, x);
  EXPECT_EQ(plain->runs, 2);
}

TEST_P(ComputationTest, MarksAndOtherStreamsAreInOrder) {
  const Array x = make({1, 2, 3});
  const Array z = reversed(plain, x * 2);
  stream().synchronize();
  EXPECT_EQ(plain->runs, 1);
  const auto other = device()->make_stream();
  const device::StreamScope scope(other);
  expect(reversed(fused, z + 1), {3, 5, 7});
  expect(reversed(plain, z), {2, 4, 6});
}

TEST_P(ComputationTest, ThreadsThatLookAtOnceRunItOnce) {
  const Array x = make(count_up(1000));
  const ResultSpec specs[] = {{{1000}, Scalar::float32}, {{1}, Scalar::float32}};
  for (int i = 0; i < 20; ++i) {
    plain->runs = 0;
    const std::vector<Array> results = pending_results(plain, std::span(&x, 1), specs);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        const Array z = results[static_cast<std::size_t>(t % 2)] + 1;
        evaluate({z});
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(plain->runs, 1);
  }
}

TEST_P(ComputationTest, RecordingsOfOneObjectAreRunsOfTheirOwnWithoutAnEpilogue) {
  Array x = make({1, 2, 3});
  const Array y = make({4, 5, 6});
  const Array one = reversed(plain, x), same = reversed(plain, x), other = reversed(plain, y);
  evaluate({one, same, other});
  expect(one, {3, 2, 1});
  expect(same, {3, 2, 1});
  expect(other, {6, 5, 4});
  const Array before = reversed(plain, x), twin = reversed(plain, x);
  x += x;
  expect(before, {3, 2, 1});
  expect(twin, {3, 2, 1});
}

TEST_P(ComputationTest, LongChainsAreCut) {
  Array z = make({1, 2, 3});
  for (int i = 0; i < 200; ++i) z = reversed(plain, z + 1);
  expect(z, {201, 202, 203});
  EXPECT_EQ(plain->runs, 200);
}

TEST_P(ComputationTest, BadRecordingsAreRefused) {
  const Array x = make({1, 2, 3});
  const ResultSpec one[] = {{{3}, Scalar::float32}};
  const ResultSpec unlike[] = {{{3}, Scalar::float32}, {{1}, Scalar::float32}};
  const std::vector<Array> many(6, x);
  const std::vector<ResultSpec> too_many(9, one[0]);
  device::expect_error<InvalidArgument>([&] { pending_results(nullptr, std::span(&x, 1), one); },
                                        {"null"});
  device::expect_error<InvalidArgument>([&] { pending_results(plain, many, one); },
                                        {"plain_reversal of 6 inputs", "1 to 5"});
  device::expect_error<InvalidArgument>([&] { pending_results(plain, {}, one); }, {"0 inputs"});
  device::expect_error<InvalidArgument>([&] { pending_results(plain, std::span(&x, 1), too_many); },
                                        {"9 results", "1 to 8"});
  device::expect_error<InvalidArgument>([&] { pending_results(fused, std::span(&x, 1), unlike); },
                                        {"(3,)", "(1,)"});
  const auto null = device::make_null_device();
  const std::vector<Array> two = {x, zeros({3}, Scalar::float32, {.stream = null->make_stream()})};
  device::expect_error<InvalidArgument>([&] { pending_results(plain, two, one); },
                                        {"plain_reversal: arrays of"});
}

/// A program of random steps on arrays, and on vectors of the host.
TEST_P(ComputationTest, RandomProgramsAreRightWheneverTheyAreLookedAt) {
  const char* const wanted = std::getenv("TREADLE_RANDOM_CASES");
  const char* const given_seed = std::getenv("TREADLE_RANDOM_SEED");
  const int cases = wanted != nullptr ? std::atoi(wanted) : 4;
  const int first = given_seed != nullptr ? std::atoi(given_seed) : 1;
  for (int seed = first; seed < first + cases; ++seed) {
    std::mt19937 random(static_cast<unsigned>(seed));
    const auto draw = [&](std::size_t below) { return random() % below; };
    std::vector<Array> arrays;
    std::vector<std::vector<float>> values;
    for (int i = 0; i < 3; ++i) {
      values.push_back({float(draw(9)), float(draw(9)), float(draw(9)), float(draw(9))});
      arrays.push_back(make(values.back()));
    }
    for (int step = 0; step < 40; ++step) {
      const std::size_t a = draw(3), b = draw(3), into = draw(3);
      std::vector<float> x = values[a];
      Array made = arrays[a];
      switch (draw(8)) {
        case 0:
        case 1:
          made = reversed(plain, made);
          std::ranges::reverse(x);
          break;
        case 2:
        case 3:
          made = reversed(fused, made);
          std::ranges::reverse(x);
          break;
        case 4:
          made = minimum(made + arrays[b], 50);
          for (std::size_t i = 0; i < 4; ++i) x[i] = std::min(x[i] + values[b][i], 50.0f);
          break;
        case 5: {
          made = made - max(arrays[b]);
          const float most = *std::ranges::max_element(values[b]);
          for (float& one : x) one -= most;
          break;
        }
        case 6:
          arrays[a] += arrays[b];
          for (std::size_t i = 0; i < 4; ++i) values[a][i] += values[b][i];
          continue;
        default:
          expect(arrays[a], values[a]);
          continue;
      }
      arrays[into] = made;
      values[into] = x;
    }
    for (std::size_t i = 0; i < 3; ++i) {
      expect(arrays[i], values[i]);
      ASSERT_FALSE(HasFailure()) << "TREADLE_RANDOM_CASES=1 TREADLE_RANDOM_SEED=" << seed;
    }
  }
}

}  // namespace
}  // namespace treadle::array
