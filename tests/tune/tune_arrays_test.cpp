// SPDX-License-Identifier: MIT
#include "treadle/tune/tune_arrays.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "device/each_device.hpp"
#include "treadle/kernel/known_tilings.hpp"
#include "treadle/kernel/tiling.hpp"
#include "tune/running_devices.hpp"

namespace treadle::tune {
namespace {

using device::expect_error;

std::string content(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class TuneArraysTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    device_ = device::find_device(GetParam());
    before_ = kernel::tiling_of(*device_);
    // Other tests run beside this one, with their own numbers.
    options_ = {.seconds = 0.2,
                .size = 1.0 / 64,
                .store = std::make_shared<Store>(""),
                .file = std::filesystem::temp_directory_path() /
                        ("treadle-tuned-arrays-" + std::to_string(getpid()) + ".jsonl")};
  }
  void TearDown() override {
    kernel::set_tiling(*device_, before_);
    std::error_code failure;
    std::filesystem::remove(options_.file, failure);
  }
  std::shared_ptr<device::Device> device_;
  codegen::Tiling before_ = {};
  ArrayTuneOptions options_;
};
INSTANTIATE_TEST_SUITE_P(Devices, TuneArraysTest, testing::ValuesIn(running_devices()),
                         device::device_test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(TuneArraysTest);

TEST_P(TuneArraysTest, EveryFamilyIsASpaceAroundTheDevicesNumbers) {
  ASSERT_EQ(array_families().size(), 10u);
  // What decides how sums are rounded is in none, and what borders need, which no problem has.
  std::set<std::string> reached = {"run_elements",    "text_run_elements", "run_rows",
                                   "block_elements",  "longest_in_blocks", "lane_bytes",
                                   "short_row_lanes", "short_row_turns",   "vector_lanes",
                                   "conjugate_lanes", "border_bytes"};
  for (const std::string& family : array_families()) {
    const Space space = array_space(*device_, family);
    EXPECT_GT(space.size(), 1u) << family;
    EXPECT_EQ(space.size(), space.cartesian_size());
    const std::vector<std::string> names = array_numbers(family);
    for (const std::string& name : space.names())
      EXPECT_TRUE(std::ranges::find(names, name) != names.end()) << name;
    for (const std::string& name : names) EXPECT_TRUE(reached.insert(name).second) << name;
  }
  // Those of the other schedule, too: machines without a GPU tell as well.
  for (const codegen::TilingNumber& number : codegen::tiling_numbers())
    EXPECT_TRUE(reached.contains(std::string(number.name))) << number.name;
  expect_error<InvalidArgument>([&] { array_space(*device_, "folds"); },
                                {"family is 'folds'", "elementwise, transpose, fold"});
}

TEST_P(TuneArraysTest, WhatIsBetterIsUsedAndWrittenForLaterProcesses) {
  options_.worth = options_.slowest = 1e9;  // whatever is best
  std::size_t told = 0;
  options_.progress = [&](const ArrayProgress& progress) {
    ++told;
    EXPECT_GT(progress.best, 0);
  };
  options_.families = {"elementwise", "product"};
  const auto tuned = tune_arrays(device_, options_);
  ASSERT_EQ(tuned.size(), 2u);
  EXPECT_EQ(tuned[0].family, "elementwise");
  EXPECT_EQ(told, tuned[0].attempts + tuned[1].attempts);
  EXPECT_EQ(options_.store->keys("treadle.arrays.elementwise").size(), 1u);
  const codegen::Tiling now = kernel::tiling_of(*device_);
  std::size_t changed = 0;
  for (const codegen::TilingNumber& number : codegen::tiling_numbers())
    changed += number.get(now) != number.get(before_);
  EXPECT_EQ(changed, tuned[0].numbers.size() + tuned[1].numbers.size());
  // As a new process does.
  EXPECT_EQ(kernel::known_tiling(*device_, now.schedule, options_.file), now);
  // The search of another day begins there; nothing is worth a change then.
  options_.worth = 0;
  options_.progress = {};
  for (const ArrayTuned& each : tune_arrays(device_, options_)) EXPECT_TRUE(each.numbers.empty());
  EXPECT_EQ(kernel::tiling_of(*device_), now);
  EXPECT_EQ(kernel::known_tiling(*device_, now.schedule, options_.file), now);
}

TEST_P(TuneArraysTest, WhatIsHardlyBetterStaysAsItIs) {
  options_.worth = 0;
  options_.families = {"transpose"};
  const auto tuned = tune_arrays(device_, options_);
  EXPECT_TRUE(tuned[0].numbers.empty());
  EXPECT_EQ(tuned[0].ratio, 1);
  EXPECT_EQ(kernel::tiling_of(*device_), before_);
  EXPECT_EQ(kernel::known_tiling(*device_, before_.schedule, options_.file), before_);
}

TEST_P(TuneArraysTest, EveryFamilyIsTunedAndRight) {
  options_.seconds = 1;
  options_.sizes = {1 << 15};
  for (const ArrayTuned& each : tune_arrays(device_, options_)) {
    EXPECT_GE(each.attempts, 1u) << each.family;
    EXPECT_LT(each.failed, each.attempts) << each.family;
  }
  for (const StoreKey& key : options_.store->keys())
    for (const KeptAttempt& each : options_.store->attempts(key))
      EXPECT_NE(each.measured.outcome, Outcome::wrong_result) << key.kernel << each.measured.error;
}

TEST_P(TuneArraysTest, StoppedItKeepsWhatTheDeviceHad) {
  options_.stop = [] { return true; };
  EXPECT_TRUE(tune_arrays(device_, options_).empty());
  EXPECT_EQ(kernel::tiling_of(*device_), before_);
  options_.families = {"sorts"};
  expect_error<InvalidArgument>([&] { tune_arrays(device_, options_); }, {"family is 'sorts'"});
}

/// A device whose times are a formula of one number, of the time before.
class ModelledArraysTest : public TuneArraysTest {
 protected:
  /// What came of the family; `ratio` says how many times as long a problem takes.
  ArrayTuned tuned(const std::string& family,
                   std::function<double(const ArrayProblemSize&, const codegen::Tiling&)> ratio) {
    options_.families = {family};
    options_.seconds = 0.4;
    options_.model = [this, ratio = std::move(ratio)](const ArrayProblemSize& problem,
                                                      const codegen::Tiling& tiling) {
      sizes_.insert(problem.elements);
      names_.insert(problem.name);
      return 1e-9 * double(problem.elements) * ratio(problem, tiling);
    };
    return tune_arrays(device_, options_).front();
  }
  std::set<std::uint64_t> sizes_;
  std::set<std::string> names_;
};
INSTANTIATE_TEST_SUITE_P(Devices, ModelledArraysTest, testing::Values("cpu"),
                         device::device_test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ModelledArraysTest);

// Numbers for products of 1024 were adopted that took fourteen times as long for 4096.
TEST_P(ModelledArraysTest, WhatSmallProblemsLikeAndLargeOnesHateIsNotAdopted) {
  const auto steps = before_.product_steps;
  const ArrayTuned found = tuned("product", [&](const auto& problem, const auto& tiling) {
    const bool is_large = problem.elements > 10000;
    const double depth = tiling.product_depth == before_.product_depth ? 1 : is_large ? 14 : 0.3;
    return depth * (tiling.product_steps == steps ? 1 : 0.9);
  });
  EXPECT_GT(sizes_.size(), 1u);
  EXPECT_EQ(names_.size(), 3u);
  // What is better everywhere is.
  EXPECT_FALSE(found.numbers.contains("product_depth"));
  EXPECT_TRUE(found.numbers.contains("product_steps"));
  EXPECT_NEAR(found.ratio, 0.9, 1e-9);
  EXPECT_EQ(found.ratios.size(), names_.size() * sizes_.size());
}
TEST_P(ModelledArraysTest, LittleSlowerForOneProblemIsTooSlow) {
  const ArrayTuned found = tuned("scan", [&](const auto& problem, const auto& tiling) {
    if (tiling.scan_lanes == before_.scan_lanes) return 1.0;
    return problem.name == "rows" && problem.elements == *sizes_.begin() ? 1.05 : 0.7;
  });
  EXPECT_TRUE(found.numbers.empty());
  EXPECT_EQ(found.ratio, 1);
  EXPECT_EQ(kernel::tiling_of(*device_), before_);
}
// As a search picks the luckiest of many, its own times of that one say nothing.
TEST_P(ModelledArraysTest, WhatWasLuckAtFirstIsMeasuredAgain) {
  std::map<std::uint64_t, unsigned> asked;  // of a number's value
  const ArrayTuned found = tuned("transpose", [&](const auto&, const auto& tiling) {
    if (tiling.tile_side != before_.tile_side) return ++asked[tiling.tile_side] < 120 ? 0.5 : 1.0;
    return 1.0;
  });
  EXPECT_TRUE(found.numbers.empty()) << found.ratio;
}
// Caches hold what the problem before it read: whoever comes first would always be slower.
TEST_P(ModelledArraysTest, FirstAfterAnotherProblemIsNoSlower) {
  std::string last;
  unsigned runs = 0;
  const ArrayTuned found = tuned("transpose", [&](const auto& problem, const auto&) {
    const std::string now = problem.name + std::to_string(problem.elements);
    // Of two in a row the second is a little faster, too.
    const double seconds = now != last ? 2 : ++runs % 2 == 0 ? 0.8 : 1;
    last = now;
    return seconds;
  });
  EXPECT_TRUE(found.numbers.empty()) << found.ratio;
}
// Numbers of one's own sizes.
TEST_P(ModelledArraysTest, SizesAreTheCallers) {
  options_.sizes = {1 << 14, 1 << 16};
  tuned("transpose", [](const auto&, const auto&) { return 1.0; });
  EXPECT_EQ(sizes_, (std::set<std::uint64_t>{1 << 14, 1 << 16}));
}
TEST_P(ModelledArraysTest, SizesThatWouldTakeAllTheTimeAreLeftOut) {
  options_.size = 1;
  tuned("elementwise", [](const auto&, const auto&) { return 1.0; });
  // 0.4 s allow 2.7 ms for a run of all.
  EXPECT_GT(sizes_.size(), 1u);
  EXPECT_LT(*sizes_.rbegin(), 3000000u);
}

// Wisdom of another machine, say.
TEST_P(TuneArraysTest, LinesOfOtherDevicesStay) {
  const auto file = std::filesystem::temp_directory_path() /
                    ("treadle-tilings-" + std::to_string(getpid()) + ".jsonl");
  const kernel::KnownTiling other{"GPU 7", "sm_7", Schedule::wide, {{"tile_side", 16}}};
  std::ofstream(file) << "what is this\n" << kernel::tiling_line(other) << "\n";
  Store store("");
  EXPECT_EQ(write_tilings(store, file), 0u);
  Space space;
  space.add("tile_side", {std::int64_t{8}, std::int64_t{32}})
      .add("group_size", {std::int64_t{128}});
  const StoreKey key{"treadle.arrays.transpose",
                     {{"schedule", std::string("wide")}},
                     {.device = "GPU 8", .architecture = "sm_8"}};
  store.add(key, space.at(0), {.seconds = 1});
  EXPECT_EQ(write_tilings(store, file), 0u);  // no search has come to its end
  store.add(key, space.at(1), {.seconds = 2, .won = true});
  EXPECT_EQ(write_tilings(store, file), 2u);
  // All numbers, those that are the default's, too: later versions may carry others.
  const std::string own = kernel::tiling_line(
      {"GPU 8", "sm_8", Schedule::wide, {{"group_size", 128}, {"tile_side", 32}}});
  EXPECT_EQ(content(file), kernel::tiling_line(other) + "\n" + own + "\n");
  std::filesystem::remove(file);
  expect_error<FileError>([&] { write_tilings(store, "/proc/none/tilings"); }, {"/proc/none"});
}

}  // namespace
}  // namespace treadle::tune
