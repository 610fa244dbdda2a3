// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <thread>

#include "cuda_cpu/runtime/harness.hpp"

namespace treadle::cuda_cpu::test {
namespace {

class StreamTest : public RuntimeTest {
 protected:
  static CUstream make(unsigned flags) {
    CUstream stream = nullptr;
    EXPECT_CU(CUDA_SUCCESS, CU(cuStreamCreate)(&stream, flags));
    return stream;
  }
  void SetUp() override {
    RuntimeTest::SetUp();
    flags_ = allocate_array<int>(64);
  }
  /// Queues a kernel that holds the stream until the flag that is returned is set. Allocates
  /// nothing: filling new memory is work of the default stream, which may be the one that is held.
  volatile int* hold(CUstream stream) {
    int* flag = flags_;
    int* unused = flags_ + 1;
    flags_ += 2;
    EXPECT_CU(CUDA_SUCCESS, launch("wait_flag", 1, 1, stream, flag, unused, 1));
    return flag;
  }
  CUresult append(CUstream stream, int* list, int value) {
    return launch("append", 1, 1, stream, list, value);
  }

 private:
  int* flags_ = nullptr;
};

TEST_F(StreamTest, non_blocking_ones_overlap) {
  // Each kernel waits for the other one to run: in sequence both would give up.
  const CUstream first = make(CU_STREAM_NON_BLOCKING), second = make(CU_STREAM_NON_BLOCKING);
  int* flags = allocate_array<int>(4);
  ASSERT_CU(launch("handshake", 1, 1, first, flags, flags + 1, flags + 2));
  ASSERT_CU(launch("handshake", 1, 1, second, flags + 1, flags, flags + 3));
  ASSERT_CU(CU(cuStreamSynchronize)(first));
  ASSERT_CU(CU(cuStreamSynchronize)(second));
  EXPECT_EQ(flags[2], 1);
  EXPECT_EQ(flags[3], 1);
}

TEST_F(StreamTest, keeps_the_order_of_its_work) {
  const CUstream stream = make(CU_STREAM_NON_BLOCKING);
  constexpr int count = 5000;
  int* list = allocate_array<int>(count + 1);
  for (int i = 1; i <= count; ++i) ASSERT_CU(append(stream, list, i));
  ASSERT_CU(CU(cuStreamSynchronize)(stream));
  EXPECT_EQ(list[0], count);
  for (int i = 1; i <= count; ++i) ASSERT_EQ(list[i], i);
}

TEST_F(StreamTest, blocking_ones_wait_for_the_default_stream) {
  const CUstream stream = make(CU_STREAM_DEFAULT), free_stream = make(CU_STREAM_NON_BLOCKING);
  int* list = allocate_array<int>(4);
  volatile int* gate = hold(nullptr);
  ASSERT_CU(append(stream, list, 2));
  ASSERT_CU(append(free_stream, list, 1));
  ASSERT_CU(CU(cuStreamSynchronize)(free_stream));
  EXPECT_CU(CUDA_ERROR_NOT_READY, CU(cuStreamQuery)(stream));
  EXPECT_EQ(list[0], 1);
  *gate = 1;
  ASSERT_CU(CU(cuStreamSynchronize)(stream));
  EXPECT_EQ(list[0], 2);
  EXPECT_EQ(list[2], 2);
}

TEST_F(StreamTest, the_default_stream_waits_for_blocking_ones) {
  const CUstream stream = make(CU_STREAM_DEFAULT), free_stream = make(CU_STREAM_NON_BLOCKING);
  int* list = allocate_array<int>(4);
  volatile int* gate = hold(stream);
  volatile int* free_gate = hold(free_stream);
  ASSERT_CU(append(CU_STREAM_LEGACY, list, 1));
  EXPECT_CU(CUDA_ERROR_NOT_READY, CU(cuStreamQuery)(nullptr));
  EXPECT_EQ(list[0], 0);
  *gate = 1;
  ASSERT_CU(CU(cuStreamSynchronize)(nullptr));
  EXPECT_EQ(list[0], 1);
  EXPECT_CU(CUDA_ERROR_NOT_READY, CU(cuStreamQuery)(free_stream));
  *free_gate = 1;
  ASSERT_CU(CU(cuCtxSynchronize)());
  EXPECT_CU(CUDA_SUCCESS, CU(cuStreamQuery)(free_stream));
}

TEST_F(StreamTest, per_thread_ones_are_apart_and_wait_for_the_default_stream) {
  volatile int* gate = hold(CU_STREAM_PER_THREAD);
  std::thread([&] {
    ASSERT_CU(CU(cuCtxPushCurrent)(context_));
    EXPECT_CU(CUDA_SUCCESS, CU(cuStreamQuery)(CU_STREAM_PER_THREAD));
    unsigned long long mine = 0, legacy = 0;
    EXPECT_CU(CUDA_SUCCESS, CU(cuStreamGetId)(CU_STREAM_PER_THREAD, &mine));
    EXPECT_CU(CUDA_SUCCESS, CU(cuStreamGetId)(nullptr, &legacy));
    EXPECT_NE(mine, legacy);
  }).join();
  EXPECT_CU(CUDA_ERROR_NOT_READY, CU(cuStreamQuery)(CU_STREAM_PER_THREAD));
  *gate = 1;
  ASSERT_CU(CU(cuStreamSynchronize)(CU_STREAM_PER_THREAD));
  int* list = allocate_array<int>(2);
  volatile int* legacy_gate = hold(CU_STREAM_LEGACY);
  *legacy_gate = 1;
  ASSERT_CU(append(CU_STREAM_PER_THREAD, list, 1));
  ASSERT_CU(CU(cuStreamSynchronize)(CU_STREAM_PER_THREAD));
  EXPECT_EQ(list[0], 1);
}

TEST_F(StreamTest, waits_for_an_event_of_another) {
  const CUstream first = make(CU_STREAM_NON_BLOCKING), second = make(CU_STREAM_NON_BLOCKING);
  int* list = allocate_array<int>(4);
  CUevent event = nullptr;
  ASSERT_CU(CU(cuEventCreate)(&event, CU_EVENT_DISABLE_TIMING));
  EXPECT_CU(CUDA_SUCCESS,
            CU(cuStreamWaitEvent)(second, event, 0));  // never recorded: nothing to wait for
  volatile int* gate = hold(first);
  ASSERT_CU(append(first, list, 1));
  ASSERT_CU(CU(cuEventRecord)(event, first));
  ASSERT_CU(CU(cuStreamWaitEvent)(second, event, 0));
  ASSERT_CU(append(second, list, 2));
  EXPECT_CU(CUDA_ERROR_NOT_READY, CU(cuStreamQuery)(second));
  ASSERT_CU(CU(cuEventDestroy)(event));  // the wait was given at the call
  *gate = 1;
  ASSERT_CU(CU(cuStreamSynchronize)(second));
  EXPECT_EQ(list[1], 1);
  EXPECT_EQ(list[2], 2);
}

TEST_F(StreamTest, passes_long_chains_of_waits_without_deep_recursion) {
  const CUstream streams[] = {make(CU_STREAM_NON_BLOCKING), make(CU_STREAM_NON_BLOCKING)};
  CUevent event = nullptr;
  ASSERT_CU(CU(cuEventCreate)(&event, CU_EVENT_DISABLE_TIMING));
  volatile int* gate = hold(streams[0]);
  for (unsigned i = 0; i < 100'000; ++i) {
    ASSERT_CU(CU(cuEventRecord)(event, streams[i % 2]));
    ASSERT_CU(CU(cuStreamWaitEvent)(streams[(i + 1) % 2], event, 0));
  }
  *gate = 1;
  ASSERT_CU(CU(cuStreamSynchronize)(streams[0]));
  ASSERT_CU(CU(cuStreamSynchronize)(streams[1]));
}

TEST_F(StreamTest, destroyed_with_work_finishes_it) {
  const CUstream stream = make(CU_STREAM_NON_BLOCKING);
  int* list = allocate_array<int>(2);
  volatile int* gate = hold(stream);
  ASSERT_CU(append(stream, list, 1));
  ASSERT_CU(CU(cuStreamDestroy)(stream));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, CU(cuStreamQuery)(stream));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, CU(cuStreamDestroy)(stream));
  *gate = 1;
  ASSERT_CU(CU(cuCtxSynchronize)());  // still waits for it
  EXPECT_EQ(list[0], 1);
}

TEST_F(StreamTest, tells_its_properties) {
  CUstream stream = nullptr;
  unsigned flags = 9;
  int priority = 9;
  CUcontext context = nullptr;
  CUdevice device = -1;
  ASSERT_CU(CU(cuStreamCreateWithPriority)(&stream, CU_STREAM_NON_BLOCKING, -100));
  EXPECT_CU(CUDA_SUCCESS, CU(cuStreamGetFlags)(stream, &flags));
  EXPECT_EQ(flags, unsigned{CU_STREAM_NON_BLOCKING});
  EXPECT_CU(CUDA_SUCCESS, CU(cuStreamGetPriority)(stream, &priority));
  EXPECT_EQ(priority, -5);
  EXPECT_CU(CUDA_SUCCESS, CU(cuStreamGetCtx)(stream, &context));
  EXPECT_EQ(context, context_);
  EXPECT_CU(CUDA_SUCCESS, CU(cuStreamGetDevice)(stream, &device));
  EXPECT_EQ(device, 0);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuStreamCreate)(&stream, 0x10));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuStreamCreate)(nullptr, 0));
}

TEST_F(StreamTest, calls_host_functions_in_order_and_forbids_calls_from_them) {
  struct Seen {
    int* list;
    std::atomic<int> at_call{-1};
    std::atomic<int> inner_result{-1};
  } seen{allocate_array<int>(4)};
  const CUstream stream = make(CU_STREAM_NON_BLOCKING);
  volatile int* gate = hold(stream);
  ASSERT_CU(append(stream, seen.list, 1));
  ASSERT_CU(CU(cuLaunchHostFunc)(
      stream,
      [](void* data) {
        auto& s = *static_cast<Seen*>(data);
        s.at_call = s.list[0];
        CUdeviceptr pointer = 0;
        s.inner_result = CU(cuMemAlloc)(&pointer, 4);
      },
      &seen));
  ASSERT_CU(append(stream, seen.list, 2));
  EXPECT_EQ(seen.at_call, -1);
  *gate = 1;
  ASSERT_CU(CU(cuStreamSynchronize)(stream));
  EXPECT_EQ(seen.at_call, 1);
  EXPECT_EQ(seen.list[0], 2);
  EXPECT_EQ(seen.inner_result, static_cast<int>(CUDA_ERROR_NOT_PERMITTED));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuLaunchHostFunc)(stream, nullptr, nullptr));
}

TEST_F(StreamTest, calls_back_with_its_handle_and_state) {
  struct Seen {
    std::atomic<CUstream> stream{nullptr};
    std::atomic<int> status{-1};
  } seen;
  const CUstream stream = make(0);
  ASSERT_CU(CU(cuStreamAddCallback)(
      stream,
      [](CUstream s, CUresult status, void* data) {
        static_cast<Seen*>(data)->stream = s;
        static_cast<Seen*>(data)->status = status;
      },
      &seen, 0));
  ASSERT_CU(CU(cuStreamSynchronize)(stream));
  EXPECT_EQ(seen.stream, stream);
  EXPECT_EQ(seen.status, static_cast<int>(CUDA_SUCCESS));
}

TEST_F(StreamTest, of_another_context_is_refused) {
  CUcontext other = nullptr;
  const CUstream stream = make(0);
  ASSERT_CU(CU(cuCtxCreate)(&other, nullptr, 0, 0));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, CU(cuStreamSynchronize)(stream));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE,
            CU(cuStreamSynchronize)(reinterpret_cast<CUstream>(0xdeadbeef0)));
  ASSERT_CU(CU(cuCtxDestroy)(other));
}

TEST_F(StreamTest, many_threads_launch_and_synchronize_at_a_time) {
  constexpr int threads = 12, rounds = 200;
  int* lists = allocate_array<int>(threads * (rounds + 1));
  const CUfunction function = kernel("append");
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t)
    all.emplace_back([&, t] {
      ASSERT_CU(CU(cuCtxPushCurrent)(context_));
      CUstream stream =
          make(t % 3 == 0 ? unsigned{CU_STREAM_DEFAULT} : unsigned{CU_STREAM_NON_BLOCKING});
      int* list = lists + t * (rounds + 1);
      for (int i = 0; i < rounds; ++i) {
        void* addresses[] = {&list, &i};
        ASSERT_CU(CU(cuLaunchKernel)(function, 1, 1, 1, 1, 1, 1, 0, stream, addresses, nullptr));
        if (i % 7 == 0) {
          ASSERT_CU(CU(cuStreamSynchronize)(stream));
        }
      }
      ASSERT_CU(CU(cuStreamSynchronize)(stream));
      ASSERT_CU(CU(cuStreamDestroy)(stream));
    });
  for (auto& thread : all) thread.join();
  for (int t = 0; t < threads; ++t) EXPECT_EQ(lists[t * (rounds + 1)], rounds);
}

}  // namespace
}  // namespace treadle::cuda_cpu::test
