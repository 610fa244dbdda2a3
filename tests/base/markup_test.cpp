// SPDX-License-Identifier: MIT
#include "base/markup.hpp"

#include <gtest/gtest.h>

namespace treadle {
namespace {

TEST(MarkupTest, TextsAreEscaped) {
  EXPECT_EQ(escaped("a<b && c>\"d\"\n\t"), "a&lt;b &amp;&amp; c&gt;&quot;d&quot;\n\t");
  EXPECT_EQ(escaped(std::string("\x01x\x1f\0y", 5)), "xy");
  EXPECT_EQ(escaped("\u00b5"), "\u00b5") << "UTF-8 stays";
}

}  // namespace
}  // namespace treadle
