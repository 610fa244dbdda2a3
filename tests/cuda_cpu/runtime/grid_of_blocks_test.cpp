// SPDX-License-Identifier: MIT
// Cooperative launches: blocks that meet in the middle of a kernel.
#include "cuda_cpu/runtime/harness.hpp"

namespace treadle::cuda_cpu::test {
namespace {

class GridOfBlocksTest : public RuntimeTest {
 protected:
  template <class... Arguments>
  CUresult launch_together(const char* name, unsigned grid, unsigned block,
                           Arguments... arguments) {
    void* addresses[] = {&arguments..., nullptr};
    return CU(cuLaunchCooperativeKernel)(kernel(name), grid, 1, 1, block, 1, 1, 0, nullptr,
                                         addresses);
  }
  unsigned resident_blocks(const char* name, int block) {
    int each = 0, multiprocessors = 0;
    CU(cuOccupancyMaxActiveBlocksPerMultiprocessor)(&each, kernel(name), block, 0);
    CU(cuDeviceGetAttribute)(&multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0);
    return static_cast<unsigned>(each * multiprocessors);
  }
};

TEST_F(GridOfBlocksTest, all_blocks_come_to_the_barrier_before_one_goes_on) {
  for (const unsigned blocks : {1u, 2u, 7u, 64u}) {
    int* cells = allocate_array<int>(blocks);
    int* sums = allocate_array<int>(blocks);
    ASSERT_CU(launch_together("grid", blocks, 64, cells, sums));
    ASSERT_CU(CU(cuCtxSynchronize)());
    for (unsigned i = 0; i < blocks; ++i)
      EXPECT_EQ(sums[i], static_cast<int>(blocks * (blocks + 1) / 2)) << i << " of " << blocks;
  }
}

TEST_F(GridOfBlocksTest, a_block_may_wait_for_a_later_one) {
  int* flag = allocate_array<int>(1);
  int* seen = allocate_array<int>(1);
  ASSERT_CU(launch_together("await", 40, 32, flag, seen));
  ASSERT_CU(CU(cuCtxSynchronize)());
  EXPECT_EQ(*seen, 7);
}

TEST_F(GridOfBlocksTest, kernels_without_barriers_run_as_ever) {
  int* visits = allocate_array<int>(64 * 32);
  ASSERT_CU(launch_together("count_blocks", 32, 64, visits));
  ASSERT_CU(CU(cuCtxSynchronize)());
  for (int i = 0; i < 64 * 32; ++i) EXPECT_EQ(visits[i], 1);
}

TEST_F(GridOfBlocksTest, more_blocks_than_the_occupancy_allows_are_refused) {
  const unsigned most = resident_blocks("grid", 256);
  int* cells = allocate_array<int>(most + 1);
  int* sums = allocate_array<int>(most + 1);
  EXPECT_CU(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
            launch_together("grid", most + 1, 256, cells, sums));
  EXPECT_CU(CUDA_SUCCESS, launch_together("grid", most, 256, cells, sums));
  ASSERT_CU(CU(cuCtxSynchronize)());
  EXPECT_EQ(sums[most - 1], static_cast<int>(most * (most + 1) / 2));
}

TEST_F(GridOfBlocksTest, the_device_says_that_it_can) {
  int can = 0;
  ASSERT_CU(CU(cuDeviceGetAttribute)(&can, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 0));
  EXPECT_EQ(can, 1);
}

TEST_F(GridOfBlocksTest, an_attribute_of_the_launch_asks_for_it_too) {
  int* cells = allocate_array<int>(3);
  int* sums = allocate_array<int>(3);
  CUlaunchAttribute attribute{};
  attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  attribute.value.cooperative = 1;
  CUlaunchConfig config{.gridDimX = 3,
                        .gridDimY = 1,
                        .gridDimZ = 1,
                        .blockDimX = 32,
                        .blockDimY = 1,
                        .blockDimZ = 1,
                        .sharedMemBytes = 0,
                        .hStream = nullptr,
                        .attrs = &attribute,
                        .numAttrs = 1};
  void* addresses[] = {&cells, &sums, nullptr};
  ASSERT_CU(CU(cuLaunchKernelEx)(&config, kernel("grid"), addresses, nullptr));
  ASSERT_CU(CU(cuCtxSynchronize)());
  EXPECT_EQ(sums[2], 6);
}

TEST_F(GridOfBlocksTest, a_fault_in_one_block_ends_all) {
  int* nowhere = nullptr;
  unsigned block = 5;
  ASSERT_CU(launch_together("write_to", 8, 1, nowhere, block));
  EXPECT_CU(CUDA_ERROR_ILLEGAL_ADDRESS, CU(cuCtxSynchronize)());
}

TEST_F(GridOfBlocksTest, a_grid_barrier_in_another_launch_is_a_fault) {
  int* cells = allocate_array<int>(4);
  int* sums = allocate_array<int>(4);
  ASSERT_CU(launch("grid", 2, 32, nullptr, cells, sums));
  EXPECT_NE(CU(cuCtxSynchronize)(), CUDA_SUCCESS);
}

}  // namespace
}  // namespace treadle::cuda_cpu::test
