// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/harness.hpp"

namespace treadle::cuda_cpu::test {
namespace {

class EventTest : public RuntimeTest {
 protected:
  static CUevent make(unsigned flags = 0) {
    CUevent event = nullptr;
    EXPECT_CU(CUDA_SUCCESS, CU(cuEventCreate)(&event, flags));
    return event;
  }
};

TEST_F(EventTest, time_what_is_between_them) {
  const CUevent start = make(), end = make();
  unsigned milliseconds = 20;
  int* done = nullptr;
  int* flags = allocate_array<int>(2);
  ASSERT_CU(CU(cuEventRecord)(start, nullptr));
  ASSERT_CU(launch("wait_flag", 1, 1, nullptr, flags, flags + 1, 1));
  ASSERT_CU(launch("spin", 1, 1, nullptr, milliseconds, done));
  ASSERT_CU(CU(cuEventRecord)(end, nullptr));
  float elapsed = -1;
  EXPECT_CU(CUDA_ERROR_NOT_READY, CU(cuEventQuery)(end));
  EXPECT_CU(CUDA_ERROR_NOT_READY, CU(cuEventElapsedTime)(&elapsed, start, end));
  *static_cast<volatile int*>(flags) = 1;
  ASSERT_CU(CU(cuEventSynchronize)(end));
  EXPECT_CU(CUDA_SUCCESS, CU(cuEventQuery)(end));
  ASSERT_CU(CU(cuEventElapsedTime)(&elapsed, start, end));
  EXPECT_GE(elapsed,
            20.0f);  // the kernel's own clock says it took that long; no upper bound is claimed
  ASSERT_CU(CU(cuEventElapsedTime)(&elapsed, end, start));
  EXPECT_LE(elapsed, -20.0f);
}

TEST_F(EventTest, never_recorded_is_complete_and_has_no_time) {
  const CUevent event = make();
  float elapsed = 0;
  EXPECT_CU(CUDA_SUCCESS, CU(cuEventQuery)(event));
  EXPECT_CU(CUDA_SUCCESS, CU(cuEventSynchronize)(event));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, CU(cuEventElapsedTime)(&elapsed, event, event));
}

TEST_F(EventTest, without_timing_has_no_time) {
  const CUevent timed = make(), untimed = make(CU_EVENT_DISABLE_TIMING);
  float elapsed = 0;
  ASSERT_CU(CU(cuEventRecord)(timed, nullptr));
  ASSERT_CU(CU(cuEventRecord)(untimed, nullptr));
  ASSERT_CU(CU(cuCtxSynchronize)());
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, CU(cuEventElapsedTime)(&elapsed, timed, untimed));
  EXPECT_CU(CUDA_SUCCESS, CU(cuEventElapsedTime)(&elapsed, timed, timed));
  EXPECT_EQ(elapsed, 0.0f);
}

TEST_F(EventTest, recorded_again_stands_for_the_later_point) {
  const CUevent event = make();
  int* flags = allocate_array<int>(2);
  ASSERT_CU(CU(cuEventRecord)(event, nullptr));
  EXPECT_CU(CUDA_SUCCESS, CU(cuEventQuery)(event));
  ASSERT_CU(launch("wait_flag", 1, 1, nullptr, flags, flags + 1, 1));
  ASSERT_CU(CU(cuEventRecordWithFlags)(event, nullptr, 0));
  EXPECT_CU(CUDA_ERROR_NOT_READY, CU(cuEventQuery)(event));
  *static_cast<volatile int*>(flags) = 1;
  EXPECT_CU(CUDA_SUCCESS, CU(cuEventSynchronize)(event));
}

TEST_F(EventTest, bad_handles_and_flags_are_refused) {
  const CUevent event = make();
  ASSERT_CU(CU(cuEventDestroy)(event));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, CU(cuEventDestroy)(event));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, CU(cuEventRecord)(event, nullptr));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, CU(cuEventQuery)(nullptr));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, CU(cuStreamWaitEvent)(nullptr, event, 0));
  CUevent made = nullptr;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuEventCreate)(&made, 0x80));
}

TEST_F(EventTest, of_another_context_cannot_be_recorded_here) {
  const CUevent event = make();
  CUcontext other = nullptr;
  ASSERT_CU(CU(cuCtxCreate)(&other, nullptr, 0, 0));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, CU(cuEventRecord)(event, nullptr));
  EXPECT_CU(CUDA_SUCCESS, CU(cuEventQuery)(event));
  ASSERT_CU(CU(cuCtxDestroy)(other));
}

}  // namespace
}  // namespace treadle::cuda_cpu::test
