// SPDX-License-Identifier: MIT
#include "treadle/cuda/allocation.hpp"

#include <gtest/gtest.h>

#include <string>

#include "treadle/cuda/raw.hpp"

namespace treadle::cuda {
namespace {

std::size_t given_back = 0;
std::size_t give_back() noexcept { return given_back; }
std::string text() { return "all of it"; }
constexpr KeptMemory kept = {&give_back, &text};

class AllocationTest : public testing::Test {
 protected:
  AllocationTest() { set_kept_memory(&kept); }
  ~AllocationTest() override { set_kept_memory(nullptr); }
  /// The first call gives `status`.
  int ask(int status) {
    calls_ = 0;
    return static_cast<int>(allocated([&] { return ++calls_ == 1 ? status : 0; }));
  }
  int calls_ = 0;
};

TEST_F(AllocationTest, WhereMemoryIsShortTheCallIsMadeOnceMoreIfSomeWasGivenBack) {
  given_back = 100;
  EXPECT_EQ(ask(CUDA_ERROR_OUT_OF_MEMORY), 0);
  EXPECT_EQ(calls_, 2);
  given_back = 0;
  EXPECT_EQ(ask(CUDA_ERROR_OUT_OF_MEMORY), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(calls_, 1);
}

TEST_F(AllocationTest, OtherRefusalsAreLeftAsTheyAre) {
  given_back = 100;
  EXPECT_EQ(ask(CUDA_ERROR_INVALID_VALUE), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(calls_, 1);
}

}  // namespace
}  // namespace treadle::cuda
