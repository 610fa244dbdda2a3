// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "cuda_cpu/compiler/lowered.hpp"
#include "cuda_cpu/compiler/passes/kernel_texts.hpp"
#include "cuda_cpu/module_abi.h"

namespace treadle::cuda_cpu {
namespace {

using testing::HasSubstr;

/// For each note on where to go next: whether it is always left at the same place.
std::vector<bool> notes(const llvm::Function& function) {
  std::vector<bool> found;
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    if (!store || !store->getValueOperand()->getType()->isIntegerTy(8)) continue;
    const auto* place = llvm::dyn_cast<llvm::GetElementPtrInst>(store->getPointerOperand());
    found.push_back(!place || place->hasAllConstantIndices());
  }
  return found;
}

TEST(BarrierRegions, ThreadsThatGoTheSameWayLeaveOneNote) {
  Lowered kernel(two_barriers("%n"));
  kernel.make_regions();
  const auto& regions = kernel.kernel().regions;
  ASSERT_EQ(regions.size(), 3u);
  EXPECT_EQ(regions[0].only_successor, -1);
  EXPECT_TRUE(regions[0].uniform_exit);
  EXPECT_EQ(regions[0].run_selected, nullptr) << "nobody ever needs it";
  EXPECT_EQ(notes(*regions[0].run_all), std::vector{true});
  EXPECT_TRUE(notes(*regions[1].run_all).empty()) << "there is one way only";
  EXPECT_EQ(kernel.kernel().varying_frame_size, 4u) << "%v, which the last region stores";
}

TEST(BarrierRegions, ThreadsThatPartEachLeaveANote) {
  Lowered kernel(two_barriers("%t"));
  kernel.make_regions();
  const auto& regions = kernel.kernel().regions;
  ASSERT_EQ(regions.size(), 3u);
  EXPECT_FALSE(regions[0].uniform_exit);
  EXPECT_EQ(notes(*regions[0].run_all), std::vector{false});
  EXPECT_EQ(regions[0].run_selected, nullptr) << "nothing is compiled twice";
  EXPECT_THAT(IrModule::text_of(*regions[0].run_all), HasSubstr("find:"));
}

TEST(BarrierRegions, StepsOfSomeThreadsAreVectorsUnderMasks) {
  Lowered kernel(strided_sum("load", "mul i32 %t, 3"));
  kernel.make_regions();
  bool steps = false;
  for (const RegionPlan& region : kernel.kernel().regions) {
    const bool step = region.barrier == BarrierKind::scheduling;
    ASSERT_EQ(region.run_selected != nullptr, step);
    if (!step) continue;
    steps = true;
    const std::string text = IrModule::text_of(*region.run_selected);
    EXPECT_THAT(text, HasSubstr("skip:"));
    EXPECT_THAT(text, HasSubstr("!llvm.access.group"));
  }
  EXPECT_TRUE(steps);
}

TEST(BarrierRegions, StepsWithConsecutiveIndicesRunInRunsToo) {
  Lowered kernel(strided_sum("load"));
  kernel.make_regions();
  for (const RegionPlan& region : kernel.kernel().regions)
    EXPECT_EQ(region.run_selected, nullptr) << "those that are left are neighbours";
  const std::string text = kernel.module.text();
  for (const char* start :
       {"define internal void @consecutive.", "define internal i64 @treadle.runs_apart."}) {
    const std::string rest = text.substr(text.find(start));
    EXPECT_THAT(rest.substr(0, rest.find("\n}")), HasSubstr("find:")) << start;
  }
}

}  // namespace
}  // namespace treadle::cuda_cpu
