// SPDX-License-Identifier: MIT
#include "treadle/memory/site.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace treadle::memory {
namespace {

std::string where(Site site = std::source_location::current()) { return site.text(); }

TEST(Site, IsTheCallersLine) {
  const std::string text = where();
  EXPECT_THAT(text, testing::HasSubstr("site_test.cpp:" + std::to_string(__LINE__ - 1)));
}

TEST(Site, MayBeAPlaceOfTheCallersOwn) {
  const std::string name = "solve.py:12";
  const Site site(&name, [](const void* place) { return *static_cast<const std::string*>(place); });
  EXPECT_EQ(where(site), "solve.py:12");
}

TEST(Site, MayBeUnknown) { EXPECT_EQ(Site().text(), "an unknown place"); }

}  // namespace
}  // namespace treadle::memory
