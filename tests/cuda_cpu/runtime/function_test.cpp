// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/harness.hpp"

namespace treadle::cuda_cpu::test {
namespace {

class FunctionTest : public RuntimeTest {
 protected:
  int attribute(const char* name, CUfunction_attribute which) {
    int value = -7;
    EXPECT_CU(CUDA_SUCCESS, CU(cuFuncGetAttribute)(&value, which, kernel(name)));
    return value;
  }
};

TEST_F(FunctionTest, has_attributes) {
  for (int which = 0; which < CU_FUNC_ATTRIBUTE_MAX; ++which)
    attribute("empty", static_cast<CUfunction_attribute>(which));
  EXPECT_EQ(attribute("empty", CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 1024);
  EXPECT_EQ(attribute("at_most_64", CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 64);
  EXPECT_EQ(attribute("much_static_shared", CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES), 40 << 10);
  EXPECT_EQ(attribute("much_static_shared", CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES),
            8 << 10);
  EXPECT_EQ(attribute("empty", CU_FUNC_ATTRIBUTE_BINARY_VERSION), 70);
  int value = 0;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            CU(cuFuncGetAttribute)(&value, CU_FUNC_ATTRIBUTE_MAX, kernel("empty")));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            CU(cuFuncSetAttribute)(kernel("empty"), CU_FUNC_ATTRIBUTE_NUM_REGS, 3));
  EXPECT_CU(CUDA_SUCCESS,
            CU(cuFuncSetAttribute)(kernel("empty"),
                                   CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 50));
  EXPECT_EQ(attribute("empty", CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT), 50);
  EXPECT_CU(CUDA_SUCCESS, CU(cuFuncSetCacheConfig)(kernel("empty"), CU_FUNC_CACHE_PREFER_SHARED));
}

TEST_F(FunctionTest, tells_name_module_and_parameters) {
  const CUfunction function = kernel("saxpy");
  const char* name = nullptr;
  CUmodule module = nullptr;
  EXPECT_CU(CUDA_SUCCESS, CU(cuFuncGetName)(&name, function));
  EXPECT_STREQ(name, "saxpy");
  EXPECT_CU(CUDA_SUCCESS, CU(cuFuncGetModule)(&module, function));
  EXPECT_EQ(module, module_);
  const std::size_t expected[][2] = {{0, 4}, {8, 8}, {16, 8}, {24, 4}};
  for (std::size_t i = 0; i < 4; ++i) {
    std::size_t offset = 99, size = 99;
    EXPECT_CU(CUDA_SUCCESS, CU(cuFuncGetParamInfo)(function, i, &offset, &size));
    EXPECT_EQ(offset, expected[i][0]);
    EXPECT_EQ(size, expected[i][1]);
  }
  std::size_t offset = 0;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuFuncGetParamInfo)(function, 4, &offset, nullptr));
  const auto describe =
      entry_point_as<CUresult(CUfunction, std::size_t, const char**, const char**, unsigned*)>(
          "treadleCpuParameterInfo");
  const char* type = nullptr;
  unsigned kind = 9;
  EXPECT_CU(CUDA_SUCCESS, describe(function, 1, &name, &type, &kind));
  EXPECT_STREQ(name, "x");
  EXPECT_STREQ(type, "const float*");
  EXPECT_EQ(kind, 1u);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, describe(function, 4, &name, &type, &kind));
}

TEST_F(FunctionTest, keeps_one_handle_for_a_kernel) { EXPECT_EQ(kernel("saxpy"), kernel("saxpy")); }

TEST_F(FunctionTest, fits_blocks_on_a_multiprocessor) {
  int blocks = 0, grid = 0, block = 0;
  EXPECT_CU(CUDA_SUCCESS,
            CU(cuOccupancyMaxActiveBlocksPerMultiprocessor)(&blocks, kernel("empty"), 1024, 0));
  EXPECT_EQ(blocks, 2);
  EXPECT_CU(CUDA_SUCCESS,
            CU(cuOccupancyMaxActiveBlocksPerMultiprocessor)(&blocks, kernel("at_most_64"), 128, 0));
  EXPECT_EQ(blocks, 0);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            CU(cuOccupancyMaxActiveBlocksPerMultiprocessor)(&blocks, kernel("empty"), 0, 0));
  EXPECT_CU(CUDA_SUCCESS,
            CU(cuOccupancyMaxPotentialBlockSize)(&grid, &block, kernel("empty"), nullptr, 0, 0));
  EXPECT_GE(grid, 1);
  EXPECT_EQ(block % 32, 0);
  EXPECT_CU(CUDA_SUCCESS, CU(cuOccupancyMaxPotentialBlockSize)(&grid, &block, kernel("at_most_64"),
                                                               nullptr, 0, 0));
  EXPECT_EQ(block, 64);
  std::size_t bytes = 0;
  EXPECT_CU(CUDA_SUCCESS,
            CU(cuOccupancyAvailableDynamicSMemPerBlock)(&bytes, kernel("empty"), 2, 64));
  EXPECT_GT(bytes, 0u);
}

TEST_F(FunctionTest, of_an_unloaded_module_is_refused) {
  const CUfunction function = kernel("empty");
  ASSERT_CU(CU(cuModuleUnload)(module_));
  const char* name = nullptr;
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, CU(cuFuncGetName)(&name, function));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE,
            CU(cuLaunchKernel)(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
}

}  // namespace
}  // namespace treadle::cuda_cpu::test
