// SPDX-License-Identifier: MIT
#include "treadle/tune/judge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "device/each_device.hpp"
#include "treadle/base/error.hpp"

namespace treadle::tune {
namespace {

using ::testing::HasSubstr;

constexpr const char* judged_text = R"(
extern "C" __global__ void scale(float *y, const float *x, float a, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i];
}
extern "C" __global__ void sum(float *total, const float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) atomicAdd(total, x[i]);
}
)";

void scaled_by_a(JudgedCase& run) {
  run.results["y"] = run.reals("x");
  for (double& each : run.results["y"]) each *= run.number("a");
}

TEST(Judge, finds_nothing_where_nothing_is_wrong) {
  if (!device::has_cpu_compiler()) GTEST_SKIP() << "left to builds with compilers";
  const Verdict verdict = judge(
      {.text = judged_text, .kernel = "scale", .uses = {{"y", JudgedUse::output}}}, scaled_by_a);
  EXPECT_TRUE(verdict.is_right()) << verdict.text();
  EXPECT_EQ(verdict.answer(Question::written), Answer::right);
  EXPECT_EQ(verdict.answer(Question::race), Answer::right);
  EXPECT_LE(verdict.ulp.at("y"), 1);
}

TEST(Judge, says_what_is_wrong_and_in_which_run) {
  if (!device::has_cpu_compiler()) GTEST_SKIP() << "left to builds with compilers";
  const Verdict verdict = judge({.text = judged_text,
                                 .kernel = "sum",
                                 .groups = {"ceil_div(n, 128)"},
                                 .elements = {{"total", "1"}}},
                                {}, {.devices = {"cpu"}});
  EXPECT_FALSE(verdict.is_right());
  const auto found = std::ranges::find(verdict.findings, Question::bounds, &Finding::question);
  ASSERT_NE(found, verdict.findings.end());
  EXPECT_THAT(found->text, HasSubstr("kernel.cu:10: read of 4 bytes"));
  EXPECT_EQ(found->run, "n=1");
  EXPECT_EQ(verdict.answer(Question::order), Answer::unknown);
  EXPECT_EQ(verdict.answer(Question::runs), Answer::unknown);
  EXPECT_THAT(verdict.text(), HasSubstr("bounds: wrong on cpu (n=1): kernel sum"));
  EXPECT_THAT(verdict.json(), HasSubstr(R"("question": "bounds", "answer": "wrong")"));
}

TEST(Judge, gives_references_the_parts_of_vectors_and_structures) {
  if (!device::has_cpu_compiler()) GTEST_SKIP() << "left to builds with compilers";
  constexpr const char* text = R"(
struct Line { float a; short from[2]; int n; };
extern "C" __global__ void along(float2 *y, const float2 *x, Line line)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < line.n) y[i] = make_float2(line.a * x[i].x, x[i].y + line.from[1]);
}
)";
  const Reference reference = [](JudgedCase& run) {
    std::vector<double>& y = run.results["y"] = run.reals("x");
    for (std::size_t k = 0; k < y.size(); k += 2) {
      y[k] *= run.number("line.a");
      y[k + 1] += run.number("line.from1");
    }
  };
  const std::map<std::string, std::vector<Value>> values = {{"line.from0", {Value(1)}},
                                                            {"line.from1", {Value(2)}}};
  const Verdict verdict =
      judge({.text = text, .uses = {{"y", JudgedUse::output}}, .values = values}, reference);
  EXPECT_TRUE(verdict.is_right()) << verdict.text();
  EXPECT_EQ(verdict.answer(Question::result), Answer::right);
}

TEST(Judge, takes_the_name_of_an_instance_of_a_template) {
  if (!device::has_cpu_compiler()) GTEST_SKIP() << "left to builds with compilers";
  constexpr const char* text = R"(
namespace of_user {
template <typename T, int per_thread = 1>
__global__ void scale(T *y, const T *x, T a, int n)
{
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * per_thread;
    for (int i = first; i < first + per_thread; ++i)
        if (i < n) y[i] = a * x[i];
}
}
)";
  const JudgeOptions on_cpu{.devices = {"cpu"}};
  for (const char* name : {"of_user::scale<float>", "of_user::scale<double, 2>"}) {
    JudgedKernel kernel{.text = text, .kernel = name, .uses = {{"y", JudgedUse::output}}};
    const Verdict verdict = judge(kernel, scaled_by_a, on_cpu);
    EXPECT_TRUE(verdict.is_right()) << verdict.text();
    EXPECT_EQ(verdict.kernel, name);
    EXPECT_LE(verdict.ulp.at("y"), 1);
    EXPECT_EQ(judge(kernel, {}, on_cpu).answer(Question::accuracy), Answer::right);
  }
  EXPECT_THROW(judge({.text = text, .kernel = "of_user::scale<>"}), InvalidArgument);
}

TEST(Judge, refuses_what_it_cannot_make_up) {
  EXPECT_THROW(judge({.text = judged_text, .kernel = "absent"}), InvalidArgument);
  EXPECT_THROW(judge({.text = judged_text}), InvalidArgument);
  EXPECT_THROW(judge({.text = judged_text, .kernel = "scale", .elements = {{"z", "n"}}}),
               InvalidArgument);
  EXPECT_THROW(judge({.text = judged_text, .kernel = "scale", .where = "n < 0"}), InvalidArgument);
  EXPECT_THROW(judge({.text = "struct S {}; __global__ void k(S *s) {}"}), InvalidArgument);
  EXPECT_THROW(question_of("speed"), InvalidArgument);
  EXPECT_EQ(question_of("aliasing"), Question::aliasing);
}

}  // namespace
}  // namespace treadle::tune
