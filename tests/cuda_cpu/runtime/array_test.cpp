// SPDX-License-Identifier: MIT
#include <cstring>
#include <numeric>

#include "cuda_cpu/runtime/harness.hpp"

namespace treadle::cuda_cpu::test {
namespace {

using ArrayTest = RuntimeTest;

constexpr CUDA_ARRAY3D_DESCRIPTOR plane{8, 4, 0, CU_AD_FORMAT_FLOAT, 2, 0};
constexpr std::size_t plane_bytes = 8 * 4 * 8;

CUarray make(const CUDA_ARRAY3D_DESCRIPTOR& descriptor) {
  CUarray array = nullptr;
  EXPECT_CU(CUDA_SUCCESS, CU(cuArray3DCreate)(&array, &descriptor));
  return array;
}

std::vector<unsigned char> counted(std::size_t size) {
  std::vector<unsigned char> bytes(size);
  std::iota(bytes.begin(), bytes.end(), static_cast<unsigned char>(1));
  return bytes;
}

TEST_F(ArrayTest, tell_what_they_were_made_of) {
  for (const CUDA_ARRAY3D_DESCRIPTOR& made :
       {CUDA_ARRAY3D_DESCRIPTOR{100, 0, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1, 0}, plane,
        CUDA_ARRAY3D_DESCRIPTOR{8, 4, 2, CU_AD_FORMAT_HALF, 4, CUDA_ARRAY3D_SURFACE_LDST},
        CUDA_ARRAY3D_DESCRIPTOR{8, 0, 5, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_LAYERED},
        CUDA_ARRAY3D_DESCRIPTOR{8, 4, 5, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_LAYERED},
        CUDA_ARRAY3D_DESCRIPTOR{8, 8, 6, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_CUBEMAP},
        CUDA_ARRAY3D_DESCRIPTOR{8, 8, 12, CU_AD_FORMAT_FLOAT, 1,
                                CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED},
        CUDA_ARRAY3D_DESCRIPTOR{8, 4, 0, CU_AD_FORMAT_UNORM_INT8X4, 4, 0}}) {
    const CUarray array = make(made);
    CUDA_ARRAY3D_DESCRIPTOR told{};
    ASSERT_CU(CU(cuArray3DGetDescriptor)(&told, array));
    EXPECT_EQ(std::memcmp(&told, &made, sizeof made), 0) << made.Width << " " << made.Flags;
    CUDA_ARRAY_DESCRIPTOR told_2d{};
    ASSERT_CU(CU(cuArrayGetDescriptor)(&told_2d, array));
    EXPECT_EQ(told_2d.Height, made.Height);
    EXPECT_EQ(told_2d.NumChannels, made.NumChannels);
    ASSERT_CU(CU(cuArrayDestroy)(array));
    EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, CU(cuArrayDestroy)(array));
    EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, CU(cuArray3DGetDescriptor)(&told, array));
  }
}

TEST_F(ArrayTest, that_cannot_be_are_refused) {
  CUarray array = nullptr;
  const auto refuses = [&](CUresult expected, CUDA_ARRAY3D_DESCRIPTOR descriptor) {
    EXPECT_CU(expected, CU(cuArray3DCreate)(&array, &descriptor))
        << descriptor.Width << "x" << descriptor.Height << "x" << descriptor.Depth << " format "
        << descriptor.Format << " flags " << descriptor.Flags;
  };
  constexpr CUarray_format f = CU_AD_FORMAT_FLOAT;
  for (const CUDA_ARRAY3D_DESCRIPTOR& bad :
       {CUDA_ARRAY3D_DESCRIPTOR{0, 4, 0, f, 1, 0},
        {8, 0, 4, f, 1, 0},
        {8, 4, 0, f, 3, 0},
        {8, 4, 0, f, 0, 0},
        {8, 4, 0, CUarray_format{}, 1, 0},
        {131073, 0, 0, f, 1, 0},
        {8, 65537, 0, f, 1, 0},
        {8, 8, 16385, f, 1, 0},
        {8, 4, 0, f, 1, CUDA_ARRAY3D_LAYERED},
        {8, 4, 2049, f, 1, CUDA_ARRAY3D_LAYERED},
        {8, 4, 6, f, 1, CUDA_ARRAY3D_CUBEMAP},
        {8, 8, 5, f, 1, CUDA_ARRAY3D_CUBEMAP},
        {8, 8, 12, f, 1, CUDA_ARRAY3D_CUBEMAP},
        {8, 8, 9, f, 1, CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED},
        {8, 0, 0, f, 1, CUDA_ARRAY3D_TEXTURE_GATHER},
        {8, 4, 0, f, 1, 1u << 20},
        {SIZE_MAX, SIZE_MAX, SIZE_MAX, f, 4, 0},
        {8, 4, 0, CU_AD_FORMAT_UNORM_INT8X4, 1, 0}})
    refuses(CUDA_ERROR_INVALID_VALUE, bad);
  refuses(CUDA_ERROR_NOT_SUPPORTED, {8, 4, 0, f, 1, CUDA_ARRAY3D_SPARSE});
  refuses(CUDA_ERROR_NOT_SUPPORTED, {8, 4, 0, CU_AD_FORMAT_BC1_UNORM, 4, 0});
  refuses(CUDA_ERROR_NOT_SUPPORTED, {8, 4, 0, CU_AD_FORMAT_NV12, 1, 0});
  refuses(CUDA_ERROR_OUT_OF_MEMORY, {131072, 65536, 0, f, 4, 0});
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuArray3DCreate)(&array, nullptr));
}

TEST_F(ArrayTest, are_copied_linearly_from_and_to_everything) {
  const CUarray first = make(plane), second = make(plane);
  const auto sent = counted(plane_bytes);
  std::vector<unsigned char> received(plane_bytes);
  const CUdeviceptr memory = allocate(plane_bytes);
  ASSERT_CU(CU(cuMemcpyHtoA)(first, 0, sent.data(), plane_bytes));
  ASSERT_CU(CU(cuMemcpyAtoA)(second, 0, first, 0, plane_bytes));
  ASSERT_CU(CU(cuMemcpyAtoD)(memory, second, 0, plane_bytes));
  ASSERT_CU(CU(cuMemcpyDtoA)(first, 8, memory, 16));
  ASSERT_CU(CU(cuMemcpyAtoH)(received.data(), first, 0, plane_bytes));
  EXPECT_TRUE(std::equal(sent.begin(), sent.begin() + 8, received.begin()));
  EXPECT_TRUE(std::equal(sent.begin(), sent.begin() + 16, received.begin() + 8));
  EXPECT_TRUE(std::equal(sent.begin() + 24, sent.end(), received.begin() + 24));
  CUstream stream = nullptr;
  ASSERT_CU(CU(cuStreamCreate)(&stream, CU_STREAM_NON_BLOCKING));
  ASSERT_CU(CU(cuMemcpyHtoAAsync)(first, 0, sent.data(), plane_bytes, stream));
  ASSERT_CU(CU(cuMemcpyAtoHAsync)(received.data(), first, 0, plane_bytes, stream));
  ASSERT_CU(CU(cuStreamSynchronize)(stream));
  EXPECT_EQ(received, sent);
}

TEST_F(ArrayTest, refuse_linear_copies_beyond_their_end) {
  const CUarray array = make(plane);
  auto bytes = counted(plane_bytes + 1);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuMemcpyHtoA)(array, 0, bytes.data(), plane_bytes + 1));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuMemcpyHtoA)(array, 1, bytes.data(), plane_bytes));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuMemcpyAtoH)(bytes.data(), array, SIZE_MAX, 2));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, CU(cuMemcpyAtoH)(bytes.data(), nullptr, 0, 1));
  ASSERT_CU(CU(cuArrayDestroy)(array));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, CU(cuMemcpyHtoA)(array, 0, bytes.data(), 1));
}

/// Two slices of three rows of two texels, from the middle of a box of five times five times four.
TEST_F(ArrayTest, are_ends_of_copies_in_three_dimensions) {
  const CUarray box = make({5, 5, 4, CU_AD_FORMAT_UNSIGNED_INT8, 1, 0});
  const auto sent = counted(2 * 3 * 2);
  CUDA_MEMCPY3D in{};
  in.srcMemoryType = CU_MEMORYTYPE_HOST;
  in.srcHost = sent.data();
  in.srcPitch = 2;
  in.srcHeight = 3;
  in.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  in.dstArray = box;
  in.dstXInBytes = 3;
  in.dstY = 2;
  in.dstZ = 2;
  in.WidthInBytes = 2;
  in.Height = 3;
  in.Depth = 2;
  const std::vector<unsigned char> zeros(100);
  ASSERT_CU(CU(cuMemcpyHtoA)(box, 0, zeros.data(), 100));
  ASSERT_CU(CU(cuMemcpy3D)(&in));
  std::vector<unsigned char> whole(100);
  ASSERT_CU(CU(cuMemcpyAtoH)(whole.data(), box, 0, 100));
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const std::size_t x = i % 5, y = i / 5 % 5, z = i / 25;
    const bool inside = x >= 3 && y >= 2 && z >= 2;
    EXPECT_EQ(whole[i], inside ? sent[((z - 2) * 3 + y - 2) * 2 + x - 3] : 0) << i;
  }
  // Every edge once too far; the last would be another slice's memory.
  for (std::size_t CUDA_MEMCPY3D::* edge :
       {&CUDA_MEMCPY3D::dstXInBytes, &CUDA_MEMCPY3D::dstY, &CUDA_MEMCPY3D::dstZ}) {
    CUDA_MEMCPY3D beyond = in;
    beyond.*edge += 1;
    EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuMemcpy3D)(&beyond));
  }
  CUDA_MEMCPY3D beyond = in;
  beyond.dstZ = 0;
  beyond.dstY = 3;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuMemcpy3D)(&beyond));
}

TEST_F(ArrayTest, are_ends_of_copies_in_two_dimensions) {
  const CUarray first = make(plane), second = make(plane);
  const auto sent = counted(plane_bytes);
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = sent.data();
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = first;
  copy.WidthInBytes = 64;
  copy.Height = 4;
  ASSERT_CU(CU(cuMemcpy2D)(&copy));
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.srcArray = first;
  copy.dstArray = second;
  ASSERT_CU(CU(cuMemcpy2DUnaligned)(&copy));
  std::vector<unsigned char> received(plane_bytes);
  ASSERT_CU(CU(cuMemcpyAtoH)(received.data(), second, 0, plane_bytes));
  EXPECT_EQ(received, sent);
  copy.WidthInBytes = 63;  // not whole texels
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuMemcpy2D)(&copy));
}

TEST_F(ArrayTest, of_several_levels_halve_their_sizes) {
  CUmipmappedArray mipmap = nullptr;
  const CUDA_ARRAY3D_DESCRIPTOR whole{12, 5, 3, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_LAYERED};
  ASSERT_CU(CU(cuMipmappedArrayCreate)(&mipmap, &whole, 100));
  const std::size_t sizes[][2] = {{12, 5}, {6, 2}, {3, 1}, {1, 1}};
  CUarray level = nullptr;
  for (unsigned i = 0; i < 4; ++i) {
    ASSERT_CU(CU(cuMipmappedArrayGetLevel)(&level, mipmap, i));
    CUDA_ARRAY3D_DESCRIPTOR told{};
    ASSERT_CU(CU(cuArray3DGetDescriptor)(&told, level));
    EXPECT_EQ(told.Width, sizes[i][0]);
    EXPECT_EQ(told.Height, sizes[i][1]);
    EXPECT_EQ(told.Depth, 3u);
  }
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuMipmappedArrayGetLevel)(&level, mipmap, 4));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuArrayDestroy)(level));
  ASSERT_CU(CU(cuMipmappedArrayDestroy)(mipmap));
  CUDA_ARRAY3D_DESCRIPTOR told{};
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, CU(cuArray3DGetDescriptor)(&told, level));
}

TEST_F(ArrayTest, give_their_memory_back) {
  std::size_t before = 0, during = 0, after = 0, total = 0;
  ASSERT_CU(CU(cuMemGetInfo)(&before, &total));
  const CUarray array = make({1024, 1024, 0, CU_AD_FORMAT_FLOAT, 4, 0});
  ASSERT_CU(CU(cuMemGetInfo)(&during, &total));
  EXPECT_LE(during + (std::size_t{16} << 20), before);
  ASSERT_CU(CU(cuArrayDestroy)(array));
  ASSERT_CU(CU(cuMemGetInfo)(&after, &total));
  EXPECT_GE(after, during + (std::size_t{16} << 20));
}

TEST_F(ArrayTest, end_with_their_context) {
  CUcontext other = nullptr;
  ASSERT_CU(CU(cuCtxCreate)(&other, nullptr, 0, 0));
  const CUarray array = make(plane);
  ASSERT_CU(CU(cuCtxDestroy)(other));
  CUDA_ARRAY_DESCRIPTOR told{};
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, CU(cuArrayGetDescriptor)(&told, array));
}

}  // namespace
}  // namespace treadle::cuda_cpu::test
