// SPDX-License-Identifier: MIT
#include "treadle/process/census.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace treadle {
namespace {

LiveCount& things() {
  static LiveCount& count = *new LiveCount("census test thing");
  return count;
}

TEST(Census, CountsWhatIsAddedAndRemoved) {
  EXPECT_EQ(things().count(), 0);
  things().add();
  things().add();
  EXPECT_EQ(live_objects().at("census test thing"), 2);
  things().remove();
  things().remove();
  EXPECT_EQ(live_objects().at("census test thing"), 0);
}

TEST(Census, KindsOfOneNameAreCountedTogether) {
  static LiveCount& more = *new LiveCount("census test thing");
  things().add();
  more.add();
  EXPECT_EQ(live_objects().at("census test thing"), 2);
  things().remove();
  more.remove();
}

TEST(Census, ANumberThatSomebodyKnowsIsAskedFor) {
  static long known = 3;
  static LiveCount& asked = *new LiveCount("census test answer", [] { return known; });
  EXPECT_EQ(live_objects().at("census test answer"), 3);
  known = 0;
  EXPECT_EQ(asked.count(), 0);
}

// Fails when it is asked to: what the next test shows the census to find.
TEST(CensusListener, PlantedLeak) {
  if (std::getenv("TREADLE_TEST_PLANT_LEAK") != nullptr) things().add();
}

TEST(CensusListener, P14_ATestThatLeavesAnObjectBehindFails) {
  const std::string run = "exec env -u TREADLE_TEST_HOLD_DEVICES /proc/" +
                          std::to_string(getpid()) +
                          "/exe --gtest_filter=CensusListener.PlantedLeak 2>&1";
  const auto report = [&] {
    std::string text;
    std::FILE* pipe = popen(run.c_str(), "r");
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += static_cast<char>(c);
    return std::pair(pclose(pipe), text);
  };
  EXPECT_EQ(report().first, 0);
  setenv("TREADLE_TEST_PLANT_LEAK", "1", 1);
  const auto [status, text] = report();
  unsetenv("TREADLE_TEST_PLANT_LEAK");
  EXPECT_NE(status, 0);
  EXPECT_NE(text.find("\"census test thing\" behind"), std::string::npos) << text;
}

TEST(Census, P11_ThreadsCountTogether) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([] {
      for (int j = 0; j < 1000; ++j) things().add(), live_objects(), things().remove();
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(things().count(), 0);
}

}  // namespace
}  // namespace treadle
