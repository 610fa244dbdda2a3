// SPDX-License-Identifier: MIT
#include "treadle/tune/tune_arrays.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

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
  ASSERT_EQ(array_families().size(), 6u);
  for (const std::string& family : array_families()) {
    const Space space = array_space(*device_, family);
    EXPECT_GT(space.size(), 4u) << family;
    EXPECT_EQ(space.size(), space.cartesian_size());
  }
  expect_error<InvalidArgument>([&] { array_space(*device_, "folds"); },
                                {"family is 'folds'", "elementwise, transpose, fold"});
}

TEST_P(TuneArraysTest, WhatIsBetterIsUsedAndWrittenForLaterProcesses) {
  options_.worth = 1e9;  // whatever is best
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
