// SPDX-License-Identifier: MIT
#include <algorithm>

#include "cuda_cpu/runtime/harness.hpp"

namespace treadle::cuda_cpu::test {
namespace {

using ServicesTest = RuntimeTest;

/// What this process may do at the address, as /proc/self/maps has it; "" if nothing is there.
std::string access_at(const void* pointer) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  for (const Mapping& mapping : mappings())
    if (address >= mapping.begin && address < mapping.end) return mapping.access;
  return "";
}

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

TEST_F(ServicesTest, give_heap_memory_apart_and_again_once_it_is_released) {
  char** const where = allocate_array<char*>(1);
  std::vector<std::pair<char*, std::size_t>> blocks;
  for (const std::size_t bytes : {1u, 16u, 17u, 100u, 1000u, 5000u, 70'000u, 200'000u, 3'000'000u})
    for (int i = 0; i < 2; ++i) {
      ASSERT_CU(launch("allocate_and_keep", 1, 1, nullptr, bytes, where));
      ASSERT_CU(CU(cuCtxSynchronize)());
      ASSERT_NE(*where, nullptr) << bytes;
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(*where) % 16, 0u);
      for (const auto& [block, size] : blocks)
        EXPECT_TRUE(*where + bytes <= block || block + size <= *where);
      blocks.emplace_back(*where, bytes);
    }
  std::size_t two_millions = 2'000'000;  // more than is left of 8 MiB
  ASSERT_CU(launch("allocate_and_keep", 1, 1, nullptr, two_millions, where));
  ASSERT_CU(CU(cuCtxSynchronize)());
  EXPECT_EQ(*where, nullptr);
  for (const auto& [block, size] : blocks) {
    *where = block;
    ASSERT_CU(launch("release_it", 1, 1, nullptr, where));
    ASSERT_CU(launch("release_it", 1, 1, nullptr, where));  // a second time: nothing happens
    ASSERT_CU(CU(cuCtxSynchronize)());
  }
  ASSERT_CU(launch("allocate_and_keep", 1, 1, nullptr, two_millions, where));
  ASSERT_CU(CU(cuCtxSynchronize)());
  EXPECT_NE(*where, nullptr);
}

TEST_F(ServicesTest, give_back_with_the_context_what_kernels_allocated) {
  for (const std::size_t bytes : {std::size_t{64}, std::size_t{4} << 20}) {
    CUcontext context = nullptr;
    ASSERT_CU(CU(cuCtxCreate)(&context, nullptr, 0, 0));
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    CUdeviceptr where = 0;
    ASSERT_CU(CU(cuModuleLoadData)(&module, test_image().data()));
    ASSERT_CU(CU(cuModuleGetFunction)(&function, module, "allocate_and_keep"));
    ASSERT_CU(CU(cuMemAlloc)(&where, sizeof(char*)));
    std::size_t size = bytes;
    void* addresses[] = {&size, &where};
    ASSERT_CU(CU(cuLaunchKernel)(function, 1, 1, 1, 1, 1, 1, 0, nullptr, addresses, nullptr));
    ASSERT_CU(CU(cuCtxSynchronize)());
    const char* const block = *reinterpret_cast<char**>(where);
    ASSERT_NE(block, nullptr);
    EXPECT_NE(access_at(block), "");
    ASSERT_CU(CU(cuCtxDestroy)(context));
    EXPECT_TRUE(access_at(block) == "" || access_at(block).starts_with("---"))
        << access_at(block) << ' ' << bytes;
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
