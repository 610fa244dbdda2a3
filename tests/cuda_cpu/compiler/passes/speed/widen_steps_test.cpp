// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "cuda_cpu/compiler/lowered.hpp"
#include "cuda_cpu/compiler/passes/kernel_texts.hpp"
#include "cuda_cpu/compiler/passes/speed/simplify_body.hpp"
#include "cuda_cpu/compiler/passes/speed/widen_steps.hpp"

namespace treadle::cuda_cpu {
namespace {

unsigned additions_in_a_step(const std::string& text) {
  Lowered kernel(text);
  simplify_body(kernel.body, kernel.runner);
  widen_steps(kernel.body, kernel.runner, Interchange::on);
  return count(kernel.text(), "fadd float");
}

TEST(WidenSteps, AShortLoopDoesFourStepsAtOnce) {
  EXPECT_EQ(additions_in_a_step(strided_sum("load")), 4u);
}

TEST(WidenSteps, ALoopThatWaitsDoesOne) {
  EXPECT_EQ(additions_in_a_step(strided_sum("load volatile")), 1u);
}

}  // namespace
}  // namespace treadle::cuda_cpu
