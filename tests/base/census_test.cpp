// SPDX-License-Identifier: MIT
#include "treadle/base/census.hpp"

#include <gtest/gtest.h>

#include <thread>
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
