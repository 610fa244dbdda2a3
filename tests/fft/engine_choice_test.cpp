// SPDX-License-Identifier: MIT
// Which engine is taken for a shape: with times that nobody measured, and, on a GPU that has cuFFT,
// with those of both engines.
#include "fft/engine_choice.hpp"

#include <gmock/gmock.h>

#include "device/each_device.hpp"
#include "fft/generated.hpp"
#include "fft/plans.hpp"
#include "treadle/base/error.hpp"
#include "treadle/device/null.hpp"

namespace treadle::fft {
namespace {

using testing::HasSubstr;

PlanShape rows(std::uint64_t length, std::uint64_t batches) {
  return {.rank = 1, .extents = {length}, .batches = batches};
}

class EngineChoiceTest : public testing::Test {
 protected:
  EngineVerdict chosen(const PlanShape& shape, const EngineTimes& times,
                       const std::string& version = "1") {
    EngineWays ways(*device_, store_);  // as in another process
    return choose_engine(ways, shape, version, times);
  }
  /// The rule's engine first, as measure_engines() has it.
  EngineTimes take(double of_rule, double other, bool is_cufft) {
    return {.measure = [=, this]() -> std::vector<tune::WayTime> {
      ++measured_;
      return {{is_cufft ? "cufft" : "generated", of_rule},
              {is_cufft ? "generated" : "cufft", other}};
    }};
  }
  std::shared_ptr<device::Device> device_ = device::make_null_device();
  std::shared_ptr<tune::Store> store_ = std::make_shared<tune::Store>("");
  int measured_ = 0;
};

TEST_F(EngineChoiceTest, TheFasterOneIsTakenAndKept) {
  const PlanShape shape = rows(1024, 100);  // the rule: generated
  const EngineVerdict first = chosen(shape, take(2e-6, 1e-6, false));
  EXPECT_TRUE(first.is_cufft && first.is_final);
  EXPECT_EQ(first.reason, "cufft 1 us, generated 2 us, measured here");
  const EngineVerdict again = chosen(shape, take(1, 2, false));
  EXPECT_TRUE(again.is_cufft && again.is_final);
  EXPECT_THAT(again.reason, HasSubstr("measured before"));
  EXPECT_EQ(measured_, 1);
  // Another version of the library is measured again, and other classes are.
  EXPECT_FALSE(chosen(shape, take(1, 2, false), "2").is_cufft);
  EXPECT_FALSE(chosen(rows(2048, 100), take(1, 2, false)).is_cufft);
  EXPECT_EQ(measured_, 3);
}

TEST_F(EngineChoiceTest, TheRuleDecidesWhereBothAreAsFast) {
  EXPECT_FALSE(chosen(rows(1024, 1), take(1.02, 1, false)).is_cufft);
  EXPECT_TRUE(chosen(rows(1000, 1), take(1.02, 1, true)).is_cufft);
  EXPECT_FALSE(chosen(rows(900, 9), take(1.05, 1, true)).is_cufft);
}

TEST_F(EngineChoiceTest, TheRuleDecidesWhereNothingIsMeasured) {
  EngineTimes times{.measure = {}, .obstacle = "not measured: captured"};
  for (const bool is_passing : {true, false}) {
    times.is_obstacle_passing = is_passing;
    const EngineVerdict verdict = chosen(rows(1000, 1), times);
    EXPECT_TRUE(verdict.is_cufft);
    EXPECT_EQ(verdict.is_final, !is_passing);
    EXPECT_THAT(verdict.reason, HasSubstr("captured; of the rule"));
    EXPECT_FALSE(chosen(rows(1024, 1), times).is_cufft);
  }
  EXPECT_EQ(store_->size(), 0u);
  // What was measured before is taken all the same.
  chosen(rows(1024, 1), take(2, 1, false));
  EXPECT_TRUE(chosen(rows(1024, 1), times).is_cufft);
}

TEST_F(EngineChoiceTest, AFailureIsTheRulesEngineForTheProcess) {
  EngineWays ways(*device_, store_);
  int asked = 0;
  const EngineTimes failing{.measure = [&]() -> std::vector<tune::WayTime> {
    ++asked;
    throw NotSupported("a kernel", "nothing");
  }};
  for (int k = 0; k < 2; ++k) {
    const EngineVerdict verdict = choose_engine(ways, rows(1000, 1), "1", failing);
    EXPECT_TRUE(verdict.is_cufft && verdict.is_final) << verdict.reason;
  }
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(store_->size(), 0u);
}

TEST_F(EngineChoiceTest, ShapesOfAClassAreAlike) {
  const auto same = [](const PlanShape& one, const PlanShape& other) {
    return class_of(one, "1") == class_of(other, "1");
  };
  EXPECT_TRUE(same(rows(1000, 100), rows(960, 70)));     // small factors, as long
  EXPECT_FALSE(same(rows(1000, 100), rows(1000, 200)));  // twice as many
  EXPECT_FALSE(same(rows(1000, 100), rows(997, 100)));   // a prime
  EXPECT_FALSE(same(rows(1024, 100), rows(1026, 100)));
  PlanShape other = rows(1000, 100);
  other.is_double = true;
  EXPECT_FALSE(same(rows(1000, 100), other));
  other = rows(1000, 100), other.kind = TransformKind::real_to_complex;
  EXPECT_FALSE(same(rows(1000, 100), other));
  other = rows(1000, 100), other.is_forward = false;
  EXPECT_TRUE(same(rows(1000, 100), other));
  // More rows than are measured make no other class.
  EXPECT_TRUE(same(rows(1024, 1 << 17), rows(1024, 1 << 20)));
}

TEST_F(EngineChoiceTest, MeasuringTakesLittleMemory) {
  EXPECT_EQ(measured_shape(rows(1024, 8))->batches, 8u);
  EXPECT_EQ(bytes_of(*measured_shape(rows(1024, 1 << 20))), 64u << 20);
  const PlanShape columns{.rank = 2, .extents = {1 << 20, 1024}, .is_left_out = {true}};
  EXPECT_EQ(measured_shape(columns)->extents[0], 8192u);
  EXPECT_FALSE(measured_shape(rows(1 << 24, 2)));
  EXPECT_FALSE(measured_shape({.rank = 2, .extents = {1 << 12, 1 << 12}}));
}

/// On a GPU that has cuFFT both engines are run, and the verdict is found again.
TEST(EngineChoiceOnDevice, BothAreMeasured) {
  bool is_there = false;
  for (const auto& device : device::devices()) {
    const DeviceCufft cufft(*device);
    if (cufft.library == nullptr) continue;
    is_there = true;
    const auto store = std::make_shared<tune::Store>("");
    const auto stream = device->default_stream();
    PlanShape real = rows(1000, 6);
    real.kind = TransformKind::real_to_complex;
    const PlanShape plane{.rank = 2, .extents = {24, 36}, .batches = 5};
    for (const PlanShape& shape : {rows(256, 300), plane, real}) {
      for (const char* when : {"measured here", "measured before"}) {
        EngineWays ways(*device, store);
        const EngineTimes times{.measure = [&] {
          return measure_engines(*stream, cufft, shape, [&](const PlanShape& one) {
            return generated_transform(*stream, one);
          });
        }};
        const EngineVerdict verdict = choose_engine(ways, shape, cufft.library->version(), times);
        EXPECT_TRUE(verdict.is_final);
        for (const char* part : {"cufft ", "generated ", " us", when})
          EXPECT_THAT(verdict.reason, HasSubstr(part)) << shape.key();
        RecordProperty(shape.key(), verdict.reason);
      }
    }
    EXPECT_EQ(store->size(), 6u);
  }
  if (!is_there) GTEST_SKIP() << "no GPU with cuFFT";
}

}  // namespace
}  // namespace treadle::fft
