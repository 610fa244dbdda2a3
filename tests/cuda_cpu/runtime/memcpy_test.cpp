// SPDX-License-Identifier: MIT
#include <cstring>
#include <numeric>

#include "cuda_cpu/runtime/harness.hpp"

namespace treadle::cuda_cpu::test {
namespace {

using MemcpyTest = RuntimeTest;

std::vector<unsigned char> pattern(std::size_t size) {
  std::vector<unsigned char> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<unsigned char>(i * 7 + i / 251);
  return bytes;
}

TEST_F(MemcpyTest, moves_every_size_there_and_back) {
  for (const std::size_t size :
       {std::size_t{1}, std::size_t{255}, std::size_t{65'537}, (std::size_t{5} << 20) + 3}) {
    const auto sent = pattern(size);
    std::vector<unsigned char> received(size);
    const CUdeviceptr first = allocate(size), second = allocate(size);
    ASSERT_CU(CU(cuMemcpyHtoD)(first, sent.data(), size));
    ASSERT_CU(CU(cuMemcpyDtoD)(second, first, size));
    ASSERT_CU(CU(cuMemcpyDtoH)(received.data(), second, size));
    EXPECT_EQ(received, sent);
    std::fill(received.begin(), received.end(), 0);
    ASSERT_CU(CU(cuMemcpy)(reinterpret_cast<CUdeviceptr>(received.data()), first, size));
    EXPECT_EQ(received, sent);
    ASSERT_CU(CU(cuMemcpyPeer)(second, context_, first, context_, size));
  }
}

TEST_F(MemcpyTest, asynchronous_from_pageable_memory_takes_the_bytes_at_the_call) {
  CUstream stream = nullptr;
  ASSERT_CU(CU(cuStreamCreate)(&stream, CU_STREAM_NON_BLOCKING));
  int* flag = allocate_array<int>(1);
  int* other = allocate_array<int>(1);
  int* target = allocate_array<int>(1);
  int value = 5;
  ASSERT_CU(launch("wait_flag", 1, 1, stream, flag, other, 1));
  ASSERT_CU(
      CU(cuMemcpyHtoDAsync)(reinterpret_cast<CUdeviceptr>(target), &value, sizeof value, stream));
  value = 6;
  *static_cast<volatile int*>(flag) = 1;
  ASSERT_CU(CU(cuStreamSynchronize)(stream));
  EXPECT_EQ(*target, 5);
}

TEST_F(MemcpyTest, asynchronous_between_page_locked_and_device_memory_keeps_stream_order) {
  CUstream stream = nullptr;
  ASSERT_CU(CU(cuStreamCreate)(&stream, 0));
  int* flag = allocate_array<int>(1);
  int* target = allocate_array<int>(1);
  void* host = nullptr;
  ASSERT_CU(CU(cuMemAllocHost)(&host, 2 * sizeof(int)));
  auto* const values = static_cast<volatile int*>(host);
  values[0] = 0;
  values[1] = 0;
  ASSERT_CU(launch("wait_flag", 1, 1, stream, flag, target, 11));
  ASSERT_CU(
      CU(cuMemcpyDtoHAsync)(host, reinterpret_cast<CUdeviceptr>(target), sizeof(int), stream));
  ASSERT_CU(CU(cuMemcpyAsync)(reinterpret_cast<CUdeviceptr>(values + 1),
                              reinterpret_cast<CUdeviceptr>(host), sizeof(int), stream));
  EXPECT_EQ(values[0], 0);
  *static_cast<volatile int*>(flag) = 1;
  ASSERT_CU(CU(cuStreamSynchronize)(stream));
  EXPECT_EQ(values[0], 11);
  EXPECT_EQ(values[1], 11);
}

TEST_F(MemcpyTest, refuses_memory_that_is_not_the_devices) {
  std::vector<char> bytes(100);
  const CUdeviceptr pointer = allocate(100);
  const auto host = reinterpret_cast<CUdeviceptr>(bytes.data());
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuMemcpyHtoD)(host, bytes.data(), 10));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuMemcpyHtoD)(pointer, bytes.data(), 101));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuMemcpyHtoD)(pointer + 1, bytes.data(), 100));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuMemcpyDtoD)(pointer, host, 10));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuMemcpyDtoH)(nullptr, pointer, 10));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuMemcpyHtoD)(pointer, bytes.data(), ~std::size_t{0}));
  ASSERT_CU(CU(cuMemFree)(pointer));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuMemcpyHtoD)(pointer, bytes.data(), 10));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuMemcpyDtoH)(bytes.data(), pointer, 10));
  EXPECT_CU(CUDA_SUCCESS, CU(cuMemcpyHtoD)(pointer, bytes.data(), 0));
}

TEST_F(MemcpyTest, from_an_unmapped_host_address_is_an_error_and_the_context_lives) {
  const CUdeviceptr pointer = allocate(100'000);
  auto* const unmapped = reinterpret_cast<void*>(0x10);
  for (const std::size_t size : {std::size_t{100}, std::size_t{100'000}}) {
    EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuMemcpyHtoD)(pointer, unmapped, size));
    EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuMemcpyHtoDAsync)(pointer, unmapped, size, nullptr));
    EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuMemcpyDtoH)(unmapped, pointer, size));
  }
  EXPECT_CU(CUDA_SUCCESS, CU(cuCtxSynchronize)());
}

TEST_F(MemcpyTest, in_two_dimensions_takes_a_rectangle) {
  constexpr std::size_t width = 13, height = 9, pitch = 32;
  const auto source = pattern(pitch * height);
  const CUdeviceptr device = allocate(64 * height);
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = source.data();
  copy.srcPitch = pitch;
  copy.srcXInBytes = 3;
  copy.srcY = 2;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = device;
  copy.dstPitch = 64;
  copy.dstXInBytes = 5;
  copy.dstY = 1;
  copy.WidthInBytes = width;
  copy.Height = height - 2;
  ASSERT_CU(CU(cuMemcpy2D)(&copy));
  const auto* result = reinterpret_cast<const unsigned char*>(device);
  for (std::size_t y = 0; y < height; ++y)
    for (std::size_t x = 0; x < 64; ++x) {
      const bool inside = y >= 1 && y < height - 1 && x >= 5 && x < 5 + width;
      EXPECT_EQ(result[y * 64 + x], inside ? source[(y - 1 + 2) * pitch + x - 5 + 3] : 0)
          << x << "," << y;
    }
  copy.Height = height;  // two rows too many for the device's side
  copy.dstY = 2;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuMemcpy2D)(&copy));
  copy.dstY = 0;
  copy.dstPitch = 8;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuMemcpy2DUnaligned)(&copy));
  copy.Height = 0;
  EXPECT_CU(CUDA_SUCCESS, CU(cuMemcpy2DAsync)(&copy, nullptr));
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.Height = 1;
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, CU(cuMemcpy2D)(&copy));
}

TEST_F(MemcpyTest, in_three_dimensions_takes_a_box) {
  constexpr std::size_t nx = 10, ny = 6, nz = 4;
  const auto source = pattern(nx * ny * nz);
  std::vector<unsigned char> box(4 * 3 * 2);
  const CUdeviceptr device = allocate(source.size());
  ASSERT_CU(CU(cuMemcpyHtoD)(device, source.data(), source.size()));
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
  copy.srcDevice = device;
  copy.srcPitch = nx;
  copy.srcHeight = ny;
  copy.srcXInBytes = 2;
  copy.srcY = 1;
  copy.srcZ = 2;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = box.data();
  copy.WidthInBytes = 4;
  copy.Height = 3;
  copy.Depth = 2;
  ASSERT_CU(CU(cuMemcpy3D)(&copy));
  for (std::size_t z = 0; z < 2; ++z)
    for (std::size_t y = 0; y < 3; ++y)
      for (std::size_t x = 0; x < 4; ++x)
        EXPECT_EQ(box[(z * 3 + y) * 4 + x], source[((z + 2) * ny + y + 1) * nx + x + 2]);
  copy.srcZ = 3;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuMemcpy3DAsync)(&copy, nullptr));
}

}  // namespace
}  // namespace treadle::cuda_cpu::test
