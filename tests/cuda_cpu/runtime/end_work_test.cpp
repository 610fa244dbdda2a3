// SPDX-License-Identifier: MIT
#include <time.h>

#include <atomic>
#include <thread>

#include "cuda_cpu/runtime/harness.hpp"

namespace treadle::cuda_cpu::test {
namespace {

CUresult end_work(CUcontext context) {
  return entry_point_as<CUresult(CUcontext)>("treadle_cpu_end_work")(context);
}
CUresult cancel_kernels(CUcontext context, CUstream stream) {
  return entry_point_as<CUresult(CUcontext, CUstream)>("treadle_cpu_cancel_kernels")(context,
                                                                                     stream);
}
std::string fault_of(CUcontext context) {
  return entry_point_as<const char*(CUcontext)>("treadleCpuLastFault")(context);
}
void set_hook(int (*hook)()) { entry_point_as<void(int (*)())>("treadle_cpu_set_wait_hook")(hook); }
void pause_ms(long milliseconds) {
  const timespec moment{0, milliseconds * 1'000'000};
  nanosleep(&moment, nullptr);
}

class EndWorkTest : public RuntimeTest {
 protected:
  void TearDown() override {
    set_hook(nullptr);
    end_work(context_);  // whatever a failed test has left running
    RuntimeTest::TearDown();
  }
  /// A kernel that writes `*started` and then never ends; workers run it, not this thread.
  void start_endless(unsigned blocks = 1, const char* kernel = "endless") {
    started_ = allocate_array<int>(1);
    ASSERT_CU(launch(kernel, blocks, 32, nullptr, started_));
    for (int i = 0; i < 5000 && *static_cast<volatile int*>(started_) == 0; ++i) pause_ms(1);
    ASSERT_EQ(*started_, 1) << "no worker has begun it";
  }
  int* started_ = nullptr;
};

TEST_F(EndWorkTest, a_kernel_that_never_ends_is_ended) {
  start_endless();
  ASSERT_CU(end_work(context_));
  EXPECT_CU(CUDA_ERROR_LAUNCH_TIMEOUT, CU(cuCtxSynchronize)());
  EXPECT_NE(fault_of(context_).find("endless"), std::string::npos) << fault_of(context_);
  EXPECT_NE(fault_of(context_).find("ended by the program"), std::string::npos);
}

TEST_F(EndWorkTest, all_its_threads_are_ended_and_what_waits_behind_it_never_runs) {
  int* target = allocate_array<int>(1);
  start_endless(64);
  ASSERT_CU(launch("set_flag", 1, 1, nullptr, target, 5));
  ASSERT_CU(end_work(context_));
  EXPECT_CU(CUDA_ERROR_LAUNCH_TIMEOUT, CU(cuStreamSynchronize)(nullptr));
  EXPECT_EQ(*target, 0);
}

TEST_F(EndWorkTest, a_new_context_works_on_the_same_workers) {
  start_endless(64);
  ASSERT_CU(end_work(context_));
  ASSERT_CU(CU(cuCtxDestroy)(context_));
  RuntimeTest::SetUp();
  int* target = allocate_array<int>(1);
  ASSERT_CU(launch("set_flag", 1, 1, nullptr, target, 5));
  EXPECT_CU(CUDA_SUCCESS, CU(cuCtxSynchronize)());
  EXPECT_EQ(*target, 5);
}

TEST_F(EndWorkTest, another_context_goes_on) {
  const CUcontext first = context_;
  RuntimeTest::SetUp();
  const CUcontext second = context_;
  int* gate = allocate_array<int>(2);
  ASSERT_CU(launch("wait_flag", 1, 1, nullptr, gate, gate + 1, 7));
  pause_ms(5);
  ASSERT_CU(end_work(first));
  *static_cast<volatile int*>(gate) = 1;
  EXPECT_CU(CUDA_SUCCESS, CU(cuCtxSynchronize)());
  EXPECT_EQ(gate[1], 7);
  ASSERT_CU(CU(cuCtxDestroy)(second));
  context_ = first;
  CU(cuCtxSetCurrent)(first);
}

TEST_F(EndWorkTest, an_idle_context_fails_as_well) {
  ASSERT_CU(end_work(context_));
  EXPECT_CU(CUDA_ERROR_LAUNCH_TIMEOUT, CU(cuCtxSynchronize)());
  EXPECT_CU(CUDA_ERROR_INVALID_CONTEXT, end_work(nullptr));
}

TEST_F(EndWorkTest, a_service_of_a_kernel_is_finished_first) {
  // The heap's lock would stay held for ever if a thread were taken out of malloc.
  for (int round = 0; round < 20; ++round) {
    start_endless(64, "allocate_for_ever");
    ASSERT_CU(end_work(context_));
    EXPECT_CU(CUDA_ERROR_LAUNCH_TIMEOUT, CU(cuCtxSynchronize)());
    const std::string usable(100'000, 'x');
    EXPECT_EQ(usable.size(), 100'000u);
    ASSERT_CU(CU(cuCtxDestroy)(context_));
    RuntimeTest::SetUp();
  }
}

TEST_F(EndWorkTest, from_any_thread_while_another_waits) {
  start_endless();
  std::thread other([this] {
    pause_ms(20);
    end_work(context_);
  });
  EXPECT_CU(CUDA_ERROR_LAUNCH_TIMEOUT, CU(cuCtxSynchronize)());
  other.join();
}

TEST_F(EndWorkTest, cancelled_kernels_leave_the_context_whole) {
  int* target = allocate_array<int>(2);
  for (int round = 1; round < 4; ++round) {
    start_endless(round == 2 ? 1 : 64, round == 3 ? "allocate_for_ever" : "endless");
    ASSERT_CU(launch("set_flag", 1, 1, nullptr, target, 5));  // behind it: not run either
    ASSERT_CU(cancel_kernels(context_, nullptr));
    EXPECT_CU(CUDA_SUCCESS, CU(cuCtxSynchronize)());
    EXPECT_EQ(target[0], 0);
    ASSERT_CU(launch("set_flag", 1, 1, nullptr, target + 1, round));
    EXPECT_CU(CUDA_SUCCESS, CU(cuCtxSynchronize)());
    EXPECT_EQ(target[1], round);
  }
  EXPECT_CU(CUDA_ERROR_INVALID_CONTEXT, cancel_kernels(nullptr, nullptr));
}

TEST_F(EndWorkTest, kernels_of_other_streams_are_not_cancelled) {
  CUstream streams[2];
  for (CUstream& each : streams) ASSERT_CU(CU(cuStreamCreate)(&each, CU_STREAM_NON_BLOCKING));
  int* gate = allocate_array<int>(2);
  ASSERT_CU(launch("wait_flag", 1, 1, streams[0], gate, gate + 1, 7));
  pause_ms(5);
  ASSERT_CU(cancel_kernels(context_, streams[1]));
  *static_cast<volatile int*>(gate) = 1;
  EXPECT_CU(CUDA_SUCCESS, CU(cuCtxSynchronize)());
  EXPECT_EQ(gate[1], 7);
}

std::atomic<int> questions{0};
int leave() { return ++questions >= 2 ? 1 : 0; }
int leave_and_end() { return ++questions >= 2 ? 2 : 0; }

TEST_F(EndWorkTest, the_hook_is_asked_while_one_block_runs_for_ever) {
  questions = 0;
  set_hook(leave);
  int* started = allocate_array<int>(1);
  ASSERT_CU(launch("endless", 1, 1, nullptr, started));  // nobody but this thread knows of it
  EXPECT_CU(CUDA_ERROR_NOT_READY, CU(cuCtxSynchronize)());
  EXPECT_CU(CUDA_ERROR_NOT_READY, CU(cuStreamQuery)(nullptr)) << "it is still running";
}

TEST_F(EndWorkTest, the_hook_can_end_it) {
  questions = 0;
  set_hook(leave_and_end);
  int* started = allocate_array<int>(1);
  ASSERT_CU(launch("endless", 1, 1, nullptr, started));
  EXPECT_CU(CUDA_ERROR_NOT_READY, CU(cuCtxSynchronize)());
  set_hook(nullptr);
  EXPECT_CU(CUDA_ERROR_LAUNCH_TIMEOUT, CU(cuCtxSynchronize)());
}

}  // namespace
}  // namespace treadle::cuda_cpu::test
