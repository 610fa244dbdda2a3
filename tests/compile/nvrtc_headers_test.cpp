// SPDX-License-Identifier: MIT
// What nvcc provides silently, NVRTC provides with our prelude and shims: each snippet is compiled
// for sm_90 by the libnvrtc of this machine, inside extern "C" { } as PyCUDA's sources are.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <span>
#include <string_view>

#include "scratch.hpp"
#include "treadle/base/embedded.hpp"
#include "treadle/base/error.hpp"
#include "treadle/compile/compile.hpp"

namespace treadle::compile {

namespace nvrtc_headers {
extern const std::span<const EmbeddedFile> embedded_files;
}

namespace {

void expect_compiles(const std::string& source, bool extern_c = true) {
  try {
    const CompileResult result = compile_cuda(source, Target::parse("sm_90"),
                                              {.cache = CacheUse::disabled, .extern_c = extern_c});
    EXPECT_FALSE(result.image.code.empty());
    EXPECT_EQ(result.log, "") << source;
  } catch (const Error& error) {
    ADD_FAILURE() << source << "\n" << error.what();
  }
}

std::string kernel(const std::string& body) {
  return "__global__ void k(float* a, int n) {\n" + body + "\n}\n";
}

TEST(NvrtcHeaders, what_nvcc_brings_silently_is_there) {
  TREADLE_NEEDS_NVRTC();
  const char* bodies[] = {
      "const uint i = threadIdx.x; ushort s = 1; ulong l = 2; uchar c = 3; a[i] = s + l + c;",
      "int64_t i = n; uint64_t u = 1; uint8_t b = 2; int_fast16_t f = 3; a[0] = i + u + b + f;",
      "size_t i = n; ptrdiff_t d = 1; intptr_t p = 2; ssize_t s = 3; a[i] = d + p + s;",
      "a[0] = M_PI + M_E + M_SQRT2 + M_LN2 + M_1_PI;",
      "a[0] = n ? INFINITY : NAN; a[1] = HUGE_VALF; double d = HUGE_VAL; a[2] = d;",
      "a[0] = FLT_MAX + FLT_MIN + FLT_EPSILON; double d = DBL_MAX - DBL_EPSILON; a[1] = d;",
      "a[0] = INT_MAX - 1.0; a[1] = UINT_MAX - 1.0; a[2] = CHAR_BIT + SHRT_MIN; a[3] = ULLONG_MAX "
      "/ 2;",
      "printf(\"%d\\n\", n); assert(n > 0); a[0] = 1;",
      "a[0] = std::sqrt(a[1]) + std::abs(-1.5f) + std::abs(-2) + std::pow(a[2], 2.0f) + "
      "std::fabs(a[3]);",
      "a[0] = std::isnan(a[1]) || std::isinf(a[2]); a[1] = isfinite(a[3]);",
      "a[0] = max(1, n) + min(2u, 3u) + fmaxf(a[1], a[2]) + max(a[1], a[2]);",
      "float* p = (float*)malloc(4); memset(p, 0, 4); memcpy(a, p, 4); free(p);",
      "a[0] = offsetof(float4, y) + sizeof(CUdeviceptr);",
      "std::size_t s = n; std::uint32_t u = 3; std::nullptr_t z = nullptr; a[s] = u + (z == "
      "nullptr);",
      "a[0] = clock() + clock64(); a[1] = rsqrtf(a[2]); sincosf(a[3], a, a + 1);",
  };
  for (const char* body : bodies) expect_compiles(kernel(body));
}

TEST(NvrtcHeaders, every_shim_may_be_included_anywhere) {
  TREADLE_NEEDS_NVRTC();
  std::string all;
  for (const EmbeddedFile& file : nvrtc_headers::embedded_files)
    all += "#include <" + std::string(file.path) + ">\n";
  expect_compiles(all + kernel("a[0] = n;"));  // in front of the wrapping
  expect_compiles(kernel("a[0] = n;") + all);  // inside extern "C"
  expect_compiles(all + all + kernel("a[0] = n;"), false);
}

TEST(NvrtcHeaders, headers_of_c_are_there_by_both_names) {
  TREADLE_NEEDS_NVRTC();
  for (const char* name : {"stdio", "stdlib", "stdint", "math", "limits", "float", "string",
                           "assert", "stddef", "time", "inttypes", "stdarg"}) {
    bool plain = false, with_c = false;
    for (const EmbeddedFile& file : nvrtc_headers::embedded_files) {
      plain |= file.path.ends_with(".h") && file.path.substr(0, file.path.size() - 2) == name;
      with_c |= file.path.starts_with('c') && file.path.substr(1) == name;
    }
    EXPECT_TRUE(plain && with_c) << name;
  }
  for (const char* name :
       {"cuda.h", "cuda_runtime.h", "math_constants.h", "device_launch_parameters.h"})
    expect_compiles("#include <" + std::string(name) + ">\n" + kernel("a[0] = n;"));
}

TEST(NvrtcHeaders, parts_of_the_standard_library_work) {
  TREADLE_NEEDS_NVRTC();
  expect_compiles(
      "#include <limits>\n#include <type_traits>\n#include <utility>\n#include <algorithm>\n"
      "static_assert(std::numeric_limits<int>::max() == 2147483647, \"\");\n"
      "static_assert(std::numeric_limits<unsigned char>::digits == 8, \"\");\n"
      "static_assert(std::numeric_limits<signed char>::is_signed, \"\");\n"
      "static_assert(!std::numeric_limits<unsigned>::is_signed, \"\");\n"
      "static_assert(std::is_same<std::remove_cv_t<const int>, int>::value, \"\");\n"
      "static_assert(std::is_same_v<std::decay_t<int(&)[3]>, int*>, \"\");\n"
      "static_assert(std::is_unsigned_v<unsigned> && !std::is_signed_v<unsigned>, \"\");\n"
      "static_assert(std::is_same_v<std::make_unsigned_t<int>, unsigned>, \"\");\n"
      "static_assert(std::is_same_v<std::make_index_sequence<5>, std::index_sequence<0, 1, 2, 3, "
      "4>>, \"\");\n"
      "template <class T, std::enable_if_t<std::is_floating_point<T>::value, int> = 0>\n"
      "__device__ T largest() { return std::numeric_limits<T>::max(); }\n"
      "__global__ void k(float* a) {\n"
      "  std::swap(a[0], a[1]);\n"
      "  auto p = std::make_pair(1, 2.0f);\n"
      "  a[2] = std::max(largest<float>(), p.second) + std::clamp(p.first, 0, 1) + "
      "std::move(a[3]);\n"
      "  a[4] = std::numeric_limits<float>::infinity() + std::numeric_limits<double>::epsilon();\n"
      "}\n",
      false);
}

// CUDA's own headers come from a toolkit or wheels; all others are ours, on every machine.
TEST(NvrtcHeaders, headers_of_the_machine_are_never_read) {
  TREADLE_NEEDS_NVRTC();
  std::string source = "#if 0";
  for (const char* name : {"bits/c++config.h", "ext/atomicity.h", "linux/limits.h", "sys/cdefs.h",
                           "gnu/stubs.h", "x86intrin.h"})
    source += " || __has_include(<" + std::string(name) + ">)";
  expect_compiles(source + "\n#error a header of the machine\n#endif\n" + kernel("a[0] = n;"));
}

TEST(NvrtcHeaders, types_of_host_code_stand_in_declarations) {
  TREADLE_NEEDS_NVRTC();
  expect_compiles(
      "#include <iostream>\n#include <vector>\n#include <string>\n#include <map>\n#include "
      "<chrono>\n"
      "#include <memory>\n#include <fstream>\n#include <stdexcept>\n#include <sys/time.h>\n"
      "struct Options { std::string name; std::vector<int> sizes; std::map<std::string, float> "
      "all;\n"
      "  std::unique_ptr<float[]> data; timeval started; FILE* log; };\n"
      "__global__ void k(float* a) { a[0] = 1; }\n",
      false);
}

TEST(NvrtcHeaders, complex_numbers_have_integers_as_exponents) {
  TREADLE_NEEDS_NVRTC();
  expect_compiles(
      "#include <complex>\n#include <pycuda-complex.hpp>\n"
      "__global__ void k(pycuda::complex<double>* a, std::complex<float>* b) {\n"
      "  a[0] = pow(a[1], 2) + pow(a[2], -3);\n"
      "  b[0] = static_cast<std::complex<float>>(std::pow(b[1], 2)) * b[2];\n"
      "}\n",
      false);
}

// What CMake fetched for the tests; a user names the folder of a wheel or of a toolkit.
TEST(NvrtcHeaders, functions_of_blocks_and_warps_of_cub_compile) {
  TREADLE_NEEDS_NVRTC();
  const char* root = std::getenv("TREADLE_SOURCE_DIR");
  const auto folder = std::filesystem::path(root ? root : ".") / ".cache/cuda-headers";
  if (!std::filesystem::exists(folder / "cccl/cub")) GTEST_SKIP() << "no CUB in " << folder;
  const std::string source =
      "#include <complex>\n#include <tuple>\n#include <cub/block/block_load.cuh>\n"
      "#include <cub/block/block_radix_sort.cuh>\n#include <cub/block/block_reduce.cuh>\n"
      "#include <cub/block/block_scan.cuh>\n#include <cub/warp/warp_reduce.cuh>\n"
      "__global__ void k(int* a) {\n"
      "  using Reduce = cub::BlockReduce<int, 128>;\n  using Scan = cub::BlockScan<int, 128>;\n"
      "  using Sort = cub::BlockRadixSort<int, 128, 4>;\n  using Warp = cub::WarpReduce<int>;\n"
      "  __shared__ union { Reduce::TempStorage reduce; Scan::TempStorage scan;\n"
      "    Sort::TempStorage sort; Warp::TempStorage warp[4]; } memory;\n"
      "  int items[4];\n  cub::LoadDirectBlocked(threadIdx.x, a, items);\n"
      "  Sort(memory.sort).Sort(items);\n  __syncthreads();\n"
      "  Scan(memory.scan).InclusiveSum(items, items);\n  __syncthreads();\n"
      "  const int sum = Reduce(memory.reduce).Sum(items);\n  __syncthreads();\n"
      "  a[threadIdx.x] = sum + Warp(memory.warp[threadIdx.x / 32]).Sum(items[0]);\n"
      "}\n";
  Options options{.cache = CacheUse::disabled};
  options.include_dirs = {folder, folder / "cccl"};
  EXPECT_FALSE(compile_cuda(source, Target::parse("sm_90"), options).image.code.empty());
}

TEST(NvrtcHeaders, functions_without_device_are_taken_as_nvcc_takes_them) {
  TREADLE_NEEDS_NVRTC();
  expect_compiles("constexpr int next(int i) { return i + 1; }\n" + kernel("a[next(n)] = 1;"),
                  false);
}

// The demo's kernels, as their programs render them.
TEST(NvrtcHeaders, kernels_of_the_demo_compile) {
  TREADLE_NEEDS_NVRTC();
  expect_compiles(
      "__global__ void twice(float *a)\n{\n  int idx = threadIdx.x + threadIdx.y*4;\n  a[idx] *= "
      "2;\n}\n");
  expect_compiles(
      "#define N 1024\n#define BLOCK_SIZE 32\n"
      "__global__ void product(double *A, double *B, double *C) {\n"
      "  const uint bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;\n"
      "  __shared__ double As[BLOCK_SIZE][BLOCK_SIZE], Bs[BLOCK_SIZE][BLOCK_SIZE];\n"
      "  double sum = 0;\n"
      "  for (uint t = 0; t < N / BLOCK_SIZE; ++t) {\n"
      "    As[ty][tx] = A[(by * BLOCK_SIZE + ty) * N + t * BLOCK_SIZE + tx];\n"
      "    Bs[ty][tx] = B[(t * BLOCK_SIZE + ty) * N + bx * BLOCK_SIZE + tx];\n"
      "    __syncthreads();\n"
      "    for (uint i = 0; i < BLOCK_SIZE; ++i) sum += As[ty][i] * Bs[i][tx];\n"
      "    __syncthreads();\n"
      "  }\n"
      "  C[(by * BLOCK_SIZE + ty) * N + bx * BLOCK_SIZE + tx] = sum;\n"
      "}\n");
  std::string unrolled = "__global__ void add(float *t, const float *x, const float *y) {\n";
  for (int i = 0; i < 4; ++i)
    unrolled += "  t[blockIdx.x * 1024 + threadIdx.x + " + std::to_string(i * 256) + "] = x[" +
                std::to_string(i) + "] + y[" + std::to_string(i) + "];\n";
  expect_compiles(unrolled + "}\n");
}

}  // namespace
}  // namespace treadle::compile
