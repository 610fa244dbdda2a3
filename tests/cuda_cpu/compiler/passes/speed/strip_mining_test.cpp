// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "cuda_cpu/compiler/lowered.hpp"
#include "cuda_cpu/compiler/passes/kernel_texts.hpp"
#include "cuda_cpu/compiler/passes/speed/simplify_body.hpp"
#include "cuda_cpu/compiler/passes/speed/strip_mining.hpp"

namespace treadle::cuda_cpu {
namespace {

unsigned additions_in_a_step(const std::string& text) {
  Lowered kernel(text);
  simplify_body(kernel.body, kernel.runner);
  strip_mining(kernel.body, kernel.runner, Interchange::on);
  return count(kernel.text(), "fadd float");
}

TEST(StripMining, AShortLoopRunsStripsOfFour) {
  EXPECT_EQ(additions_in_a_step(strided_sum("load")), 4u);
}

TEST(StripMining, ALoopThatWaitsKeepsItsIterations) {
  EXPECT_EQ(additions_in_a_step(strided_sum("load volatile")), 1u);
}

}  // namespace
}  // namespace treadle::cuda_cpu
