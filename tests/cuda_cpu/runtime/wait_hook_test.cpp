// SPDX-License-Identifier: MIT
#include <time.h>
#include <unistd.h>

#include <atomic>

#include "cuda_cpu/runtime/harness.hpp"

namespace treadle::cuda_cpu::test {
namespace {

std::atomic<int> times_asked{0};
std::atomic<int> questions_until_stop{0};
int ask() { return ++times_asked >= questions_until_stop ? 1 : 0; }

class WaitHookTest : public RuntimeTest {
 protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    gate_ = allocate_array<int>(2);
    times_asked = 0;
    questions_until_stop = 2;
    set_hook(ask);
  }
  void TearDown() override {
    set_hook(nullptr);
    open_gate();
    RuntimeTest::TearDown();
  }
  static void set_hook(int (*hook)()) {
    entry_point_as<void(int (*)())>("treadle_cpu_set_wait_hook")(hook);
  }
  /// A kernel runs on a worker until the gate is opened.
  void hold() {
    ASSERT_CU(launch("wait_flag", 1, 1, nullptr, gate_, gate_ + 1, 1));
    EXPECT_CU(CUDA_ERROR_NOT_READY, CU(cuStreamQuery)(nullptr));
  }
  void open_gate() { *static_cast<volatile int*>(gate_) = 1; }
  static void let_a_worker_begin() {
    timespec moment{0, 20'000'000};
    nanosleep(&moment, nullptr);
  }
  /// Whether the waiting thread ran a kernel whose time its arguments tell.
  bool ran_here(int* thread, int number) {
    EXPECT_CU(CUDA_SUCCESS, launch("note_thread", 1, 1, nullptr, thread, number));
    EXPECT_CU(CUDA_SUCCESS, CU(cuCtxSynchronize)());
    return *thread == gettid();
  }
  int* gate_ = nullptr;
};

TEST_F(WaitHookTest, ends_waits_and_leaves_the_work_queued) {
  CUevent event = nullptr;
  ASSERT_CU(CU(cuEventCreate)(&event, 0));
  hold();
  ASSERT_CU(CU(cuEventRecord)(event, nullptr));
  let_a_worker_begin();
  EXPECT_CU(CUDA_ERROR_NOT_READY, CU(cuCtxSynchronize)());
  EXPECT_GE(times_asked, 2);
  EXPECT_CU(CUDA_ERROR_NOT_READY, CU(cuStreamSynchronize)(nullptr));
  EXPECT_CU(CUDA_ERROR_NOT_READY, CU(cuEventSynchronize)(event));
  questions_until_stop = 1'000'000;
  open_gate();
  EXPECT_CU(CUDA_SUCCESS, CU(cuCtxSynchronize)());
  EXPECT_EQ(gate_[1], 1);
}

TEST_F(WaitHookTest, ends_waits_for_what_ends_soon_and_leaves_captures) {
  const auto wait_for_work = entry_point_as<CUresult(CUcontext)>("treadle_cpu_wait_for_work");
  CUstream captured = nullptr;
  ASSERT_CU(CU(cuStreamCreate)(&captured, CU_STREAM_NON_BLOCKING));
  hold();
  let_a_worker_begin();
  ASSERT_CU(CU(cuStreamBeginCapture)(captured, CU_STREAM_CAPTURE_MODE_GLOBAL));
  EXPECT_CU(CUDA_ERROR_NOT_READY, wait_for_work(context_));
  questions_until_stop = 1'000'000;
  open_gate();
  EXPECT_CU(CUDA_SUCCESS, wait_for_work(context_));
  EXPECT_EQ(gate_[1], 1);
  CUgraph graph = nullptr;
  ASSERT_CU(CU(cuStreamEndCapture)(captured, &graph));  // no call has ended the capture
  ASSERT_CU(CU(cuGraphDestroy)(graph));
  ASSERT_CU(CU(cuStreamDestroy)(captured));
}

TEST_F(WaitHookTest, ends_a_blocking_copy_that_has_not_begun) {
  int* target = allocate_array<int>(1);
  hold();
  let_a_worker_begin();
  int value = 5;
  EXPECT_CU(CUDA_ERROR_NOT_READY,
            CU(cuMemcpyHtoD)(reinterpret_cast<CUdeviceptr>(target), &value, sizeof value));
  open_gate();
  questions_until_stop = 1'000'000;
  EXPECT_CU(CUDA_SUCCESS, CU(cuCtxSynchronize)());
  EXPECT_EQ(*target, 0);  // an abandoned copy touches neither side
}

TEST_F(WaitHookTest, ends_a_wait_that_runs_the_blocks_itself) {
  unsigned milliseconds = 20;
  int* done = nullptr;
  ASSERT_CU(launch("spin", 64, 1, nullptr, milliseconds, done));
  EXPECT_CU(CUDA_ERROR_NOT_READY, CU(cuStreamSynchronize)(nullptr));
  EXPECT_GE(times_asked, 2);
  questions_until_stop = 1'000'000;
  EXPECT_CU(CUDA_SUCCESS, CU(cuStreamSynchronize)(nullptr));
}

TEST_F(WaitHookTest, is_asked_in_a_long_run_of_a_kernel_that_was_quick) {
  for (int run = 0; run < 3; ++run) {
    open_gate();
    ASSERT_CU(launch("wait_flag", 1, 1, nullptr, gate_, gate_ + 1, 1));
    ASSERT_CU(CU(cuStreamSynchronize)(nullptr));
  }
  *gate_ = 0;
  ASSERT_CU(launch("wait_flag", 1, 1, nullptr, gate_, gate_ + 1, 2));
  EXPECT_CU(CUDA_ERROR_NOT_READY, CU(cuStreamSynchronize)(nullptr));
  EXPECT_EQ(gate_[1], 1);
  questions_until_stop = 1'000'000;
  open_gate();
  EXPECT_CU(CUDA_SUCCESS, CU(cuStreamSynchronize)(nullptr));
  EXPECT_EQ(gate_[1], 2);
}

TEST_F(WaitHookTest, runs_what_was_quick_with_the_same_arguments_and_nothing_new) {
  questions_until_stop = 1'000'000;
  int* thread = allocate_array<int>(2);
  for (int number = 1; number <= 50; ++number) EXPECT_FALSE(ran_here(thread, number));
  bool any = false;  // a worker may be there first
  for (int again = 0; again < 1000 && !any; ++again) any = ran_here(thread + again % 2, 50);
  EXPECT_TRUE(any) << "where the result goes is all the same";
  EXPECT_FALSE(ran_here(thread, 51));
}

TEST_F(WaitHookTest, is_not_asked_by_short_waits) {
  ASSERT_CU(CU(cuCtxSynchronize)());
  EXPECT_EQ(times_asked, 0);
}

}  // namespace
}  // namespace treadle::cuda_cpu::test
