// SPDX-License-Identifier: MIT
#include "treadle/process/write_all.hpp"

#include <gtest/gtest.h>
#include <sys/types.h>

#include <algorithm>
#include <string>
#include <vector>

namespace treadle {
namespace {

/// A descriptor that answers in turn: bytes it takes, or minus the errno it sets.
struct Answers {
  std::vector<ssize_t> left;
  std::string written;

  ssize_t operator()(int, const void* from, std::size_t size) {
    const ssize_t answer = left.empty() ? static_cast<ssize_t>(size) : left.front();
    if (!left.empty()) left.erase(left.begin());
    if (answer < 0) {
      errno = static_cast<int>(-answer);
      return -1;
    }
    const auto taken = std::min(size, static_cast<std::size_t>(answer));
    written.append(static_cast<const char*>(from), taken);
    return static_cast<ssize_t>(taken);
  }
};

const std::string text = "all of it";

TEST(WriteAll, OneCallMayTakeEverything) {
  Answers file;
  EXPECT_TRUE(write_all(file, 3, text.data(), text.size()));
  EXPECT_EQ(file.written, text);
}

TEST(WriteAll, PartsAreFollowedByTheRest) {
  Answers file{.left = {1, 3, 2}, .written = {}};
  EXPECT_TRUE(write_all(file, 3, text.data(), text.size()));
  EXPECT_EQ(file.written, text);
}

TEST(WriteAll, AnInterruptedCallIsMadeAgain) {
  Answers file{.left = {-EINTR, 4, -EINTR, -EINTR}, .written = {}};
  EXPECT_TRUE(write_all(file, 3, text.data(), text.size()));
  EXPECT_EQ(file.written, text);
}

TEST(WriteAll, AFailureIsToldAndWhatCameBeforeStays) {
  for (const int code : {ENOSPC, EIO, EDQUOT}) {
    Answers file{.left = {4, -code}, .written = {}};
    EXPECT_FALSE(write_all(file, 3, text.data(), text.size()));
    EXPECT_EQ(errno, code);
    EXPECT_EQ(file.written, text.substr(0, 4));
  }
}

TEST(WriteAll, ADescriptorThatTakesNothingIsFull) {
  Answers file{.left = {2, 0}, .written = {}};
  errno = 0;
  EXPECT_FALSE(write_all(file, 3, text.data(), text.size()));
  EXPECT_EQ(errno, ENOSPC);
}

TEST(WriteAll, NothingIsWrittenWithoutACall) {
  Answers file{.left = {-EIO}, .written = {}};
  EXPECT_TRUE(write_all(file, 3, nullptr, 0));
  EXPECT_EQ(file.left.size(), 1u);
}

}  // namespace
}  // namespace treadle
