// SPDX-License-Identifier: MIT
#include "treadle/process/warning.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace treadle {
namespace {

TEST(Warning, GoesToTheHandlerThatIsInstalled) {
  std::vector<std::string> heard;
  const WarningHandler before =
      set_warning_handler([&](std::string_view text) { heard.emplace_back(text); });
  warn("one");
  warn("two");
  const WarningHandler ours = set_warning_handler(before);
  EXPECT_EQ(heard, (std::vector<std::string>{"one", "two"}));
  ours("three");
  EXPECT_EQ(heard.size(), 3u);
}

TEST(Warning, AHandlerMayThrowOrReplaceItself) {
  const WarningHandler before =
      set_warning_handler([](std::string_view) { throw std::logic_error("from a handler"); });
  warn("swallowed");
  set_warning_handler([&](std::string_view) { set_warning_handler(before); });
  warn("no deadlock");
  set_warning_handler(before);
}

TEST(Warning, TheDefaultWritesToStandardError) {
  const WarningHandler before = set_warning_handler({});
  testing::internal::CaptureStderr();
  warn("look out");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "treadle: warning: look out\n");
  set_warning_handler(before);
}

}  // namespace
}  // namespace treadle
