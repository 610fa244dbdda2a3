// SPDX-License-Identifier: MIT
#include "treadle/tune/tune_kernel.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <thread>

#include "compile/scratch.hpp"
#include "device/each_device.hpp"
#include "tune/running_devices.hpp"

namespace treadle::tune {
namespace {

using device::expect_error;
using memory::Buffer;
using testing::HasSubstr;

// Right in mode 0 alone.
constexpr const char* text = R"(
#include <treadle/dialect.h>
TREADLE_KERNEL doubled(TREADLE_GLOBAL float *out, TREADLE_GLOBAL const float *in, int n)
{
#if MODE == 1
  no such statement
#endif
  for (int i = treadle_global_id(0) * ITEMS; i < (treadle_global_id(0) + 1) * ITEMS; ++i) {
    if (i >= n) return;
#if MODE == 2
    if (i == n / 2) { out[i] = 0.0f / 0.0f; return; }
#elif MODE == 3
    if (i & 1) continue;  /* what was there is right from the run before, or zero */
#elif MODE == 4
    out[i] = in[i];
    for (int k = 0; k < 20000; ++k) out[i] = out[i] * 0.5f + in[i];
#elif MODE == 5
    for (volatile int k = 0; k < 1; k = 0) ;
#endif
    out[i] = 2 * in[i];
  }
}
)";
constexpr int n = 5000;

class TuneKernelTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    device_ = device::find_device(GetParam());
    std::iota(values_.begin(), values_.end(), 0.0f);
    for (const float each : values_) expected_.push_back(2 * each);
    in_ = Buffer(device_, values_);
    out_ = Buffer(device_, values_);
  }
  std::vector<std::byte> expected_bytes() const {
    const auto bytes = std::as_bytes(std::span(expected_));
    return {bytes.begin(), bytes.end()};
  }
  Space space(std::vector<Value> modes) const {
    Space made;
    made.let(device_->info()).let("n", std::int64_t{n});
    made.add("MODE", std::move(modes)).add_powers_of_two("ITEMS", 1, 8);
    made.add_powers_of_two("group", 32, 64);
    return made;
  }
  static KernelTemplate kernel() {
    return {.text = text,
            .kernel = "doubled",
            .groups = {"ceil_div(n, group * ITEMS)"},
            .group_size = {"group"}};
  }
  std::vector<ProblemArgument> arguments(bool with_expected = true) const {
    Expected expected{.dtype = Scalar::float32};
    if (with_expected) expected.bytes = expected_bytes();
    return {ProblemArgument::output(out_, expected), in_, n};
  }
  static TuneOptions quick() {
    return {.measure = {.repeats = 3, .sample_seconds = 0}, .compile_threads = 1};
  }

  std::shared_ptr<device::Device> device_;
  std::vector<float> values_ = std::vector<float>(n), expected_;
  Buffer in_, out_;
};
INSTANTIATE_TEST_SUITE_P(Devices, TuneKernelTest, testing::ValuesIn(running_devices()),
                         device::device_test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(TuneKernelTest);

Value whole(int value) { return std::int64_t{value}; }

// PoCL compiles once more for a binary: only what others will ask for has one.
TEST_P(TuneKernelTest, OfWhatARunTimeCompilesTheWinnerAloneIsKept) {
  if (!device_->info().traits.builds_text) GTEST_SKIP() << "compilers hand binaries over on disk";
  const compile::ScratchFolder folder;
  KernelTemplate kept = kernel();
  kept.options.cache_dir = folder.path();
  Space all = space({whole(0)});
  all.require("ITEMS < 4 and group == 32");
  TuneOptions options = quick();
  options.search.strategy = Strategy::exhaustive;
  const Tuned tuned = tune_kernel(device_, all, kept, arguments(), options);
  const VariantWriter write(kept, all);
  for (const Attempt& each : tuned.attempts) {
    Variant variant = write(each.configuration);
    variant.options.cache = compile::CacheUse::reading;
    const kernel::Program program(device_, variant.source, variant.options);
    EXPECT_EQ(program.origin() == compile::Origin::disk_cache,
              each.configuration == tuned.configuration)
        << each.configuration.text();
  }
}

// What fails is recorded as what it is, and does not win though it be fast.
TEST_P(TuneKernelTest, EveryVariantIsCheckedBeforeItMayWin) {
  const Space all = space({whole(0), whole(1), whole(2), whole(3)});
  TuneOptions options = quick();
  options.search.strategy = Strategy::exhaustive;
  options.compile_threads = 3;
  std::size_t told = 0;
  options.progress = [&](const TuneProgress& progress) {
    EXPECT_EQ(progress.tried, ++told);
    EXPECT_NE(progress.last, nullptr);
  };
  const Tuned tuned = tune_kernel(device_, all, kernel(), arguments(), options);
  EXPECT_EQ(tuned.attempts.size(), all.size());
  EXPECT_EQ(told, all.size());
  EXPECT_EQ(tuned.ending, Ending::search_over);
  EXPECT_EQ(tuned.configuration.get<std::int64_t>("MODE"), 0);
  EXPECT_GT(tuned.seconds, 0);
  EXPECT_GT(tuned.busy_seconds, 0);
  EXPECT_GE(tuned.wall_seconds, tuned.busy_seconds);
  const std::map<std::int64_t, std::set<Outcome>> expected = {
      {0, {Outcome::measured, Outcome::overtaken}},
      {1, {Outcome::compile_error}},
      {2, {Outcome::wrong_result}},
      {3, {Outcome::wrong_result}}};
  for (const Attempt& each : tuned.attempts) {
    const Measured& measured = each.measured;
    EXPECT_TRUE(
        expected.at(each.configuration.get<std::int64_t>("MODE")).contains(measured.outcome))
        << each.configuration.text() << outcome_name(measured.outcome) << measured.error;
    EXPECT_EQ(measured.is_right(), measured.error.empty());
    EXPECT_EQ(measured.is_right(), std::isfinite(measured.seconds));
    if (measured.outcome == Outcome::wrong_result) {
      EXPECT_THAT(measured.error, HasSubstr("argument 0: number "));
    }
  }
}

TEST_P(TuneKernelTest, WithoutExpectedOutputsTheFirstConfigurationTellsThem) {
  const Space all = space({whole(0), whole(2), whole(3)});
  TuneOptions options = quick();
  options.search.strategy = Strategy::exhaustive;
  const Tuned tuned = tune_kernel(device_, all, kernel(), arguments(false), options);
  EXPECT_EQ(tuned.configuration.get<std::int64_t>("MODE"), 0);
  for (const Attempt& each : tuned.attempts)
    EXPECT_EQ(each.measured.is_right(), each.configuration.get<std::int64_t>("MODE") == 0);
  // One that leaves elements unwritten is no reference.
  options.search.start = {all.make({{"MODE", whole(3)}})};
  expect_error<InvalidState>(
      [&] { tune_kernel(device_, all, kernel(), arguments(false), options); },
      {"is not all written"});
}

TEST_P(TuneKernelTest, WhatIsSlowIsOvertaken) {
  TuneOptions options = quick();
  options.search.strategy = Strategy::exhaustive;
  options.measure.repeats = 9;
  const Tuned tuned =
      tune_kernel(device_, space({whole(0), whole(4)}), kernel(), arguments(), options);
  bool is_best_known = false;  // variants come in the order in which they are compiled
  for (const Attempt& each : tuned.attempts) {
    if (each.configuration.get<std::int64_t>("MODE") == 0) {
      is_best_known = true;
    } else if (is_best_known) {  // at its first runs, or, where these can be ended, within them
      const Outcome outcome = each.measured.outcome;
      EXPECT_TRUE(outcome == Outcome::overtaken ||
                  (GetParam() == "cpu" && outcome == Outcome::timeout))
          << outcome_name(outcome);
      EXPECT_LE(each.measured.samples.size(), 2u);  // the second where the first was short
    }
  }
}

// Where variants are a thousand times slower than others a few runs may exceed the budget, and not
// the hundred of each.
TEST_P(TuneKernelTest, SlowVariantsDoNotExceedTheBudget) {
  TuneOptions options = quick();
  options.search.strategy = Strategy::exhaustive;
  options.measure = {.repeats = 100, .overtaken_above = 0};
  const Space all = space({whole(4), whole(0)});
  options.search.budget.seconds = 0.05;
  const Tuned tuned = tune_kernel(device_, all, kernel(), arguments(), options);
  EXPECT_EQ(tuned.ending, Ending::search_over);
  EXPECT_LT(tuned.attempts.size(), all.size());
  double slowest = 0;
  for (const Attempt& each : tuned.attempts) {
    EXPECT_TRUE(each.measured.is_right());
    slowest = std::max(slowest, std::ranges::max(each.measured.samples));
  }
  EXPECT_LT(tuned.busy_seconds, 10 * slowest);
}

// On the CPU device a run can be ended; the search goes on, and so does the device.
TEST_P(TuneKernelTest, AVariantThatNeverEndsIsEnded) {
  if (GetParam() != "cpu") GTEST_SKIP() << "only the CPU device ends kernels in this process";
  TuneOptions options = quick();
  options.search.strategy = Strategy::exhaustive;
  options.measure.limit_seconds = 0.3;
  const Space all = space({whole(5), whole(0)});
  const Tuned tuned = tune_kernel(device_, all, kernel(), arguments(), options);
  EXPECT_EQ(tuned.ending, Ending::search_over);
  EXPECT_EQ(tuned.attempts.size(), all.size());
  for (const Attempt& each : tuned.attempts) {
    const bool is_endless = each.configuration.get<std::int64_t>("MODE") == 5;
    EXPECT_EQ(each.measured.outcome == Outcome::timeout, is_endless) << each.measured.error;
  }
  std::vector<float> found(n);
  in_.copy_to(std::span(found));
  EXPECT_EQ(found, values_);
  // No reference either.
  options.search.start = {all.make({{"MODE", whole(5)}})};
  expect_error<InvalidState>(
      [&] { tune_kernel(device_, all, kernel(), arguments(false), options); },
      {"it ran for more than 0.3 seconds"});
}

TEST_P(TuneKernelTest, FormulasOverTheCompiledKernelAreAskedBeforeItRuns) {
  Space all = space({whole(0)});
  all.require("kernel.max_group_items >= group and (ITEMS < 4 or kernel.local_bytes > 64)");
  TuneOptions options = quick();
  options.search.strategy = Strategy::exhaustive;
  const Tuned tuned = tune_kernel(device_, all, kernel(), arguments(), options);
  for (const Attempt& each : tuned.attempts)
    EXPECT_EQ(each.measured.outcome == Outcome::excluded,
              each.configuration.get<std::int64_t>("ITEMS") >= 4);
}

TEST_P(TuneKernelTest, AShapeThatTheDeviceRefusesIsRecorded) {
  Space all;
  all.add("MODE", {whole(0)}).add("ITEMS", {whole(1)}).add("group", {whole(64), whole(1 << 20)});
  all.let("n", std::int64_t{n});
  TuneOptions options = quick();
  const Tuned tuned = tune_kernel(device_, all, kernel(), arguments(), options);
  EXPECT_EQ(tuned.attempts[1].measured.outcome, Outcome::launch_refused);
  EXPECT_THAT(tuned.attempts[1].measured.error, HasSubstr("1048576"));
}

TEST_P(TuneKernelTest, EndsWithWhatWasFoundWhenItIsStopped) {
  TuneOptions options = quick();
  options.search.strategy = Strategy::exhaustive;
  std::size_t tried = 0;
  options.progress = [&](const TuneProgress& progress) { tried = progress.tried; };
  options.stop = [&] { return tried >= 2; };
  const Tuned tuned = tune_kernel(device_, space({whole(0)}), kernel(), arguments(), options);
  EXPECT_EQ(tuned.ending, Ending::stopped);
  EXPECT_EQ(tuned.attempts.size(), 2u);
  tried = 2;
  expect_error<InvalidState>(
      [&] { tune_kernel(device_, space({whole(0)}), kernel(), arguments(), options); },
      {"stopped before a variant was measured"});
}

TEST_P(TuneKernelTest, WhatIsKnownIsNotMeasuredAgain) {
  std::map<std::string, Measured> store;
  TuneOptions options = quick();
  options.search.strategy = Strategy::exhaustive;
  options.keep = [&](const Attempt& each) {
    store.insert_or_assign(each.configuration.text(), each.measured);
  };
  options.known = [&](const Configuration& c) -> std::optional<Measured> {
    const auto found = store.find(c.text());
    if (found == store.end()) return {};
    return found->second;
  };
  const Space all = space({whole(0), whole(1)});
  const Tuned first = tune_kernel(device_, all, kernel(), arguments(), options);
  EXPECT_EQ(first.known, 0u);
  EXPECT_EQ(store.size(), all.size());
  const Tuned second = tune_kernel(device_, all, kernel(), arguments(), options);
  EXPECT_EQ(second.known, all.size());
  EXPECT_LE(second.seconds, first.seconds);
}

// The store's choice is the search's, whatever was measured by luck.
TEST_P(TuneKernelTest, TheWinnerIsKeptAsSuch) {
  const Space all = space({whole(0)});
  std::map<std::string, Measured> kept;
  std::map<std::string, double> seconds;
  for (std::size_t k = 0; k < all.size(); ++k) seconds[all.at(k).text()] = 1 + double(k);
  TuneOptions options = quick();
  options.search.strategy = Strategy::exhaustive;
  options.keep = [&](const Attempt& each) {
    kept.insert_or_assign(each.configuration.text(), each.measured);
  };
  options.known = [&](const Configuration& c) -> std::optional<Measured> {
    const auto found = kept.find(c.text());
    if (found == kept.end()) return {};
    return found->second;
  };
  options.measure_with = [&](const Variant& variant, std::optional<double>, std::optional<double>) {
    const auto& flags = variant.options.flags;
    const auto has = [&](const std::string& flag) {
      return std::ranges::find(flags, flag) != flags.end();
    };
    for (std::size_t k = 0; k < all.size(); ++k) {
      const Configuration each = all.at(k);
      if (has("-DITEMS=" + value_text(each["ITEMS"])) &&
          has("-Dgroup=" + value_text(each["group"])))
        return Measured{.seconds = seconds.at(each.text())};
    }
    return Measured{.outcome = Outcome::crash};
  };
  const auto winners = [&] {
    std::vector<std::string> made;
    for (const auto& [name, measured] : kept)
      if (measured.won) made.push_back(name);
    return made;
  };
  const auto run = [&] { return tune_kernel(device_, all, kernel(), {}, options); };
  EXPECT_EQ(run().configuration, all.at(0));
  EXPECT_THAT(winners(), testing::ElementsAre(all.at(0).text()));
  // As after finals in which the second did better than when it was measured alone.
  kept.at(all.at(0).text()).won = false;
  kept.at(all.at(1).text()).won = true;
  const Tuned again = run();
  EXPECT_EQ(again.configuration, all.at(1));
  EXPECT_EQ(again.seconds, 2);
  EXPECT_THAT(winners(), testing::ElementsAre(all.at(1).text()));
  // Another that is measured in a later search, and better: the mark is its.
  kept.erase(all.at(3).text());
  seconds.at(all.at(3).text()) = 0.5;
  EXPECT_EQ(run().configuration, all.at(3));
  EXPECT_THAT(winners(), testing::ElementsAre(all.at(3).text()));
  EXPECT_THAT(kept.at(all.at(3).text()).text, HasSubstr("-DITEMS=2 -Dgroup=64\n\n"));
  EXPECT_THAT(kept.at(all.at(1).text()).text, testing::IsEmpty());
  EXPECT_GT(kept.at(all.at(3).text()).measured_at, kept.at(all.at(1).text()).measured_at);
}

// Measured again now and then, and in the finals: what is kept last is what it ended with.
TEST_P(TuneKernelTest, WhatIsKeptIsWhatTheSearchEndedWith) {
  Space all;
  all.let("n", std::int64_t{n}).add("MODE", {whole(0)}).add("ITEMS", {whole(1)});
  std::vector<Value> sizes;
  for (int k = 1; k <= 36; ++k) sizes.push_back(whole(k));
  all.add("group", sizes);
  KernelTemplate one = kernel();  // of one text, which is compiled once
  one.writing = Writing::keys;
  one.text = std::string("#define MODE 0\n#define ITEMS 1\n") + text;
  TuneOptions options = quick();
  options.search.strategy = Strategy::exhaustive;
  std::map<std::string, Measured> kept;
  options.keep = [&](const Attempt& each) {
    kept.insert_or_assign(each.configuration.text(), each.measured);
  };
  const Tuned tuned = tune_kernel(device_, all, one, arguments(), options);
  ASSERT_EQ(kept.size(), tuned.attempts.size());
  for (const Attempt& each : tuned.attempts) {
    const Measured& last = kept.at(each.configuration.text());
    EXPECT_EQ(last.seconds, each.measured.seconds) << each.configuration.text();
    EXPECT_EQ(last.won, each.configuration == tuned.configuration);
  }
}

TEST_P(TuneKernelTest, MemoryThatKernelsUpdateIsTheSameBeforeEachRun) {
  constexpr const char* adding = R"(
#include <treadle/dialect.h>
TREADLE_KERNEL add(TREADLE_GLOBAL int *x, int n)
{
  const int i = treadle_global_id(0);
  if (i < n) x[i] += 5;
}
)";
  const std::vector<std::int32_t> before(100, 7), after(100, 12);
  const Buffer x(device_, before);
  const auto bytes = std::as_bytes(std::span(after));
  Space all;
  all.add("group", {whole(32), whole(64)});
  const Tuned tuned = tune_kernel(
      device_, all,
      {.text = adding,
       .kernel = "add",
       .groups = {"ceil_div(100, group)"},
       .group_size = {"group"}},
      {ProblemArgument::updated(x, {.bytes = {bytes.begin(), bytes.end()}}), 100}, quick());
  for (const Attempt& each : tuned.attempts) EXPECT_TRUE(each.measured.is_right());
}

TEST_P(TuneKernelTest, SaysWhatIsWrongWithWhatItIsGiven) {
  const Space all = space({whole(1)});
  expect_error<InvalidState>(
      [&] { tune_kernel(device_, all, kernel(), arguments(), quick()); },
      {"none of 8 variants is right; the first, MODE=1, ITEMS=1, group=32: compile error"});
  const auto refused = [&](KernelTemplate wrong, const std::string& why) {
    expect_error<InvalidArgument>([&] { tune_kernel(device_, all, wrong, arguments(), quick()); },
                                  {why});
  };
  refused({.kernel = "f", .groups = {"1"}, .group_size = {"1"}}, "text is empty");
  refused({.text = text, .groups = {"1"}, .group_size = {"1"}}, "kernel is empty");
  refused({.text = text, .kernel = "f", .groups = {"1"}}, "group_size has no formula");
  expect_error<InvalidArgument>(
      [&] {
        tune_kernel(device_, all, kernel(),
                    {ProblemArgument::output(out_, {.bytes = std::vector<std::byte>(3)}), in_, n});
      },
      {"expected has 3"});
}

}  // namespace
}  // namespace treadle::tune
