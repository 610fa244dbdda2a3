// SPDX-License-Identifier: MIT
#include <thread>

#include "cuda_cpu/runtime/harness.hpp"

namespace treadle::cuda_cpu::test {
namespace {

class ContextTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_CU(CU(cuInit)(0)); }
  static CUcontext current() {
    CUcontext context = nullptr;
    EXPECT_CU(CUDA_SUCCESS, CU(cuCtxGetCurrent)(&context));
    return context;
  }
};

TEST_F(ContextTest, calls_without_one_are_refused) {
  CUdeviceptr pointer = 0;
  EXPECT_EQ(current(), nullptr);
  EXPECT_CU(CUDA_ERROR_INVALID_CONTEXT, CU(cuMemAlloc)(&pointer, 16));
  EXPECT_CU(CUDA_ERROR_INVALID_CONTEXT, CU(cuCtxSynchronize)());
  EXPECT_CU(CUDA_ERROR_INVALID_CONTEXT, CU(cuCtxPopCurrent)(nullptr));
}

TEST_F(ContextTest, are_stacked_per_thread) {
  CUcontext first = nullptr, second = nullptr, popped = nullptr;
  ASSERT_CU(CU(cuCtxCreate)(&first, nullptr, 0, 0));
  ASSERT_CU(CU(cuCtxCreate)(&second, nullptr, CU_CTX_SCHED_BLOCKING_SYNC, 0));
  EXPECT_EQ(current(), second);
  std::thread([&] {
    EXPECT_EQ(current(), nullptr);
    EXPECT_CU(CUDA_SUCCESS, CU(cuCtxPushCurrent)(first));
    EXPECT_EQ(current(), first);
  }).join();
  unsigned flags = 0;
  EXPECT_CU(CUDA_SUCCESS, CU(cuCtxGetFlags)(&flags));
  EXPECT_EQ(flags, unsigned{CU_CTX_SCHED_BLOCKING_SYNC});
  EXPECT_CU(CUDA_SUCCESS, CU(cuCtxPopCurrent)(&popped));
  EXPECT_EQ(popped, second);
  EXPECT_EQ(current(), first);
  EXPECT_CU(CUDA_SUCCESS, CU(cuCtxSetCurrent)(second));
  EXPECT_EQ(current(), second);
  EXPECT_CU(CUDA_SUCCESS, CU(cuCtxDestroy)(second));
  EXPECT_EQ(current(), nullptr);
  EXPECT_CU(CUDA_SUCCESS, CU(cuCtxDestroy)(first));
}

TEST_F(ContextTest, are_refused_when_stale_or_invented) {
  CUcontext context = nullptr;
  ASSERT_CU(CU(cuCtxCreate)(&context, nullptr, 0, 0));
  ASSERT_CU(CU(cuCtxDestroy)(context));
  EXPECT_CU(CUDA_ERROR_INVALID_CONTEXT, CU(cuCtxDestroy)(context));
  EXPECT_CU(CUDA_ERROR_INVALID_CONTEXT, CU(cuCtxPushCurrent)(context));
  EXPECT_CU(CUDA_ERROR_INVALID_CONTEXT, CU(cuCtxSetCurrent)(reinterpret_cast<CUcontext>(0x1234)));
  EXPECT_CU(CUDA_ERROR_INVALID_CONTEXT, CU(cuCtxDestroy)(nullptr));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuCtxCreate)(&context, nullptr, 0xffff0000u, 0));
  EXPECT_CU(CUDA_ERROR_INVALID_DEVICE, CU(cuCtxCreate)(&context, nullptr, 0, 1));
}

TEST_F(ContextTest, destroyed_elsewhere_is_an_error_where_it_is_current) {
  CUcontext context = nullptr;
  ASSERT_CU(CU(cuCtxCreate)(&context, nullptr, 0, 0));
  std::thread([&] { EXPECT_CU(CUDA_SUCCESS, CU(cuCtxDestroy)(context)); }).join();
  CUdeviceptr pointer = 0;
  EXPECT_CU(CUDA_ERROR_CONTEXT_IS_DESTROYED, CU(cuMemAlloc)(&pointer, 16));
  EXPECT_CU(CUDA_SUCCESS, CU(cuCtxPopCurrent)(nullptr));
}

TEST_F(ContextTest, take_what_they_own_with_them) {
  CUcontext context = nullptr;
  CUstream stream = nullptr;
  CUevent event = nullptr;
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  CUdeviceptr pointer = 0;
  ASSERT_CU(CU(cuCtxCreate)(&context, nullptr, 0, 0));
  ASSERT_CU(CU(cuStreamCreate)(&stream, 0));
  ASSERT_CU(CU(cuEventCreate)(&event, 0));
  ASSERT_CU(CU(cuModuleLoadData)(&module, test_image().data()));
  ASSERT_CU(CU(cuModuleGetFunction)(&function, module, "empty"));
  ASSERT_CU(CU(cuMemAlloc)(&pointer, 1000));
  ASSERT_CU(CU(cuCtxDestroy)(context));
  ASSERT_CU(CU(cuCtxCreate)(&context, nullptr, 0, 0));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, CU(cuStreamSynchronize)(stream));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, CU(cuStreamDestroy)(stream));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, CU(cuEventSynchronize)(event));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, CU(cuModuleUnload)(module));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE,
            CU(cuLaunchKernel)(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuMemFree)(pointer));
  ASSERT_CU(CU(cuCtxDestroy)(context));
}

TEST_F(ContextTest, report_device_version_and_limits) {
  CUcontext context = nullptr;
  ASSERT_CU(CU(cuCtxCreate)(&context, nullptr, 0, 0));
  CUdevice device = -1;
  unsigned version = 0;
  size_t value = 0;
  int least = 9, greatest = 9;
  CUfunc_cache cache{};
  EXPECT_CU(CUDA_SUCCESS, CU(cuCtxGetDevice)(&device));
  EXPECT_EQ(device, 0);
  EXPECT_CU(CUDA_SUCCESS, CU(cuCtxGetApiVersion)(context, &version));
  EXPECT_GE(version, 3020u);
  EXPECT_CU(CUDA_SUCCESS, CU(cuCtxSetLimit)(CU_LIMIT_MALLOC_HEAP_SIZE, 1 << 20));
  EXPECT_CU(CUDA_SUCCESS, CU(cuCtxGetLimit)(&value, CU_LIMIT_MALLOC_HEAP_SIZE));
  EXPECT_EQ(value, size_t{1} << 20);
  EXPECT_CU(CUDA_ERROR_UNSUPPORTED_LIMIT,
            CU(cuCtxGetLimit)(&value, CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuCtxGetLimit)(&value, CU_LIMIT_MAX));
  EXPECT_CU(CUDA_SUCCESS, CU(cuCtxSetCacheConfig)(CU_FUNC_CACHE_PREFER_L1));
  EXPECT_CU(CUDA_SUCCESS, CU(cuCtxGetCacheConfig)(&cache));
  EXPECT_EQ(cache, CU_FUNC_CACHE_PREFER_L1);
  EXPECT_CU(CUDA_SUCCESS, CU(cuCtxGetStreamPriorityRange)(&least, &greatest));
  EXPECT_LT(greatest, least);
  ASSERT_CU(CU(cuCtxDestroy)(context));
}

TEST_F(ContextTest, primary_is_shared_and_counted) {
  CUcontext first = nullptr, second = nullptr;
  unsigned flags = 9;
  int active = 9;
  EXPECT_CU(CUDA_SUCCESS, CU(cuDevicePrimaryCtxGetState)(0, &flags, &active));
  EXPECT_EQ(active, 0);
  ASSERT_CU(CU(cuDevicePrimaryCtxSetFlags)(0, CU_CTX_SCHED_YIELD));
  ASSERT_CU(CU(cuDevicePrimaryCtxRetain)(&first, 0));
  ASSERT_CU(CU(cuDevicePrimaryCtxRetain)(&second, 0));
  EXPECT_EQ(first, second);
  EXPECT_EQ(current(), nullptr);
  EXPECT_CU(CUDA_SUCCESS, CU(cuDevicePrimaryCtxGetState)(0, &flags, &active));
  EXPECT_EQ(active, 1);
  EXPECT_EQ(flags, unsigned{CU_CTX_SCHED_YIELD});
  EXPECT_CU(CUDA_ERROR_INVALID_CONTEXT, CU(cuCtxDestroy)(first));
  EXPECT_CU(CUDA_SUCCESS, CU(cuDevicePrimaryCtxRelease)(0));
  EXPECT_CU(CUDA_SUCCESS, CU(cuCtxPushCurrent)(first));
  EXPECT_CU(CUDA_SUCCESS, CU(cuCtxSynchronize)());
  EXPECT_CU(CUDA_SUCCESS, CU(cuDevicePrimaryCtxRelease)(0));
  EXPECT_CU(CUDA_ERROR_CONTEXT_IS_DESTROYED, CU(cuCtxSynchronize)());
  EXPECT_CU(CUDA_ERROR_INVALID_CONTEXT, CU(cuDevicePrimaryCtxRelease)(0));
  ASSERT_CU(CU(cuDevicePrimaryCtxRetain)(
      &second, 0));  // works again where it still is current, under its old handle
  EXPECT_EQ(first, second);
  EXPECT_CU(CUDA_SUCCESS, CU(cuCtxSynchronize)());
  EXPECT_CU(CUDA_SUCCESS, CU(cuCtxPopCurrent)(nullptr));
  EXPECT_CU(CUDA_SUCCESS, CU(cuDevicePrimaryCtxRelease)(0));
}

TEST_F(ContextTest, primary_goes_on_afresh_after_a_reset) {
  CUcontext primary = nullptr;
  CUdeviceptr pointer = 0;
  ASSERT_CU(CU(cuDevicePrimaryCtxRetain)(&primary, 0));
  ASSERT_CU(CU(cuCtxPushCurrent)(primary));
  ASSERT_CU(CU(cuMemAlloc)(&pointer, 100));
  ASSERT_CU(CU(cuDevicePrimaryCtxReset)(0));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuMemFree)(pointer));
  EXPECT_CU(CUDA_SUCCESS, CU(cuMemAlloc)(&pointer, 100));
  EXPECT_CU(CUDA_SUCCESS, CU(cuMemFree)(pointer));
  ASSERT_CU(CU(cuCtxPopCurrent)(nullptr));
  ASSERT_CU(CU(cuDevicePrimaryCtxRelease)(0));
}

}  // namespace
}  // namespace treadle::cuda_cpu::test
