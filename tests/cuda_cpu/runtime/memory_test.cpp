// SPDX-License-Identifier: MIT
#include <sys/resource.h>

#include <cstdlib>
#include <cstring>
#include <thread>

#include "cuda_cpu/runtime/harness.hpp"

namespace treadle::cuda_cpu::test {
namespace {

using MemoryTest = RuntimeTest;

TEST_F(MemoryTest, is_aligned_and_apart) {
  std::vector<std::pair<CUdeviceptr, size_t>> blocks;
  for (size_t size = 1; size < (size_t{8} << 20); size += size / 3 + 1) {
    CUdeviceptr pointer = 0;
    ASSERT_CU(CU(cuMemAlloc)(&pointer, size));
    EXPECT_EQ(pointer % 256, 0u);
    std::memset(reinterpret_cast<void*>(pointer), 0x5a, size);
    for (const auto& [start, bytes] : blocks)
      EXPECT_TRUE(pointer + size <= start || start + bytes <= pointer);
    blocks.emplace_back(pointer, size);
  }
  for (const auto& [start, bytes] : blocks) EXPECT_CU(CUDA_SUCCESS, CU(cuMemFree)(start));
}

TEST_F(MemoryTest, refuses_what_is_not_there_to_free) {
  CUdeviceptr pointer = 0;
  int local = 0;
  ASSERT_CU(CU(cuMemAlloc)(&pointer, 1000));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuMemFree)(pointer + 8));
  EXPECT_CU(CUDA_SUCCESS, CU(cuMemFree)(pointer));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuMemFree)(pointer));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuMemFree)(reinterpret_cast<CUdeviceptr>(&local)));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuMemFreeHost)(&local));
  EXPECT_CU(CUDA_SUCCESS, CU(cuMemFree)(0));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuMemAlloc)(&pointer, 0));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuMemAlloc)(nullptr, 16));
}

TEST_F(MemoryTest, that_the_device_does_not_have_is_out_of_memory) {
  size_t free = 0, total = 0;
  CUdeviceptr pointer = 0;
  ASSERT_CU(CU(cuMemGetInfo)(&free, &total));
  EXPECT_GT(free, 0u);
  EXPECT_LE(free, total);
  for (const size_t size :
       {free + (free >> 3), total + 1, size_t{1} << 45, ~size_t{0}, ~size_t{0} - 4096})
    EXPECT_CU(CUDA_ERROR_OUT_OF_MEMORY, CU(cuMemAlloc)(&pointer, size)) << size;
  size_t pitch = 0;
  EXPECT_CU(CUDA_ERROR_OUT_OF_MEMORY,
            CU(cuMemAllocPitch)(&pointer, &pitch, 1 << 30, size_t{1} << 50, 4));
}

TEST_F(MemoryTest, that_nobody_touched_yet_counts_as_used) {
  // Pages are backed when they are touched: without counting, ten times the machine's memory could
  // be given out.
  size_t free = 0, total = 0, free_after = 0;
  ASSERT_CU(CU(cuMemGetInfo)(&free, &total));
  const size_t half = free / 2;
  CUdeviceptr first = 0, second = 0;
  ASSERT_CU(CU(cuMemAlloc)(&first, half));
  ASSERT_CU(CU(cuMemGetInfo)(&free_after, &total));
  EXPECT_LT(free_after, free - half / 2);
  EXPECT_CU(CUDA_ERROR_OUT_OF_MEMORY, CU(cuMemAlloc)(&second, half + half / 2));
  ASSERT_CU(CU(cuMemFree)(first));
}

TEST_F(MemoryTest, of_all_allocations_is_never_more_than_the_device_has) {
  size_t free = 0, total = 0, taken = 0;
  ASSERT_CU(CU(cuMemGetInfo)(&free, &total));
  const size_t before = free, part = total / 16;
  std::vector<CUdeviceptr> parts;
  CUdeviceptr pointer = 0;
  while (parts.size() < 20 && CU(cuMemAlloc)(&pointer, part) == CUDA_SUCCESS) {
    parts.push_back(pointer);
    taken += part;
    ASSERT_CU(CU(cuMemGetInfo)(&free, &total));
    EXPECT_LE(free, total - taken);
  }
  EXPECT_GE(parts.size(), 1u);
  EXPECT_LE(taken, before);
  for (const CUdeviceptr each : parts) ASSERT_CU(CU(cuMemFree)(each));
  ASSERT_CU(CU(cuMemGetInfo)(&free, &total));
  EXPECT_GT(free, before / 2);
}

/// The mappings that touch each other and are plain memory, or nobody's, around an address.
std::pair<std::uintptr_t, std::uintptr_t> stretch_of_plain_memory(std::uintptr_t address) {
  std::uintptr_t begin = 0, end = 0;
  for (const Mapping& mapping : mappings()) {
    const bool plain = mapping.name.empty() &&
                       (mapping.access.starts_with("---") || mapping.access.starts_with("rw-"));
    if (!plain || mapping.begin != end) {
      if (address >= begin && address < end) break;
      begin = mapping.begin;
    }
    end = plain ? mapping.end : mapping.begin;
  }
  return {begin, end};
}

// However large the elements: 2^32 of 128 bytes each way. Sanitizers leave less to reserve.
TEST_F(MemoryTest, of_every_kind_lies_in_one_range_far_from_all_else) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer has its own plans with the addresses";
#endif
  constexpr std::uintptr_t reach = std::uintptr_t{128} << 32;
  std::vector<std::uintptr_t> addresses;
  for (const std::size_t bytes :
       {std::size_t{1}, std::size_t{5000}, std::size_t{1} << 18, std::size_t{32} << 20}) {
    CUdeviceptr device = 0, managed = 0;
    void* host = nullptr;
    ASSERT_CU(CU(cuMemAlloc)(&device, bytes));
    ASSERT_CU(CU(cuMemAllocManaged)(&managed, bytes, CU_MEM_ATTACH_GLOBAL));
    ASSERT_CU(CU(cuMemHostAlloc)(&host, bytes, 0));
    addresses.insert(addresses.end(), {device, managed, reinterpret_cast<std::uintptr_t>(host)});
  }
  auto** const out = allocate_array<std::byte*>(1);
  ASSERT_CU(launch("shared_address", 1, 32, nullptr, out));
  ASSERT_CU(CU(cuCtxSynchronize)());
  addresses.push_back(reinterpret_cast<std::uintptr_t>(*out));
  for (const std::size_t bytes : {std::size_t{10}, std::size_t{1} << 20}) {
    ASSERT_CU(launch("allocate_and_keep", 1, 1, nullptr, bytes, out));
    ASSERT_CU(CU(cuCtxSynchronize)());
    addresses.push_back(reinterpret_cast<std::uintptr_t>(*out));
  }
  const auto [begin, end] = stretch_of_plain_memory(addresses.front());
  for (const std::uintptr_t address : addresses) {
    EXPECT_GT(address, begin + reach);
    EXPECT_LT(address + reach, end);
  }
  int local = 0;
  const std::vector<int> heap(1000), large_heap(10'000'000);
  for (const void* mine : {static_cast<const void*>(&local), static_cast<const void*>(heap.data()),
                           static_cast<const void*>(large_heap.data()),
                           reinterpret_cast<const void*>(&stretch_of_plain_memory)}) {
    const auto address = reinterpret_cast<std::uintptr_t>(mine);
    EXPECT_TRUE(address < begin || address >= end) << mine;
  }
}

TEST_F(MemoryTest, that_was_freed_is_nobodys_until_it_is_given_out_again) {
  const auto may = [](CUdeviceptr pointer) {
    for (const Mapping& mapping : mappings())
      if (pointer >= mapping.begin && pointer < mapping.end) return mapping.access;
    return std::string();
  };
  std::vector<CUdeviceptr> blocks(64);
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < blocks.size(); ++i)
      ASSERT_CU(CU(cuMemAlloc)(&blocks[i], (std::size_t{256} << 10) * (1 + i % 11)));
    for (const CUdeviceptr block : blocks) {
      EXPECT_EQ(may(block), "rw-p");
      EXPECT_EQ(*reinterpret_cast<const int*>(block), 0);
      *reinterpret_cast<int*>(block) = 7;
      EXPECT_EQ(may(block - 1), "---p");
    }
    for (std::size_t i = 0; i < blocks.size(); i += 2) ASSERT_CU(CU(cuMemFree)(blocks[i]));
    for (std::size_t i = 0; i < blocks.size(); i += 2) EXPECT_EQ(may(blocks[i]), "---p");
    for (std::size_t i = 1; i < blocks.size(); i += 2) ASSERT_CU(CU(cuMemFree)(blocks[i]));
  }
}

int allocate_within(rlim_t bytes_of_addresses) {
  const rlimit limit{bytes_of_addresses, bytes_of_addresses};
  if (setrlimit(RLIMIT_AS, &limit) != 0) return 100;
  CUcontext context = nullptr;
  CUdeviceptr small = 0, large = 0;
  int failures = CU(cuInit)(0) != 0 ? 1 : 0;
  failures += CU(cuCtxCreate)(&context, nullptr, 0, 0) != 0 ? 2 : 0;
  failures += CU(cuMemAlloc)(&small, 1000) != 0 ? 4 : 0;
  failures += CU(cuMemAlloc)(&large, 8 << 20) != 0 ? 8 : 0;
  if (failures != 0) return failures;
  std::memset(reinterpret_cast<void*>(large), 1, 8 << 20);
  failures += CU(cuMemFree)(large) != 0 ? 16 : 0;
  const std::vector<char> own(8 << 20);  // the program's share
  return failures + (CU(cuMemFree)(small) != 0 ? 32 : 0);
}

TEST(MemoryLimitTest, a_process_with_few_addresses_works_without_the_range) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer needs more addresses";
#endif
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (const rlim_t limit : {rlim_t{2} << 30, rlim_t{3} << 40})
    EXPECT_EXIT(std::exit(allocate_within(limit)), ::testing::ExitedWithCode(0), "") << limit;
}

TEST_F(MemoryTest, has_rows_at_a_pitch) {
  CUdeviceptr pointer = 0;
  size_t pitch = 0;
  ASSERT_CU(CU(cuMemAllocPitch)(&pointer, &pitch, 1000, 7, 4));
  EXPECT_GE(pitch, 1000u);
  EXPECT_EQ(pitch % 256, 0u);
  std::memset(reinterpret_cast<void*>(pointer), 1, pitch * 7);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuMemAllocPitch)(&pointer, &pitch, 1000, 7, 3));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuMemAllocPitch)(&pointer, &pitch, 0, 7, 4));
}

TEST_F(MemoryTest, knows_the_range_of_an_address) {
  const CUdeviceptr pointer = allocate(1000);
  CUdeviceptr base = 0;
  size_t size = 0;
  EXPECT_CU(CUDA_SUCCESS, CU(cuMemGetAddressRange)(&base, &size, pointer + 999));
  EXPECT_EQ(base, pointer);
  EXPECT_EQ(size, 1000u);
  EXPECT_CU(CUDA_ERROR_NOT_FOUND, CU(cuMemGetAddressRange)(&base, &size, pointer + 1000));
}

TEST_F(MemoryTest, of_the_host_is_the_devices_too) {
  void* pointer = nullptr;
  CUdeviceptr device = 0;
  unsigned flags = 0;
  ASSERT_CU(CU(cuMemHostAlloc)(&pointer, 5000, CU_MEMHOSTALLOC_DEVICEMAP));
  ASSERT_CU(CU(cuMemHostGetDevicePointer)(&device, pointer, 0));
  EXPECT_EQ(device, reinterpret_cast<CUdeviceptr>(pointer));
  EXPECT_CU(CUDA_SUCCESS, CU(cuMemHostGetFlags)(&flags, pointer));
  EXPECT_EQ(flags, unsigned{CU_MEMHOSTALLOC_DEVICEMAP});
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuMemFree)(device));
  EXPECT_CU(CUDA_SUCCESS, CU(cuMemFreeHost)(pointer));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuMemFreeHost)(pointer));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuMemHostAlloc)(&pointer, 5000, 0x100));
  ASSERT_CU(CU(cuMemAllocHost)(&pointer, 1));
  EXPECT_CU(CUDA_SUCCESS, CU(cuMemFreeHost)(pointer));
}

TEST_F(MemoryTest, of_the_program_is_registered_once) {
  std::vector<char> bytes(10'000);
  CUdeviceptr device = 0;
  ASSERT_CU(CU(cuMemHostRegister)(bytes.data(), bytes.size(), 0));
  EXPECT_CU(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
            CU(cuMemHostRegister)(bytes.data() + 100, 10, 0));
  EXPECT_CU(CUDA_SUCCESS, CU(cuMemHostGetDevicePointer)(&device, bytes.data(), 0));
  EXPECT_CU(CUDA_SUCCESS, CU(cuMemHostUnregister)(bytes.data()));
  EXPECT_CU(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, CU(cuMemHostUnregister)(bytes.data()));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            CU(cuMemHostRegister)(reinterpret_cast<void*>(0x1000), 4096, 0));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuMemHostRegister)(bytes.data(), 0, 0));
}

TEST_F(MemoryTest, managed_takes_advice) {
  CUdeviceptr pointer = 0;
  ASSERT_CU(CU(cuMemAllocManaged)(&pointer, 4096, CU_MEM_ATTACH_GLOBAL));
  *reinterpret_cast<int*>(pointer) = 3;
  const CUmemLocation here{CU_MEM_LOCATION_TYPE_DEVICE, {0}};
  EXPECT_CU(CUDA_SUCCESS, CU(cuMemPrefetchAsync)(pointer, 4096, here, 0, nullptr));
  EXPECT_CU(CUDA_SUCCESS, CU(cuMemAdvise)(pointer, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, here));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuMemPrefetchAsync)(pointer, 4097, here, 0, nullptr));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            CU(cuMemAdvise)(allocate(16), 16, CU_MEM_ADVISE_SET_READ_MOSTLY, here));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuMemAllocManaged)(&pointer, 16, 77));
  EXPECT_CU(CUDA_SUCCESS, CU(cuMemFree)(pointer));
}

TEST_F(MemoryTest, freed_in_stream_order_serves_the_work_before) {
  CUstream stream = nullptr;
  ASSERT_CU(CU(cuStreamCreate)(&stream, CU_STREAM_NON_BLOCKING));
  int* flag = allocate_array<int>(1);
  int* result = allocate_array<int>(1);
  CUdeviceptr pointer = 0;
  ASSERT_CU(CU(cuMemAllocAsync)(&pointer, 4, stream));
  ASSERT_CU(launch("wait_flag", 1, 1, stream, flag, reinterpret_cast<int*>(pointer), 77));
  ASSERT_CU(CU(cuMemcpyDtoDAsync)(reinterpret_cast<CUdeviceptr>(result), pointer, 4, stream));
  ASSERT_CU(CU(cuMemFreeAsync)(pointer, stream));
  *static_cast<volatile int*>(flag) = 1;
  ASSERT_CU(CU(cuStreamSynchronize)(stream));
  EXPECT_EQ(*result, 77);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuMemFree)(pointer));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuMemFreeAsync)(pointer, stream));
}

TEST_F(MemoryTest, is_freed_when_the_work_that_uses_it_is_done) {
  const CUdeviceptr pointer = allocate(4);
  int* flag = allocate_array<int>(1);
  ASSERT_CU(launch("wait_flag", 1, 1, nullptr, flag, pointer, 1));
  std::thread setter([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    *static_cast<volatile int*>(flag) = 1;
  });
  EXPECT_CU(CUDA_SUCCESS, CU(cuMemFree)(pointer));
  EXPECT_CU(CUDA_SUCCESS, CU(cuStreamQuery)(nullptr));
  setter.join();
}

TEST_F(MemoryTest, tells_what_a_pointer_is) {
  const CUdeviceptr device = allocate(64);
  void* host = nullptr;
  ASSERT_CU(CU(cuMemAllocHost)(&host, 64));
  unsigned type = 0, managed = 9;
  CUcontext owner = nullptr;
  EXPECT_CU(CUDA_SUCCESS,
            CU(cuPointerGetAttribute)(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, device + 3));
  EXPECT_EQ(type, unsigned{CU_MEMORYTYPE_DEVICE});
  EXPECT_CU(CUDA_SUCCESS, CU(cuPointerGetAttribute)(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                                    reinterpret_cast<CUdeviceptr>(host)));
  EXPECT_EQ(type, unsigned{CU_MEMORYTYPE_HOST});
  EXPECT_CU(CUDA_SUCCESS, CU(cuPointerGetAttribute)(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, device));
  EXPECT_EQ(owner, context_);
  EXPECT_CU(CUDA_SUCCESS,
            CU(cuPointerGetAttribute)(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, device));
  EXPECT_EQ(managed, 0u);
  int local = 0;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            CU(cuPointerGetAttribute)(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                      reinterpret_cast<CUdeviceptr>(&local)));
  CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                      CU_POINTER_ATTRIBUTE_DEVICE_POINTER};
  CUdeviceptr found = 1;
  void* data[] = {&type, &found};
  EXPECT_CU(CUDA_SUCCESS,
            CU(cuPointerGetAttributes)(2, attributes, data, reinterpret_cast<CUdeviceptr>(&local)));
  EXPECT_EQ(type, 0u);
  EXPECT_EQ(found, 0u);
  EXPECT_CU(CUDA_SUCCESS, CU(cuPointerGetAttributes)(2, attributes, data, device));
  EXPECT_EQ(found, device);
}

}  // namespace
}  // namespace treadle::cuda_cpu::test
