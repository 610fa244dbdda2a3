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
                                 CudaWord{4, "sqrtf", "sqrt"}, CudaWord{4, "__shfl_sync", ""}));
}

TEST(CudaWords, OfCppHaveNothing) {
  EXPECT_THAT(
      cuda_words("#include <vector>\ntemplate <class T> T f(T x) { return x; }\n"
                 "void g() { f<<<1, 2>>>(nullptr); }\n"),
      ElementsAre(CudaWord{1, "#include <vector>", ""}, CudaWord{2, "template", ""},
                  CudaWord{2, "class", ""}, CudaWord{3, "<<<", ""}, CudaWord{3, "nullptr", ""}));
}

TEST(CudaWords, VectorsAreMadeByTheirTypes) {
  EXPECT_THAT(cuda_words("a = make_float4(1, 2, 3, 4);\nb = make_uchar4(1, 2, 3, 4);\n"
                         "c = make_float3(1, 2, 3);\n"),
              ElementsAre(CudaWord{1, "make_float4", "treadle_make_float4"},
                          CudaWord{2, "make_uchar4", "treadle_make_vector(uchar4)"},
                          CudaWord{3, "make_float3", ""}));
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
      "gridDim");
  EXPECT_EQ(words.size(), 35u);
  for (const CudaWord& word : words)
    EXPECT_NE(header.find(word.replacement), std::string::npos) << word.word;
}

}  // namespace
}  // namespace treadle::codegen
