// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "cuda_cpu/compiler/lowered.hpp"
#include "cuda_cpu/compiler/passes/analysis/uniformity.hpp"
#include "cuda_cpu/compiler/passes/kernel_texts.hpp"

namespace treadle::cuda_cpu {
namespace {

using testing::ElementsAre;

TEST(Uniformity, WhatDependsOnTheThreadOrOnMemoryVaries) {
  const Lowered kernel(crossing_kernel("%t"));
  const Uniformity uniformity(kernel.body);
  std::vector<std::string> varying;
  for (const llvm::Instruction& instruction : kernel.body.function->getEntryBlock())
    if (uniformity.varies(&instruction)) varying.push_back(instruction.getName().str());
  EXPECT_THAT(varying, ElementsAre("i", "v", "c"));
  EXPECT_TRUE(uniformity.diverges_at_end_of(&kernel.body.function->getEntryBlock()));
}

}  // namespace
}  // namespace treadle::cuda_cpu
