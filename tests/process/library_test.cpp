// SPDX-License-Identifier: MIT
#include "treadle/process/library.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "treadle/base/error.hpp"

namespace treadle {
namespace {

using testing::HasSubstr;

TEST(Library, TheFirstCandidateThatLoadsIsTaken) {
  const std::string candidates[] = {"/no/such/libm.so.6", "libm.so.6"};
  const SharedLibrary library("libm", candidates, "");
  EXPECT_EQ(library.path().filename(), "libm.so.6");
  EXPECT_TRUE(library.path().is_absolute());
  EXPECT_NE(library.symbol("cos"), nullptr);
  EXPECT_EQ(library.symbol("no_such_symbol"), nullptr);
}

TEST(Library, AMissingOneNamesEachCandidateAndTheLoadersAnswer) {
  const std::string candidates[] = {"/no/such/libx.so", "/etc/passwd", "/tmp"};
  try {
    SharedLibrary("libx.so", candidates, "install it");
    FAIL();
  } catch (const LibraryNotFound& error) {
    ASSERT_EQ(error.tried().size(), 3u);
    EXPECT_THAT(error.tried()[0], HasSubstr("/no/such/libx.so: "));
    EXPECT_THAT(error.tried()[0], HasSubstr("No such file"));
    EXPECT_THAT(error.tried()[1], HasSubstr("/etc/passwd: "));
    EXPECT_EQ(error.hint(), "install it");
  }
}

TEST(Library, OurOwnAreSearchedAndEveryPlaceIsToldOf) {
  const LibrarySearch search = find_own_library("libtreadle_no_such.so");
  EXPECT_FALSE(search.path.has_value());
  ASSERT_FALSE(search.tried.empty());
  EXPECT_THAT(search.tried.front(), HasSubstr("libtreadle_no_such.so: no such file"));
  EXPECT_THROW(open_own_library("libtreadle_no_such.so"), LibraryNotFound);
}

}  // namespace
}  // namespace treadle
