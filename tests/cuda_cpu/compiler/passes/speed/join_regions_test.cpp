// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "cuda_cpu/compiler/lowered.hpp"
#include "cuda_cpu/compiler/passes/kernel_texts.hpp"

namespace treadle::cuda_cpu {
namespace {

TEST(JoinRegions, RegionsInARowBecomeOne) {
  Lowered kernel(barriers_in_a_row(3));
  kernel.make_regions();
  const auto& regions = kernel.kernel().regions;
  ASSERT_EQ(regions.size(), 1u);
  EXPECT_EQ(regions[0].only_successor, region_exited);
  EXPECT_EQ(regions[0].run_selected, nullptr);
  const std::string text = IrModule::text_of(*regions[0].run_all);
  EXPECT_EQ(count(text, "!llvm.loop"), 4 * 3u) << "the loops of the regions stay apart";
  EXPECT_EQ(count(text, "call"), 0u);
  EXPECT_LT(text.find("store i32 0"), text.find("store i32 1"));
  EXPECT_EQ(kernel.module.function_count("all."), 1u) << "the parts are gone";
}

TEST(JoinRegions, RegionsToChooseFromAndVeryManyStay) {
  Lowered choice(two_barriers("%n"));
  choice.make_regions();
  EXPECT_EQ(choice.kernel().regions.size(), 3u);
  Lowered many(barriers_in_a_row(40));
  many.make_regions();
  EXPECT_EQ(many.kernel().regions.size(), 41u);
}

TEST(JoinRegions, WhatTheBlockReadsStaysTheSame) {
  Lowered kernel(barriers_in_a_row(1));
  kernel.make_regions();
  llvm::Function& whole = *kernel.kernel().regions[0].run_all;
  for (const llvm::Instruction& instruction : llvm::instructions(whole)) {
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (!load || load->getPointerOperand() != whole.getArg(0)) continue;
    EXPECT_TRUE(load->hasMetadata(llvm::LLVMContext::MD_invariant_load)) << "an argument";
  }
}

}  // namespace
}  // namespace treadle::cuda_cpu
