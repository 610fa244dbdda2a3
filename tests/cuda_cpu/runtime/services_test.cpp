// SPDX-License-Identifier: MIT
#include <algorithm>

#include "cuda_cpu/runtime/harness.hpp"

namespace treadle::cuda_cpu::test {
namespace {

using ServicesTest = RuntimeTest;

TEST_F(ServicesTest, print_when_the_program_synchronizes) {
  ::testing::internal::CaptureStdout();
  ASSERT_CU(launch("print_block", 1, 1, nullptr));
  while (CU(cuStreamQuery)(nullptr) == CUDA_ERROR_NOT_READY) {
  }
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  ::testing::internal::CaptureStdout();
  ASSERT_CU(CU(cuCtxSynchronize)());
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "block 0 of 1: ok -1\n");
}

TEST_F(ServicesTest, print_whole_lines_from_many_threads) {
  ::testing::internal::CaptureStdout();
  ASSERT_CU(launch("print_block", 3000, 1, nullptr));
  CUstream stream = nullptr;
  ASSERT_CU(CU(cuStreamSynchronize)(stream));
  const std::string text = ::testing::internal::GetCapturedStdout();
  for (int i = 0; i < 3000; ++i)
    EXPECT_NE(text.find("block " + std::to_string(i) + " of 3000: ok -1\n"), std::string::npos)
        << i;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3000);
}

TEST_F(ServicesTest, lose_no_text_when_the_buffer_is_small) {
  ASSERT_CU(CU(cuCtxSetLimit)(CU_LIMIT_PRINTF_FIFO_SIZE, 64));
  ::testing::internal::CaptureStdout();
  ASSERT_CU(launch("print_block", 100, 1, nullptr));
  ASSERT_CU(CU(cuCtxSynchronize)());
  const std::string text = ::testing::internal::GetCapturedStdout();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 100);
}

TEST_F(ServicesTest, allocate_up_to_the_heap_limit) {
  int* got = allocate_array<int>(1);
  for (const auto& [bytes, expected] : {std::pair{std::size_t{1000}, 1},
                                        {std::size_t{9} << 20, 0},
                                        {std::size_t{7} << 20, 1},
                                        {~std::size_t{0}, 0}}) {
    ASSERT_CU(launch("allocate", 1, 1, nullptr, bytes, got));
    ASSERT_CU(CU(cuCtxSynchronize)());
    EXPECT_EQ(*got, expected) << bytes;
  }
}

TEST_F(ServicesTest, know_the_calling_block) {
  int* out = allocate_array<int>(1);
  ASSERT_CU(launch("current_is_mine", 1, 1, nullptr, out));
  ASSERT_CU(CU(cuCtxSynchronize)());
  EXPECT_EQ(*out, 1);
}

}  // namespace
}  // namespace treadle::cuda_cpu::test
