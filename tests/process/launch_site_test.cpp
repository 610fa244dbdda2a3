// SPDX-License-Identifier: MIT
#include "treadle/process/launch_site.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "process/launch_ring.hpp"

namespace treadle {
namespace {

struct Shape {
  unsigned groups = 1, size = 1;
};

class LaunchSites : public testing::Test {
 protected:
  void TearDown() override { set_launch_site({}); }
};

TEST_F(LaunchSites, NobodySaidAnythingAtFirst) {
  EXPECT_EQ(launch_site().file, nullptr);
  EXPECT_EQ(site_text(launch_site()), "");
}

TEST_F(LaunchSites, EachThreadHasItsOwn) {
  set_launch_site({"user.py", 7});
  std::thread([] { EXPECT_EQ(launch_site().file, nullptr); }).join();
  EXPECT_EQ(site_text(launch_site()), " (user.py:7)");
}

TEST_F(LaunchSites, ARingKeepsTheLastEightTheLatestFirst) {
  LaunchRing<Shape> ring;
  EXPECT_THAT(ring.records(), testing::IsEmpty());
  for (unsigned i = 1; i <= 11; ++i) {
    set_launch_site({"user.py", static_cast<int>(i)});
    ring.note(lasting_name(i == 11 ? "last" : "k"), {i, 32});
  }
  const auto records = ring.records();
  ASSERT_THAT(records, testing::SizeIs(8));
  EXPECT_EQ(*records[0].kernel, "last");
  EXPECT_EQ(records[0].site.line, 11);
  EXPECT_EQ(records[7].shape.groups, 4u);
}

TEST_F(LaunchSites, NamesLastAndAreKeptOnce) {
  const std::string* kept = nullptr;
  {
    const std::string name = "a kernel of a module that ends";
    kept = lasting_name(name);
  }
  EXPECT_EQ(*kept, "a kernel of a module that ends");
  EXPECT_EQ(kept, lasting_name(*kept));
}

}  // namespace
}  // namespace treadle
