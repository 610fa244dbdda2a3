// SPDX-License-Identifier: MIT
// P12: what a kernel does wrong never ends the process.
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "cuda_cpu/runtime/harness.hpp"

namespace treadle::cuda_cpu::test {
namespace {

const char* last_fault(CUcontext context) {
  return entry_point_as<const char*(CUcontext)>("treadleCpuLastFault")(context);
}

class FaultTest : public RuntimeTest {
 protected:
  /// The error sticks to the context, names its place, and a new context works.
  void expect_fault(CUresult code, const std::vector<std::string>& words) {
    EXPECT_CU(code, CU(cuCtxSynchronize)());
    CUdeviceptr pointer = 0;
    EXPECT_CU(code, CU(cuMemAlloc)(&pointer, 16));
    EXPECT_CU(code, CU(cuStreamQuery)(nullptr));
    const std::string text = last_fault(context_);
    for (const auto& word : words)
      EXPECT_NE(text.find(word), std::string::npos) << text << "\nlacks: " << word;
    EXPECT_EQ(text, last_fault(nullptr));

    CUcontext failed = context_;
    CUcontext fresh = nullptr;
    ASSERT_CU(CU(cuCtxCreate)(&fresh, nullptr, 0, 0));
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    ASSERT_CU(CU(cuModuleLoadData)(&module, test_image().data()));
    ASSERT_CU(CU(cuModuleGetFunction)(&function, module, "empty"));
    ASSERT_CU(CU(cuLaunchKernel)(function, 100, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr));
    EXPECT_CU(CUDA_SUCCESS, CU(cuCtxSynchronize)());
    EXPECT_EQ(std::string(last_fault(fresh)), "");
    ASSERT_CU(CU(cuCtxDestroy)(fresh));
    context_ = failed;
  }
  /// Until a worker has run what nobody waits for.
  static void let_workers_run() {
    while (CU(cuStreamQuery)(nullptr) == CUDA_ERROR_NOT_READY) std::this_thread::yield();
  }
  int* const null_ = nullptr;
};

TEST_F(FaultTest, null_pointer_on_the_waiting_thread) {
  ASSERT_CU(launch("write_to", 7, 32, nullptr, null_, 5u));
  expect_fault(CUDA_ERROR_ILLEGAL_ADDRESS,
               {"write_to", "block (5,0,0) of (7,1,1)", "thread (3,0,0) of (32,1,1)"});
}

TEST_F(FaultTest, null_pointer_on_a_worker) {
  ASSERT_CU(launch("write_to", 7, 32, nullptr, null_, 5u));
  let_workers_run();
  expect_fault(CUDA_ERROR_ILLEGAL_ADDRESS, {"write_to", "illegal memory access"});
}

TEST_F(FaultTest, an_index_past_the_end_of_an_array) {
  constexpr std::size_t bytes = 1 << 20;
  const CUdeviceptr array = allocate(bytes);
  int* behind = reinterpret_cast<int*>(array + bytes);
  ASSERT_CU(launch("write_to", 1, 1, nullptr, behind, 0u));
  char address[32];
  std::snprintf(address, sizeof address, "%p", static_cast<void*>(behind));
  expect_fault(CUDA_ERROR_ILLEGAL_ADDRESS, {address, "SIGSEGV"});
}

TEST_F(FaultTest, freed_memory) {
  const CUdeviceptr array = allocate(1 << 20);
  ASSERT_CU(CU(cuMemFree)(array));
  ASSERT_CU(launch("write_to", 1, 1, nullptr, array, 0u));
  expect_fault(CUDA_ERROR_ILLEGAL_ADDRESS, {"write_to"});
}

TEST_F(FaultTest, a_file_that_became_shorter_is_a_bus_error) {
  const int file = memfd_create("short", 0);
  void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ASSERT_NE(page, MAP_FAILED);
  ASSERT_CU(launch("write_to", 1, 1, nullptr, page, 0u));
  expect_fault(CUDA_ERROR_ILLEGAL_ADDRESS, {"SIGBUS"});
  munmap(page, 4096);
}

TEST_F(FaultTest, endless_recursion_on_the_waiting_thread) {
  ASSERT_CU(launch("recurse", 1, 1, nullptr));
  expect_fault(CUDA_ERROR_LAUNCH_FAILED, {"recurse", "stack overflow", "thread unknown"});
}

TEST_F(FaultTest, endless_recursion_on_a_worker) {
  ASSERT_CU(launch("recurse", 1, 1, nullptr));
  let_workers_run();
  expect_fault(CUDA_ERROR_LAUNCH_FAILED, {"recurse", "stack overflow"});
}

TEST_F(FaultTest, endless_recursion_on_a_waiting_thread_with_a_small_stack) {
  std::thread([&] {
    ASSERT_CU(CU(cuCtxPushCurrent)(context_));
    ASSERT_CU(launch("recurse", 1, 1, nullptr));
    EXPECT_CU(CUDA_ERROR_LAUNCH_FAILED, CU(cuCtxSynchronize)());
  }).join();
  expect_fault(CUDA_ERROR_LAUNCH_FAILED, {"stack overflow"});
}

TEST_F(FaultTest, division_by_zero) {
  ASSERT_CU(launch("divide", 1, 1, nullptr, 0));
  expect_fault(CUDA_ERROR_LAUNCH_FAILED, {"divide", "SIGFPE"});
}

TEST_F(FaultTest, trap) {
  ASSERT_CU(launch("trap", 3, 1, nullptr));
  expect_fault(CUDA_ERROR_LAUNCH_FAILED, {"kernel trap", "trap instruction"});
}

TEST_F(FaultTest, failed_assertion_is_printed_as_cuda_does) {
  ::testing::internal::CaptureStderr();
  ASSERT_CU(launch("fail_assert", 1, 8, nullptr));
  expect_fault(CUDA_ERROR_ASSERT, {"fail_assert", "thread (1,2,0)"});
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(
      text.find(
          "kernel.cu:7: void f(int): block: [0,0,0], thread: [1,2,0] Assertion `n > 0` failed."),
      std::string::npos)
      << text;
}

TEST_F(FaultTest, stops_what_is_queued_behind_it) {
  int* value = allocate_array<int>(1);
  ASSERT_CU(launch("trap", 1, 1, nullptr));
  // The trap may have come first: then it is the launch that reports it.
  const CUresult behind = launch("set_flag", 1, 1, nullptr, value, 1);
  EXPECT_TRUE(behind == CUDA_SUCCESS || behind == CUDA_ERROR_LAUNCH_FAILED) << behind;
  EXPECT_CU(CUDA_ERROR_LAUNCH_FAILED, CU(cuCtxSynchronize)());
  EXPECT_EQ(*value, 0);
}

TEST_F(FaultTest, many_in_a_row_leave_nothing_behind) {
  for (int i = 0; i < 50; ++i) {
    CUcontext context = nullptr;
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    ASSERT_CU(CU(cuCtxCreate)(&context, nullptr, 0, 0));
    ASSERT_CU(CU(cuModuleLoadData)(&module, test_image().data()));
    ASSERT_CU(CU(cuModuleGetFunction)(&function, module, "recurse"));
    ASSERT_CU(CU(cuLaunchKernel)(function, 64, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    EXPECT_CU(CUDA_ERROR_LAUNCH_FAILED, CU(cuCtxSynchronize)());
    ASSERT_CU(CU(cuCtxDestroy)(context));
  }
}

TEST_F(FaultTest, of_the_primary_context_ends_with_a_reset) {
  CUcontext primary = nullptr;
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  ASSERT_CU(CU(cuDevicePrimaryCtxRetain)(&primary, 0));
  ASSERT_CU(CU(cuCtxPushCurrent)(primary));
  ASSERT_CU(CU(cuModuleLoadData)(&module, test_image().data()));
  ASSERT_CU(CU(cuModuleGetFunction)(&function, module, "trap"));
  ASSERT_CU(CU(cuLaunchKernel)(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  EXPECT_CU(CUDA_ERROR_LAUNCH_FAILED, CU(cuCtxSynchronize)());
  ASSERT_CU(CU(cuDevicePrimaryCtxReset)(0));
  EXPECT_CU(CUDA_SUCCESS, CU(cuCtxSynchronize)());
  EXPECT_NE(allocate(16), 0u);
  ASSERT_CU(CU(cuCtxPopCurrent)(nullptr));
  ASSERT_CU(CU(cuDevicePrimaryCtxRelease)(0));
}

/// For tests in a fresh process: a context, and one kernel run to its end.
CUresult run_in_new_context(const char* name) {
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  int zero = 0;
  void* addresses[] = {&zero};
  CU(cuInit)(0);
  CU(cuCtxCreate)(&context, nullptr, 0, 0);
  CU(cuModuleLoadData)(&module, test_image().data());
  CU(cuModuleGetFunction)(&function, module, name);
  CU(cuLaunchKernel)(function, 1, 1, 1, 1, 1, 1, 0, nullptr, addresses, nullptr);
  return CU(cuCtxSynchronize)();
}

int divide_by(volatile int* number) { return 100 / *number; }

TEST_F(FaultTest, of_the_program_itself_goes_to_the_handler_that_was_there) {
  GTEST_FLAG_SET(death_test_style,
                 "threadsafe");  // a new process: the handler is there before the first launch
  EXPECT_EXIT(
      {
        struct sigaction own{};
        own.sa_handler = [](int) { _exit(42); };
        sigaction(SIGFPE, &own, nullptr);
        if (run_in_new_context("divide") != CUDA_ERROR_LAUNCH_FAILED) _exit(1);
        volatile int zero = 0;
        _exit(divide_by(&zero));
      },
      ::testing::ExitedWithCode(42), "");
}

TEST_F(FaultTest, of_the_program_itself_still_ends_it) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto ended = [](int status) { return WIFSIGNALED(status) || WEXITSTATUS(status) != 0; };
  EXPECT_EXIT(
      {
        run_in_new_context("empty");
        volatile std::uintptr_t nowhere = 8;
        *reinterpret_cast<volatile int*>(nowhere) = 1;
        _exit(0);
      },
      ended, "");
}

}  // namespace
}  // namespace treadle::cuda_cpu::test
