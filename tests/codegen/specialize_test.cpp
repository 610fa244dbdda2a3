// SPDX-License-Identifier: MIT
#include "treadle/codegen/specialize.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "treadle/base/error.hpp"

namespace treadle::codegen {
namespace {

using BakedValues = std::map<std::string, KeyValue, std::less<>>;

std::string baked(const std::string& text, const BakedValues& values,
                  std::string_view kernel = "") {
  return specialize({text, {}}, kernel, values, Language::cuda_c).text;
}

std::string reason_not_baked(const std::string& text, const BakedValues& values,
                             std::string_view kernel = "") {
  try {
    baked(text, values, kernel);
  } catch (const Error& refused) {
    return refused.message();
  }
  return "specialized";
}

TEST(Specialize, MakesConstantsOfParameters) {
  EXPECT_EQ(baked("__global__ void f(float *x, int n, float a)\n{ x[0] = a * n; }\n", {{"n", 8}}),
            "__global__ void f(float *x, float a)\n{ const int n = 8; x[0] = a * n; }\n");
  EXPECT_EQ(baked("__global__ void f(int n, float *x) { }", {{"n", 8}}),
            "__global__ void f( float *x) { const int n = 8; }");
  EXPECT_EQ(baked("__kernel void f(int n) { }", {{"n", 8}}),
            "__kernel void f() { const int n = 8; }");
}

TEST(Specialize, LeavesLinesAndOtherKernelsAlone) {
  const std::string text =
      "// void g(int n) {\n"
      "__global__ void __launch_bounds__(128) g(float *x,\n"
      "  unsigned int n, /* , */\n"
      "  float a);\n"
      "__device__ float h(int n) { return n; }\n"
      "__global__ void __launch_bounds__(128) g(float *x,\n"
      "  unsigned int n, // ,\n"
      "  float a) {\n"
      "}\n"
      "__global__ void k(int n) { }\n";
  const std::string result = baked(text, {{"n", 3}, {"a", 0.5f}}, "g");
  EXPECT_EQ(std::count(result.begin(), result.end(), '\n'),
            std::count(text.begin(), text.end(), '\n'));
  EXPECT_NE(result.find(") { const unsigned int n = 3; const float a = 0.5f;\n}\n"),
            std::string::npos)
      << result;
  EXPECT_NE(result.find("__global__ void k(int n) { }\n"), std::string::npos);
}

TEST(Specialize, RefusesWhatIsNoArgument) {
  const std::string text = "__global__ void f(float *x, int n) { } __global__ void g() { }";
  EXPECT_NE(reason_not_baked(text, {{"m", 1}}, "f").find("has no parameter m"), std::string::npos);
  EXPECT_NE(reason_not_baked(text, {{"x", 1}}, "f").find("is a pointer"), std::string::npos);
  EXPECT_NE(reason_not_baked(text, {{"n", "m"}}, "f").find("wanted: a number"), std::string::npos);
  EXPECT_NE(reason_not_baked(text, {{"n", 1}}, "h").find("has no kernel h"), std::string::npos);
  EXPECT_NE(reason_not_baked(text, {{"n", 1}}).find("the text has 2 kernels: f, g"),
            std::string::npos);
  EXPECT_NE(reason_not_baked("int x;", {{"n", 1}}).find("the text has 0 kernels"),
            std::string::npos);
}

}  // namespace
}  // namespace treadle::codegen
