// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <numeric>

#include "cuda_cpu/runtime/harness.hpp"

namespace treadle::cuda_cpu::test {
namespace {

using LaunchTest = RuntimeTest;

TEST_F(LaunchTest, computes_saxpy) {
  constexpr int n = 100'003;
  std::vector<float> x(n), y(n, 1.0f);
  std::iota(x.begin(), x.end(), 0.0f);
  const auto device_x = allocate(n * sizeof(float)), device_y = allocate(n * sizeof(float));
  ASSERT_CU(CU(cuMemcpyHtoD)(device_x, x.data(), n * sizeof(float)));
  ASSERT_CU(CU(cuMemcpyHtoD)(device_y, y.data(), n * sizeof(float)));
  ASSERT_CU(launch("saxpy", (n + 255) / 256, 256, nullptr, 2.0f, device_x, device_y, n));
  ASSERT_CU(CU(cuMemcpyDtoH)(y.data(), device_y, n * sizeof(float)));
  for (int i = 0; i < n; ++i)
    ASSERT_EQ(y[static_cast<std::size_t>(i)], 1.0f + 2.0f * static_cast<float>(i)) << i;
}

TEST_F(LaunchTest, runs_every_block_of_a_grid_once) {
  for (const auto& [x, y, z] :
       {std::array{1u, 1u, 1u}, {7u, 5u, 3u}, {1000u, 1u, 2u}, {1u, 1u, 65u}, {1u, 300u, 1u}}) {
    const std::size_t blocks = std::size_t{x} * y * z, threads = 2 * 3 * 4;
    int* visits = allocate_array<int>(blocks * threads);
    void* addresses[] = {&visits};
    ASSERT_CU(CU(cuLaunchKernel)(kernel("count_blocks"), x, y, z, 2, 3, 4, 0, nullptr, addresses,
                                 nullptr));
    ASSERT_CU(CU(cuCtxSynchronize)());
    for (std::size_t i = 0; i < blocks * threads; ++i) ASSERT_EQ(visits[i], 1) << i;
  }
}

TEST_F(LaunchTest, runs_blocks_of_a_row_together_and_each_once) {
  // 16384 / 8 go together at most. Chunks end within rows, and the last grid's hold more than that.
  int workers = 0;
  ASSERT_CU(CU(cuDeviceGetAttribute)(&workers, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
  const auto many = 14 * static_cast<unsigned>(workers);
  for (const auto& [x, y, z] :
       {std::array{1u, 1u, 1u}, {37u, 5u, 3u}, {1200u, 3u, 1u}, {2500u, many, 1u}}) {
    const std::size_t blocks = std::size_t{x} * y * z, threads = 8 * 3;
    int* visits = allocate_array<int>(blocks * threads);
    int* most = allocate_array<int>(1);
    void* addresses[] = {&visits, &most};
    ASSERT_CU(CU(cuLaunchKernel)(kernel("count_block_rows"), x, y, z, 8, 3, 1, 0, nullptr,
                                 addresses, nullptr));
    ASSERT_CU(CU(cuCtxSynchronize)());
    for (std::size_t i = 0; i < blocks * threads; ++i) ASSERT_EQ(visits[i], 1) << i;
    const std::size_t chunk = std::max<std::size_t>(1, blocks / (16 * std::size_t(workers)));
    EXPECT_EQ(static_cast<std::size_t>(*most), std::min<std::size_t>({2048, x, chunk}));
  }
}

TEST_F(LaunchTest, starts_blocks_in_increasing_order) {
  constexpr unsigned blocks = 2000;
  int* done = allocate_array<int>(blocks);
  ASSERT_CU(launch("wait_for_previous_block", blocks, 1, nullptr, done));
  ASSERT_CU(CU(cuCtxSynchronize)());
  EXPECT_EQ(std::accumulate(done, done + blocks, 0u), blocks);
}

TEST_F(LaunchTest, returns_before_the_kernel_has_run) {
  int* flag = allocate_array<int>(1);
  int* seen = allocate_array<int>(1);
  ASSERT_CU(launch("wait_flag", 1, 1, nullptr, flag, seen, 5));
  EXPECT_CU(CUDA_ERROR_NOT_READY,
            CU(cuStreamQuery)(nullptr));  // the kernel cannot end before the flag is set
  *static_cast<volatile int*>(flag) = 1;
  ASSERT_CU(CU(cuCtxSynchronize)());
  EXPECT_EQ(*seen, 5);
}

TEST_F(LaunchTest, starts_without_anybody_waiting) {
  int* flag = allocate_array<int>(1);
  ASSERT_CU(launch("set_flag", 1, 1, nullptr, flag, 9));
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (CU(cuStreamQuery)(nullptr) == CUDA_ERROR_NOT_READY &&
         std::chrono::steady_clock::now() < end) {
  }
  EXPECT_EQ(*static_cast<volatile int*>(flag), 9);
}

TEST_F(LaunchTest, passes_arguments_of_every_size_by_address_and_packed) {
  struct Mixed {
    char tag;
    double value;
    std::int16_t small;
  } const mixed{7, 2.5, -3};
  const auto expect_values = [](const double* out) {
    const double expected[] = {1, 0.5, 7, 2.5, -3, 12};
    for (int i = 0; i < 6; ++i) EXPECT_EQ(out[i], expected[i]) << i;
  };
  double* out = allocate_array<double>(6);
  ASSERT_CU(launch("mixed_arguments", 1, 1, nullptr, char{1}, 0.5, mixed, std::int16_t{12}, out));
  ASSERT_CU(CU(cuCtxSynchronize)());
  expect_values(out);

  ASSERT_CU(CU(cuMemsetD8)(reinterpret_cast<CUdeviceptr>(out), 0, 6 * sizeof(double)));
  std::byte packed[56];
  const auto put = [&](std::size_t offset, const auto& value) {
    std::memcpy(packed + offset, &value, sizeof value);
  };
  put(0, char{1});
  put(8, 0.5);
  put(16, mixed);
  put(40, std::int16_t{12});
  put(48, out);
  std::size_t size = sizeof packed;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   CU_LAUNCH_PARAM_END};
  ASSERT_CU(
      CU(cuLaunchKernel)(kernel("mixed_arguments"), 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra));
  ASSERT_CU(CU(cuCtxSynchronize)());
  expect_values(out);
  size = 40;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuLaunchKernel)(kernel("mixed_arguments"), 1, 1, 1, 1, 1,
                                                         1, 0, nullptr, nullptr, extra));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuLaunchKernel)(kernel("mixed_arguments"), 1, 1, 1, 1, 1,
                                                         1, 0, nullptr, nullptr, nullptr));
}

TEST_F(LaunchTest, takes_arguments_at_the_call) {
  int* out = allocate_array<int>(1);
  int* flag = allocate_array<int>(1);
  int value = 1;
  void* addresses[] = {&flag, &out, &value};
  ASSERT_CU(
      CU(cuLaunchKernel)(kernel("wait_flag"), 1, 1, 1, 1, 1, 1, 0, nullptr, addresses, nullptr));
  value = 2;  // after the call the caller's variables are its own again
  *static_cast<volatile int*>(flag) = 1;
  ASSERT_CU(CU(cuCtxSynchronize)());
  EXPECT_EQ(*out, 1);
}

TEST_F(LaunchTest, refuses_shapes_the_device_cannot_run) {
  struct Shape {
    unsigned grid[3], block[3];
  };
  for (const Shape& s : {Shape{{0, 1, 1}, {1, 1, 1}},
                         {{1, 1, 1}, {0, 1, 1}},
                         {{1, 1, 1}, {33, 33, 1}},
                         {{1, 1, 1}, {1025, 1, 1}},
                         {{1, 1, 1}, {1, 1, 65}},
                         {{1, 65536, 1}, {1, 1, 1}},
                         {{1, 1, 65536}, {1, 1, 1}},
                         {{0x80000000u, 1, 1}, {1, 1, 1}}})
    EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
              CU(cuLaunchKernel)(kernel("empty"), s.grid[0], s.grid[1], s.grid[2], s.block[0],
                                 s.block[1], s.block[2], 0, nullptr, nullptr, nullptr));
  EXPECT_CU(CUDA_SUCCESS,
            CU(cuLaunchKernel)(kernel("empty"), 1, 1, 1, 32, 32, 1, 0, nullptr, nullptr, nullptr));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuLaunchKernel)(kernel("at_most_64"), 1, 1, 1, 65, 1, 1, 0,
                                                         nullptr, nullptr, nullptr));
  EXPECT_CU(CUDA_ERROR_NOT_SUPPORTED, CU(cuLaunchKernel)(kernel("small_index"), 1u << 22, 1, 1,
                                                         1024, 1, 1, 0, nullptr, nullptr, nullptr));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE,
            CU(cuLaunchKernel)(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
}

TEST_F(LaunchTest, limits_shared_memory_until_more_is_asked_for) {
  const CUfunction function = kernel("dynamic_shared");
  int* out = allocate_array<int>(1);
  const auto run = [&](unsigned bytes) {
    void* addresses[] = {&bytes, &out};
    return CU(cuLaunchKernel)(function, 3, 1, 1, 1, 1, 1, bytes, nullptr, addresses, nullptr);
  };
  EXPECT_CU(CUDA_SUCCESS, run(48 * 1024 - 64));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, run(48 * 1024));
  EXPECT_CU(CUDA_SUCCESS, CU(cuFuncSetAttribute)(
                              function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 500'000));
  EXPECT_CU(CUDA_SUCCESS, run(500'000));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, run(500'001));
  EXPECT_CU(
      CUDA_ERROR_INVALID_VALUE,
      CU(cuFuncSetAttribute)(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 20));
  ASSERT_CU(CU(cuCtxSynchronize)());
  EXPECT_EQ(*out, 500'000);
}

TEST_F(LaunchTest, ex_refuses_what_changes_the_meaning_of_a_launch) {
  CUlaunchAttribute attribute{};
  CUlaunchConfig config{.gridDimX = 1,
                        .gridDimY = 1,
                        .gridDimZ = 1,
                        .blockDimX = 1,
                        .blockDimY = 1,
                        .blockDimZ = 1,
                        .sharedMemBytes = 0,
                        .hStream = nullptr,
                        .attrs = &attribute,
                        .numAttrs = 1};
  attribute.id = CU_LAUNCH_ATTRIBUTE_PRIORITY;
  EXPECT_CU(CUDA_SUCCESS, CU(cuLaunchKernelEx)(&config, kernel("empty"), nullptr, nullptr));
  attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attribute.value.clusterDim = {2, 1, 1};
  EXPECT_CU(CUDA_ERROR_NOT_SUPPORTED,
            CU(cuLaunchKernelEx)(&config, kernel("empty"), nullptr, nullptr));
}

TEST_F(LaunchTest, is_refused_in_another_context) {
  CUcontext other = nullptr;
  const CUfunction function = kernel("empty");
  ASSERT_CU(CU(cuCtxCreate)(&other, nullptr, 0, 0));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE,
            CU(cuLaunchKernel)(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  ASSERT_CU(CU(cuCtxDestroy)(other));
}

}  // namespace
}  // namespace treadle::cuda_cpu::test
