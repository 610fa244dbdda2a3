// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/harness.hpp"

namespace treadle::cuda_cpu::test {
namespace {

using MemsetTest = RuntimeTest;

TEST_F(MemsetTest, fills_elements_of_1_2_and_4_bytes) {
  constexpr std::size_t count = (3u << 20) + 5;  // several pieces
  const CUdeviceptr pointer = allocate(4 * count);
  ASSERT_CU(CU(cuMemsetD8)(pointer, 0xab, count));
  for (std::size_t i = 0; i < count; ++i)
    ASSERT_EQ(reinterpret_cast<unsigned char*>(pointer)[i], 0xab);
  ASSERT_CU(CU(cuMemsetD16)(pointer, 0x1234, count));
  for (std::size_t i = 0; i < count; ++i)
    ASSERT_EQ(reinterpret_cast<unsigned short*>(pointer)[i], 0x1234);
  ASSERT_CU(CU(cuMemsetD32Async)(pointer, 0x89abcdef, count, nullptr));
  ASSERT_CU(CU(cuCtxSynchronize)());
  for (std::size_t i = 0; i < count; ++i)
    ASSERT_EQ(reinterpret_cast<unsigned*>(pointer)[i], 0x89abcdefu);
}

TEST_F(MemsetTest, fills_rectangles_and_leaves_the_padding) {
  const CUdeviceptr pointer = allocate(64 * 5);
  ASSERT_CU(CU(cuMemsetD2D16)(pointer, 64, 0x0707, 10, 5));
  for (std::size_t i = 0; i < 64 * 5; ++i)
    EXPECT_EQ(reinterpret_cast<unsigned char*>(pointer)[i], i % 64 < 20 ? 7 : 0) << i;
}

TEST_F(MemsetTest, refuses_what_does_not_fit) {
  const CUdeviceptr pointer = allocate(64 * 5);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuMemsetD32)(pointer, 0, 81));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuMemsetD32)(pointer + 1, 0, 1));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuMemsetD2D8)(pointer, 64, 0, 65, 2));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuMemsetD2D32)(pointer, 64, 0, 4, 6));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuMemsetD32)(pointer, 0, ~std::size_t{0} / 2));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuMemsetD8)(0x1000, 0, 1));
  EXPECT_CU(CUDA_SUCCESS, CU(cuMemsetD8)(pointer, 0, 0));
}

}  // namespace
}  // namespace treadle::cuda_cpu::test
