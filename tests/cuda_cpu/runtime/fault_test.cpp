// SPDX-License-Identifier: MIT
// P12: what a kernel does wrong never ends the process.
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

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

// What lies within reach is the luck of the addresses; so no fault is tried, but the map is read.
TEST_F(FaultTest, a_32_bit_index_into_shared_memory_leads_there_or_to_nothing) {
  auto** const out = allocate_array<std::byte*>(1);
  ASSERT_CU(launch("shared_address", 1, 32, nullptr, out));
  ASSERT_CU(CU(cuCtxSynchronize)());
  const auto shared = reinterpret_cast<std::uintptr_t>(*out);
  constexpr std::uintptr_t reach = sizeof(int) * (std::uintptr_t{1} << 32);
  std::size_t reached = 0;
  for (const Mapping& mapping : mappings()) {
    const bool is_near = mapping.end > shared - reach && mapping.begin < shared + reach;
    if (mapping.access.starts_with("---") || !is_near) continue;
    ++reached;
    EXPECT_TRUE(mapping.begin <= shared && shared < mapping.end) << std::hex << mapping.begin;
  }
  EXPECT_EQ(reached, 1u);
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

/// One access of 4 bytes at `offset` from an array of `size` bytes: what the error says.
struct Misplaced {
  const char* name;
  std::size_t size;
  std::ptrdiff_t offset;
  bool freed;
  std::vector<std::string> words;
};
class MisplacedAccess : public FaultTest, public ::testing::WithParamInterface<Misplaced> {
 protected:
  CUdeviceptr prepare() {
    const CUdeviceptr array = allocate(GetParam().size);
    const CUresult freed = GetParam().freed ? CU(cuMemFree)(array) : CUDA_SUCCESS;
    EXPECT_CU(CUDA_SUCCESS, freed);
    return array + static_cast<CUdeviceptr>(GetParam().offset);
  }
};
TEST_P(MisplacedAccess, writing) {
  ASSERT_CU(launch("write_to", 1, 1, nullptr, prepare(), 0u));
  expect_fault(CUDA_ERROR_ILLEGAL_ADDRESS, GetParam().words);
}
TEST_P(MisplacedAccess, reading) {
  int* out = allocate_array<int>(1);
  ASSERT_CU(launch("read_from", 1, 1, nullptr, prepare(), out, 0));
  expect_fault(CUDA_ERROR_ILLEGAL_ADDRESS, GetParam().words);
}
constexpr std::size_t megabyte = 1u << 20;
INSTANTIATE_TEST_SUITE_P(
    OfAnArray, MisplacedAccess,
    ::testing::Values(
        Misplaced{"before", megabyte, -4, false, {"4 bytes before the 1048576 bytes at 0x"}},
        Misplaced{"just_past", megabyte, megabyte, false, {"just past the end of the 1048576"}},
        Misplaced{"past", megabyte, megabyte + 12, false, {"12 bytes past the end of the 1048576"}},
        Misplaced{"freed", megabyte, 8, true, {"inside the 1048576 bytes", "which were freed"}}),
    [](const auto& row) { return row.param.name; });

TEST_F(FaultTest, a_misaligned_vector) {
  const CUdeviceptr array = allocate(megabyte);
  ASSERT_CU(launch("write_vector", 1, 1, nullptr, array + 4, 3));
  char address[32];
  std::snprintf(address, sizeof address, "0x%llx", array + 4 + 48);
  expect_fault(CUDA_ERROR_MISALIGNED_ADDRESS,
               {"write_vector", "misaligned memory access", address, "inside the 1048576 bytes"});
}

TEST_F(FaultTest, an_address_that_cannot_be_one) {
  ASSERT_CU(launch("write_vector", 1, 1, nullptr, std::uint64_t{0x1234567812345678}, 0));
  expect_fault(CUDA_ERROR_ILLEGAL_ADDRESS, {"0x1234567812345678"});
}

TEST_F(FaultTest, the_line_that_allocated_is_named) {
  const auto set_source =
      entry_point_as<void(int (*)(const char**))>("treadle_cpu_set_site_source");
  set_source([](const char** file) {
    *file = "user.py";
    return 12;
  });
  const CUdeviceptr array = allocate(megabyte);
  set_source(nullptr);
  ASSERT_CU(launch("write_to", 1, 1, nullptr, array + megabyte, 0u));
  expect_fault(CUDA_ERROR_ILLEGAL_ADDRESS, {"allocated at user.py:12"});
}

TEST_F(FaultTest, endless_recursion_on_the_waiting_thread) {
  ASSERT_CU(launch("recurse", 1, 1, nullptr));
  expect_fault(CUDA_ERROR_HARDWARE_STACK_ERROR, {"recurse", "stack overflow", "thread unknown"});
}

TEST_F(FaultTest, endless_recursion_on_a_worker) {
  ASSERT_CU(launch("recurse", 1, 1, nullptr));
  let_workers_run();
  expect_fault(CUDA_ERROR_HARDWARE_STACK_ERROR, {"recurse", "stack overflow"});
}

TEST_F(FaultTest, endless_recursion_on_a_waiting_thread_with_a_small_stack) {
  std::thread([&] {
    ASSERT_CU(CU(cuCtxPushCurrent)(context_));
    ASSERT_CU(launch("recurse", 1, 1, nullptr));
    EXPECT_CU(CUDA_ERROR_HARDWARE_STACK_ERROR, CU(cuCtxSynchronize)());
  }).join();
  expect_fault(CUDA_ERROR_HARDWARE_STACK_ERROR, {"stack overflow"});
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
  int one = 1;
  void* arguments[] = {&value, &one};
  const CUfunction set_flag = kernel("set_flag");  // behind the trap no function may be had
  ASSERT_CU(launch("trap", 1, 1, nullptr));
  // The trap may have come first: then it is the launch that reports it.
  const CUresult behind =
      CU(cuLaunchKernel)(set_flag, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr);
  EXPECT_TRUE(behind == CUDA_SUCCESS || behind == CUDA_ERROR_LAUNCH_FAILED) << behind;
  EXPECT_CU(CUDA_ERROR_LAUNCH_FAILED, CU(cuCtxSynchronize)());
  EXPECT_EQ(*value, 0);
}

TEST_F(FaultTest, its_text_stays_whatever_happens_in_other_contexts) {
  struct Failed {
    CUcontext context = nullptr;
    const char* text = nullptr;
  };
  const auto fail = [](const char* name, Failed& failed) {
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    ASSERT_CU(CU(cuCtxCreate)(&failed.context, nullptr, 0, 0));
    ASSERT_CU(CU(cuModuleLoadData)(&module, test_image().data()));
    ASSERT_CU(CU(cuModuleGetFunction)(&function, module, name));
    ASSERT_CU(CU(cuLaunchKernel)(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    ASSERT_NE(CU(cuCtxSynchronize)(), CUDA_SUCCESS);
    failed.text = last_fault(failed.context);
  };
  const auto expect = [](const Failed& failed, const char* name) {
    const auto begins_with = "kernel " + std::string(name);
    EXPECT_TRUE(std::string(last_fault(failed.context)).starts_with(begins_with));
    EXPECT_TRUE(std::string(failed.text).starts_with(begins_with)) << failed.text;
  };
  Failed first;
  fail("recurse", first);
  for (int i = 0; i < 1200; ++i) {  // once, the last of a thousand texts was replaced
    Failed one, other;
    fail("trap", one);
    if (i >= 900) fail("recurse", other);
    expect(one, "trap");
    ASSERT_CU(CU(cuCtxDestroy)(one.context));
    if (i < 900) continue;
    expect(other, "recurse");
    ASSERT_CU(CU(cuCtxDestroy)(other.context));
  }
  expect(first, "recurse");
  ASSERT_CU(CU(cuCtxDestroy)(first.context));
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
    EXPECT_CU(CUDA_ERROR_HARDWARE_STACK_ERROR, CU(cuCtxSynchronize)());
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

// The sanitizer would report it before the processor does.
__attribute__((no_sanitize("undefined"))) int divide_by(volatile int* number) {
  return 100 / *number;
}

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

struct sigaction behind_the_late_one;

/// As Python's faulthandler does: says something, puts back what it found and raises once more.
void late_handler(int signal) {
  if (write(STDERR_FILENO, "late\n", 5) != 5) _exit(3);
  sigaction(signal, &behind_the_late_one, nullptr);
  raise(signal);
}
void install_late_handler() {
  struct sigaction late{};
  late.sa_handler = late_handler;
  late.sa_flags = SA_NODEFER | SA_ONSTACK;
  sigaction(SIGSEGV, &late, &behind_the_late_one);
}
void touch_nothing() {
  volatile std::uintptr_t nowhere = 8;
  *reinterpret_cast<volatile int*>(nowhere) = 1;
}

TEST_F(FaultTest, of_a_kernel_is_not_the_handlers_that_came_later) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        run_in_new_context("empty");
        for (int turn = 0; turn < 3; ++turn) {
          install_late_handler();
          if (run_in_new_context("recurse") != CUDA_ERROR_HARDWARE_STACK_ERROR) _exit(1);
        }
        _exit(42);
      },
      ::testing::ExitedWithCode(42), "^$");
}

TEST_F(FaultTest, of_the_program_itself_goes_once_to_the_handler_that_came_later) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer's handler stands behind ours, and says more than nothing";
#endif
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        run_in_new_context("empty");
        install_late_handler();
        run_in_new_context("empty");
        touch_nothing();
        _exit(0);
      },
      ::testing::KilledBySignal(SIGSEGV), "^late\n$");
}

TEST_F(FaultTest, a_kernel_that_runs_too_long_is_ended_by_the_watchdog) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  setenv("TREADLE_WATCHDOG", "1", 1);  // for the process that is started
  EXPECT_EXIT(
      {
        int started = 0;
        if (launch("endless", 2, 8, nullptr, &started) != CUDA_SUCCESS) _exit(1);
        if (CU(cuCtxSynchronize)() != CUDA_ERROR_LAUNCH_TIMEOUT) _exit(2);
        std::fputs(last_fault(nullptr), stderr);
        _exit(run_in_new_context("empty") == CUDA_SUCCESS ? 42 : 3);
      },
      ::testing::ExitedWithCode(42),
      "kernel endless.*longer than the 1 s of TREADLE_WATCHDOG, block \\([01],0,0\\) of "
      "\\(2,1,1\\)");
  unsetenv("TREADLE_WATCHDOG");
}

TEST_F(FaultTest, of_the_program_itself_still_ends_it) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto ended = [](int status) { return WIFSIGNALED(status) || WEXITSTATUS(status) != 0; };
  EXPECT_EXIT(
      {
        run_in_new_context("empty");
        touch_nothing();
        _exit(0);
      },
      ended, "");
}

}  // namespace
}  // namespace treadle::cuda_cpu::test
