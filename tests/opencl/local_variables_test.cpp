// SPDX-License-Identifier: MIT
#include "opencl/local_variables.hpp"

#include <gtest/gtest.h>

#include <string>

namespace treadle::opencl {
namespace {

std::uint64_t bytes_of(const std::string& body, const std::string& before = "",
                       const std::string& options = "") {
  return declared_local_bytes(
      before + "\n__kernel void k(__local float *a, int n)\n{ " + body + " }", options, "k");
}

TEST(LocalVariables, DeclarationsOfAKernelAreCounted) {
  EXPECT_EQ(bytes_of("__local float x[256];"), 1024u);
  EXPECT_EQ(bytes_of("for (int i = 0; i < n; ++i) a[i] = 0; local double x[4][8], y;"), 264u);
  EXPECT_EQ(bytes_of("__local float4 x[2]; volatile __local uchar3 y;"), 36u);
  EXPECT_EQ(bytes_of("{ __local unsigned long x; }"), 8u);
  EXPECT_EQ(bytes_of("__local float *p = a; x[0] = 1;"), 8u);
  EXPECT_EQ(bytes_of("f((__local float *)a); /* ; __local int x[9]; */"), 0u);
}

TEST(LocalVariables, ExtentsAreConstantExpressions) {
  EXPECT_EQ(bytes_of("__local char x[(2 + 3) * 0x10 - 010 / 2 % 3];"), 79u);
  EXPECT_EQ(bytes_of("__local char x[1 << 4][64u >> 2];"), 256u);
  EXPECT_EQ(bytes_of("__local char x[N * (M)];", "#define N 8\n #  define M \\\n (N + 1)"), 72u);
  EXPECT_EQ(bytes_of("__local real x[N];", "typedef double real;", "-w -D N=5 -DM"), 40u);
  EXPECT_EQ(bytes_of("__local T x[3];", "#define T int", "-DT=short4"), 24u);
}

TEST(LocalVariables, WhatIsNotUnderstoodCountsAsOne) {
  EXPECT_EQ(bytes_of("__local struct pair x[10];"), 10u);
  EXPECT_EQ(bytes_of("__local float x[sizeof(int)][UNKNOWN];"), 4u);
  EXPECT_EQ(bytes_of("__local float x[N];", "#define N N"), 4u);
  EXPECT_EQ(bytes_of("__local float x[3 - 5], y[1 / 0], z[99999999999999999999];"), 12u);
  for (const char* torn : {"__local", "__local float x", "__local float x[", "__local ,[;", "{"})
    EXPECT_LE(declared_local_bytes(std::string("kernel void k() { ") + torn, "-D", "k"), 4u)
        << torn;
}

TEST(LocalVariables, WhatIfDecidesIsNotCounted) {
  EXPECT_EQ(bytes_of("\n#if BIG\n __local int x[1000];\n#else\n __local int x[9];\n#endif\n"), 0u);
  const std::string either = "#ifdef BIG\n#define N 1000\n#else\n#define N 9\n#endif";
  EXPECT_EQ(bytes_of("__local int x[N];", either), 4u);
  EXPECT_EQ(bytes_of("__local int x[N];", either, "-DN=3"), 12u);
  EXPECT_EQ(bytes_of("__local int x[N];", "#define N 9\n#undef N\n#define N 8"), 4u);
  EXPECT_EQ(bytes_of("__local int x[N(2)];", "#define N(x) 9"), 4u);
}

TEST(LocalVariables, OtherKernelsDoNotCount) {
  const std::string text =
      "void k(int);\nkernel void other() { local int x[9]; k(1); }\n"
      "kernel void k(int n) { local int x[2]; }";
  EXPECT_EQ(declared_local_bytes(text, "", "k"), 8u);
  EXPECT_EQ(declared_local_bytes(text, "", "other"), 36u);
  EXPECT_EQ(declared_local_bytes(text, "", "none"), 0u);
}

}  // namespace
}  // namespace treadle::opencl
