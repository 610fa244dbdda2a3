// SPDX-License-Identifier: MIT
#include "treadle/base/embedded.hpp"

#include <gtest/gtest.h>

namespace treadle::embedded_test {
// Made by cmake's treadle_embed() from the folder embedded_files.
extern const std::span<const EmbeddedFile> embedded_files;
namespace {

TEST(Embedded, FilesAreCarriedWithTheirPathsInOrder) {
  ASSERT_EQ(embedded_files.size(), 2u);
  EXPECT_EQ(embedded_files[0].path, "a.txt");
  EXPECT_EQ(embedded_files[0].text, "first\n");
  EXPECT_EQ(embedded_files[1].path, "sub/b.txt");
  EXPECT_EQ(embedded_files[1].text, "quote \" backslash \\ question ?? tab\there\n");
}

}  // namespace
}  // namespace treadle::embedded_test
