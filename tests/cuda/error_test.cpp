// SPDX-License-Identifier: MIT
#include "treadle/cuda/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cuda/fake_driver.hpp"

namespace treadle::cuda {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class CudaError : public testing::Test {
 protected:
  void SetUp() override { fake::reset(); }
  const Driver driver_ = fake::driver();
  const Table& table_ = driver_.table();
};

TEST_F(CudaError, CodesBecomeTypes) {
  EXPECT_THROW(raise(table_, CUDA_ERROR_OUT_OF_MEMORY, "f"), OutOfMemory);
  for (const int code :
       {CUDA_ERROR_LAUNCH_FAILED, CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
        CUDA_ERROR_LAUNCH_TIMEOUT, CUDA_ERROR_ASSERT, CUDA_ERROR_MISALIGNED_ADDRESS})
    EXPECT_THROW(raise(table_, code, "f"), LaunchError) << code;
  EXPECT_THROW(raise(table_, CUDA_ERROR_INVALID_VALUE, "f"), DeviceError);
  EXPECT_THROW(raise(table_, absent_entry_point, "f"), NotSupported);
}

TEST_F(CudaError, SaysCallDriversTextAndWhatWasAttempted) {
  try {
    check(table_, CUDA_ERROR_OUT_OF_MEMORY, "cuMemAlloc", [] { return "allocating 8 bytes"; });
    FAIL();
  } catch (const OutOfMemory& error) {
    EXPECT_EQ(error.message(), "cuMemAlloc failed: out of memory - allocating 8 bytes");
    EXPECT_EQ(error.code_name(), "CUDA_ERROR_OUT_OF_MEMORY");
    EXPECT_EQ(error.call(), "cuMemAlloc");
  }
}

TEST_F(CudaError, TextIsBuiltOnlyOnFailure) {
  bool described = false;
  check(table_, CUDA_SUCCESS, "f", [&] {
    described = true;
    return "";
  });
  EXPECT_FALSE(described);
}

TEST_F(CudaError, ACodeTheDriverDoesNotKnowIsStillReported) {
  try {
    raise(table_, 987, "f");
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.code_name(), "CUDA_ERROR_987");
    EXPECT_EQ(error.message(), "f failed: error 987");
  }
}

TEST_F(CudaError, AnAbsentEntryPointNamesCallAndDriverVersion) {
  const Table empty;
  CUgraph graph = nullptr;
  try {
    check(table_, table_.cuGraphCreate(&graph, 0), "cuGraphCreate");
    FAIL();
  } catch (const NotSupported& error) {
    EXPECT_EQ(error.message(), "cuGraphCreate is not offered by driver version 12.4");
  }
  EXPECT_THROW(check(empty, empty.cuInit(0), "cuInit"), NotSupported);
}

TEST_F(CudaError, TheCpuDevicesFaultBelongsToKernelFailures) {
  fake::state().fault = "kernel k, block 3, thread 4: read of address 0x10";
  try {
    raise(table_, CUDA_ERROR_ILLEGAL_ADDRESS, "cuCtxSynchronize", "waiting");
  } catch (const LaunchError& error) {
    EXPECT_EQ(error.detail(),
              "waiting: kernel k, block 3, thread 4: read of address 0x10; the context is lost");
  }
  try {
    raise(table_, CUDA_ERROR_INVALID_VALUE, "cuMemAlloc");
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.detail(), "");
  }
}

TEST_F(CudaError, CleanupFailuresAreWarningsUnlessTheDriverHasShutDown) {
  const fake::Warnings warnings;
  warn_if_failed(table_, CUDA_ERROR_DEINITIALIZED, "cuMemFree", "memory");
  warn_if_failed(table_, CUDA_ERROR_CONTEXT_IS_DESTROYED, "cuMemFree", "memory");
  warn_if_failed(table_, CUDA_SUCCESS, "cuMemFree", "memory");
  EXPECT_THAT(warnings.texts(), IsEmpty());
  warn_if_failed(table_, CUDA_ERROR_INVALID_VALUE, "cuMemFree", "memory");
  EXPECT_THAT(warnings.texts(), ElementsAre(HasSubstr("cuMemFree failed: invalid argument")));
}

}  // namespace
}  // namespace treadle::cuda
