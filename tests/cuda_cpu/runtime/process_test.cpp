// SPDX-License-Identifier: MIT
// Ends and forks of the process.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include "cuda_cpu/runtime/harness.hpp"

namespace treadle::cuda_cpu::test {
namespace {

// A child ends as programs do, through the functions registered for exit. Not under
// AddressSanitizer: its search for leaks, one of those functions, waits for the parent's threads,
// which the child has not.
[[noreturn]] void end_child(int status) {
#if defined(__SANITIZE_ADDRESS__)
  _exit(status);
#else
  std::exit(status);
#endif
}

class ProcessTest : public RuntimeTest {
 protected:
  /// Exit status of a child that runs `body` and returns its result; 1000 + signal if a signal
  /// ended it.
  template <class Body>
  static int in_child(Body&& body) {
    const pid_t child = fork();
    if (child == 0) end_child(body());
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
  }
};

TEST_F(ProcessTest, a_forked_child_is_told_and_the_parent_goes_on) {
  int* flag = allocate_array<int>(2);
  ASSERT_CU(launch("wait_flag", 1, 1, nullptr, flag, flag + 1, 3));  // work in flight while forking
  const int refused = in_child([&] {
    CUdeviceptr pointer = 0;
    CUcontext context = nullptr;
    int count = 0;
    const char* name = nullptr;
    const CUresult results[] = {CU(cuMemAlloc)(&pointer, 16),
                                CU(cuCtxSynchronize)(),
                                CU(cuInit)(0),
                                CU(cuDeviceGetCount)(&count),
                                CU(cuCtxGetCurrent)(&context),
                                CU(cuCtxCreate)(&context, nullptr, 0, 0),
                                CU(cuCtxDestroy)(context_),
                                CU(cuModuleUnload)(module_),
                                CU(cuStreamSynchronize)(nullptr)};
    int refusals = 0;
    for (const CUresult result : results) refusals += result == CUDA_ERROR_NOT_INITIALIZED ? 1 : 0;
    const bool names_work = CU(cuGetErrorName)(results[0], &name) == CUDA_SUCCESS;
    const bool no_fault =
        *entry_point_as<const char*(CUcontext)>("treadleCpuLastFault")(context_) == '\0';
    return refusals + (names_work && no_fault ? 0 : 100);
  });
  EXPECT_EQ(refused, 9);
  *static_cast<volatile int*>(flag) = 1;
  EXPECT_CU(CUDA_SUCCESS, CU(cuCtxSynchronize)());
  EXPECT_EQ(flag[1], 3);
}

TEST_F(ProcessTest, a_thread_of_the_child_ends_quietly) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer lets no thread start in a forked child";
#endif
  const int status = in_child([&] {
    std::thread([&] { CU(cuCtxPushCurrent)(context_); }).join();
    return 7;
  });
  EXPECT_EQ(status, 7);
}

TEST_F(ProcessTest, forks_while_other_threads_launch) {
  std::atomic<bool> stop{false};
  const CUfunction function = kernel("empty");
  std::thread busy([&] {
    ASSERT_CU(CU(cuCtxPushCurrent)(context_));
    while (!stop) {
      CU(cuLaunchKernel)(function, 8, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr);
      CU(cuStreamSynchronize)(nullptr);
    }
  });
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(in_child([&] { return static_cast<int>(CU(cuCtxSynchronize)()); }), 3);
  stop = true;
  busy.join();
}

// A child that inherits the loader's lock waits for it in its first dlopen(): Python's imports, for
// instance.
TEST_F(ProcessTest, forks_while_other_threads_load_and_unload_modules) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer itself waits for a lock in such children";
#endif
  std::atomic<bool> stop{false};
  std::vector<std::thread> busy;
  for (int i = 0; i < 2; ++i)
    busy.emplace_back([&] {
      ASSERT_CU(CU(cuCtxPushCurrent)(context_));
      while (!stop) {
        CUmodule module = nullptr;
        ASSERT_CU(CU(cuModuleLoadData)(&module, test_image().data()));
        ASSERT_CU(CU(cuModuleUnload)(module));
      }
    });
  int hung = 0;
  for (int i = 0; i < 100 && hung == 0; ++i)
    hung += in_child([] {
      alarm(10);
      void* const library = dlopen("libm.so.6", RTLD_NOW);
      return library != nullptr && dlclose(library) == 0 ? 0 : 1;
    });
  EXPECT_EQ(hung, 0);
  stop = true;
  for (std::thread& thread : busy) thread.join();
}

void launch_and_leave(const char* name, bool with_callback) {
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  CU(cuInit)(0);
  CU(cuCtxCreate)(&context, nullptr, 0, 0);
  CU(cuModuleLoadData)(&module, test_image().data());
  CU(cuModuleGetFunction)(&function, module, name);
  unsigned milliseconds = 60'000;
  int* done = nullptr;
  void* addresses[] = {&milliseconds, &done};
  CU(cuLaunchKernel)(function, 1, 1, 1, 1, 1, 1, 0, nullptr, addresses, nullptr);
  if (with_callback) CU(cuLaunchHostFunc)(nullptr, [](void*) {}, nullptr);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // until it really runs
  std::exit(5);
}

TEST(ProcessExitTest, does_not_wait_for_running_kernels) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(launch_and_leave("spin", false), ::testing::ExitedWithCode(5), "");
  EXPECT_EXIT(launch_and_leave("spin", true), ::testing::ExitedWithCode(5), "");
}

int count_refusals_before_init() {
  CUdeviceptr pointer = 0;
  int count = 0, version = 0;
  int refusals = CU(cuMemAlloc)(&pointer, 4) == CUDA_ERROR_NOT_INITIALIZED ? 1 : 0;
  refusals += CU(cuDeviceGetCount)(&count) == CUDA_ERROR_NOT_INITIALIZED ? 1 : 0;
  return CU(cuDriverGetVersion)(&version) == CUDA_SUCCESS ? refusals : -1;
}

TEST(ProcessStartTest, calls_before_init_are_refused) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(std::exit(count_refusals_before_init()), ::testing::ExitedWithCode(2), "");
}

}  // namespace
}  // namespace treadle::cuda_cpu::test
