// SPDX-License-Identifier: MIT
#include "treadle/process/kept_memory.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace treadle {
namespace {

std::size_t kept_bytes = 0;
int questions = 0;

std::size_t give_back() noexcept {
  ++questions;
  return std::exchange(kept_bytes, 0);
}
std::string held_text() { return std::to_string(kept_bytes) + " bytes are kept"; }
constexpr KeptMemory kept = {&give_back, &held_text};

class KeptMemoryTest : public testing::Test {
 protected:
  KeptMemoryTest() {
    set_kept_memory(&kept);
    kept_bytes = 100;
    questions = 0;
  }
  ~KeptMemoryTest() override { set_kept_memory(nullptr); }
  /// A call that is refused as long as anything is kept.
  int ask() {
    return with_kept_memory(
        [&] {
          ++calls_;
          return kept_bytes == 0 ? 0 : 2;
        },
        [](int status) { return status == 2; });
  }
  int calls_ = 0;
};

TEST_F(KeptMemoryTest, ARefusedCallIsMadeOnceMoreWhenMemoryWasGivenBack) {
  EXPECT_EQ(ask(), 0);
  EXPECT_EQ(calls_, 2);
  EXPECT_EQ(ask(), 0);
  EXPECT_EQ(calls_, 3);
  EXPECT_EQ(questions, 1);
}

TEST_F(KeptMemoryTest, WhatIsSetAsideStays) {
  std::string detail = "asked for much";
  {
    const KeptAside aside;
    const KeptAside within;
    EXPECT_EQ(ask(), 2);
    EXPECT_EQ(calls_, 1);
    add_kept_memory(detail);
    EXPECT_EQ(detail, "asked for much");
  }
  add_kept_memory(detail);
  EXPECT_EQ(detail, "asked for much; 100 bytes are kept");
  EXPECT_EQ(give_back_kept_memory(), 100u);
}

TEST_F(KeptMemoryTest, NothingIsKeptWhereNobodyHasSaidHow) {
  set_kept_memory(nullptr);
  std::string detail;
  add_kept_memory(detail);
  EXPECT_TRUE(detail.empty());
  EXPECT_EQ(give_back_kept_memory(), 0u);
  EXPECT_EQ(ask(), 2);
  EXPECT_EQ(calls_, 1);
}

}  // namespace
}  // namespace treadle
