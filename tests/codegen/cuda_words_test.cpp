// SPDX-License-Identifier: MIT
#include "treadle/codegen/cuda_words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "treadle/codegen/dialect_header.hpp"

namespace treadle::codegen {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(CudaWords, AreFoundWithTheirLinesAndWhatStandsForThem) {
  const auto words = cuda_words(
      "__global__ void scale(float *x, unsigned long long n)\n"
      "{\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) x[i] = sqrtf(x[i]) + __shfl_sync(~0u, x[i], 0);\n"
      "}\n");
  EXPECT_THAT(words, ElementsAre(CudaWord{1, "__global__", "TREADLE_KERNEL"},
                                 CudaWord{1, "long long", "treadle_int64"},
                                 CudaWord{3, "blockIdx.x", "treadle_group_id(0)"},
                                 CudaWord{3, "blockDim.x", "treadle_local_size(0)"},
                                 CudaWord{3, "threadIdx.x", "treadle_local_id(0)"},
                                 CudaWord{4, "sqrtf", "sqrt"},
                                 CudaWord{4, "__shfl_sync", "treadle_sub_group_shuffle"}));
}

TEST(CudaWords, OfCppHaveNothing) {
  EXPECT_THAT(
      cuda_words("#include <vector>\ntemplate <class T> T f(T x) { return x; }\n"
                 "void g() { f<<<1, 2>>>(nullptr); }\n"),
      ElementsAre(CudaWord{1, "#include <vector>", ""}, CudaWord{2, "template", ""},
                  CudaWord{2, "class", ""}, CudaWord{3, "<<<", ""}, CudaWord{3, "nullptr", ""}));
}

TEST(CudaWords, AtomicsAreJudgedByTheTypeOfTheirPointer) {
  EXPECT_THAT(cuda_words("void f(double *sum, const float * __restrict__ w, unsigned int *n,\n"
                         "       unsigned long long *count, int *a)\n"
                         "{ double t[4], u[2]; int v;\n"
                         "atomicAdd(sum, 1.0);\n"
                         "atomicAdd(&w[3], 1.0f);\n"
                         "atomicAdd(n + 1, 1u);\n"
                         "atomicAdd(count, 1);\n"
                         "atomicMax((unsigned long long *) a, 5);\n"
                         "atomicExch(w, 1.0f);\n"
                         "atomicAdd(u, 1.0);\n"
                         "atomicMin(&v, 2); atomicMin(a, 2);\n"
                         "}\n"),
              ElementsAre(CudaWord{1, "__restrict__", "TREADLE_RESTRICT"},
                          CudaWord{2, "long long", "treadle_int64"},
                          CudaWord{4, "atomicAdd(double*)", "treadle_atomic_add_double"},
                          CudaWord{5, "atomicAdd(float*)", "treadle_atomic_add_float"},
                          CudaWord{6, "atomicAdd", "treadle_atomic_add"},
                          CudaWord{7, "atomicAdd(64 bits)", "treadle_atomic_add_int64"},
                          CudaWord{8, "atomicMax(64 bits)", "treadle_atomic_max_int64"},
                          CudaWord{8, "long long", "treadle_int64"},
                          CudaWord{9, "atomicExch(float*)", "treadle_atomic_exchange"},
                          CudaWord{10, "atomicAdd(double*)", "treadle_atomic_add_double"},
                          CudaWord{11, "atomicMin", "treadle_atomic_min"}));
  EXPECT_THAT(
      cuda_words("void f(float *x, double *y) { atomicOr(x, 1);\natomicExch(y, 1.0); }\n"),
      ElementsAre(CudaWord{1, "atomicOr(float*)", ""}, CudaWord{2, "atomicExch(double*)", ""}));
}

TEST(CudaWords, SharedMemoryOfALengthThatComesWithTheLaunchHasItsOwn) {
  EXPECT_THAT(cuda_words("extern __shared__ float tile[];\n__shared__ float row[16];\n"
                         "extern \"C\" void f();\n"),
              ElementsAre(CudaWord{1, "extern __shared__", "TREADLE_LAUNCH_LOCAL"},
                          CudaWord{2, "__shared__", "TREADLE_LOCAL"}));
}

TEST(CudaWords, VectorsAreMadeByTheirTypes) {
  EXPECT_THAT(cuda_words("a = make_float4(1, 2, 3, 4);\nb = make_uchar4(1, 2, 3, 4);\n"
                         "c = make_float3(1, 2, 3);\nd = make_uchar3(1, 2, 3);\n"),
              ElementsAre(CudaWord{1, "make_float4", "treadle_make_float4"},
                          CudaWord{2, "make_uchar4", "treadle_make_vector(uchar4)"},
                          CudaWord{3, "make_float3", "treadle_make_float3"},
                          CudaWord{4, "make_uchar3", ""}));
}

TEST(CudaWords, AreNoneInCommentsStringsMembersAndNamesOfTheText) {
  EXPECT_THAT(
      cuda_words("// template\n/* __ldg\n */ char c = '\"'; f(\"threadIdx.x \\\" class\");\n"
                 "s.half = p->clock + 1e5f;\n"
                 "#define atomicInc my_inc\natomicInc(p, 3);\n"),
      IsEmpty());
}

TEST(CudaWords, TextOfTheDialectHasNone) {
  EXPECT_THAT(cuda_words("#include \"treadle/dialect.h\"\n"
                         "TREADLE_KERNEL scale(TREADLE_GLOBAL float *x, float factor, int n)\n"
                         "{\n"
                         "  int i = treadle_global_id(0);\n"
                         "  if (i < n) x[i] *= factor;\n"
                         "}\n"),
              IsEmpty());
  EXPECT_THAT(cuda_words(""), IsEmpty());
  EXPECT_THAT(cuda_words("\"open"), IsEmpty());
}

TEST(CudaWords, WhatStandsForThemIsInTheHeader) {
  const std::string header(dialect_header(Language::cuda_c));
  const auto words = cuda_words(
      "__global__ __device__ __shared__ __constant__ __restrict__ __forceinline__ "
      "__launch_bounds__ __syncthreads __threadfence atomicAdd atomicSub atomicMin atomicMax "
      "atomicAnd atomicOr atomicXor atomicExch atomicCAS __popc __clz __float_as_uint "
      "__float_as_int __uint_as_float __double_as_longlong __longlong_as_double __half2float "
      "__float2half CUDART_INF_F CUDART_NAN_F make_float2 make_int4 threadIdx blockIdx blockDim "
      "gridDim __shfl_sync __shfl_xor_sync __shfl_down_sync __shfl_up_sync __any_sync __all_sync "
      "__ballot_sync __syncwarp warpSize float3 make_uint3");
  EXPECT_EQ(words.size(), 46u);
  for (const CudaWord& word : words)
    EXPECT_NE(header.find(word.replacement), std::string::npos) << word.word;
}

}  // namespace
}  // namespace treadle::codegen
