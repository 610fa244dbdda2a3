// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "cuda_cpu/compiler/lowered.hpp"
#include "cuda_cpu/compiler/passes/kernel_texts.hpp"

namespace treadle::cuda_cpu {
namespace {

TEST(ConsecutiveIndices, AnyAreRunsOfConsecutiveOnes) {
  Lowered kernel(strided_sum("load"));
  kernel.make_regions();
  EXPECT_EQ(kernel.module.function_count("consecutive."), 1u);
  const std::string text = kernel.module.text();
  const std::string counted = text.substr(text.find("@consecutive."));
  EXPECT_LT(counted.find("add nuw nsw i32 %"), counted.find("load float"))
      << "the first thread's index and x";
  unsigned choices = 0;
  for (const RegionPlan& region : kernel.kernel().regions)
    choices += count(IrModule::text_of(*region.run_all), "call void @in_order.");
  EXPECT_EQ(choices, 1u);
  EXPECT_EQ(count(text, "call void @consecutive."), 1u);
}

TEST(ConsecutiveIndices, ThoseThatDoNotStartSoAreLoaded) {
  for (const char* from : {"mul i32 %t, 3", "lshr i32 %t, 1"}) {
    Lowered kernel(strided_sum("load", from));
    kernel.make_regions();
    EXPECT_EQ(kernel.module.function_count("consecutive."), 0u) << from;
  }
  Lowered moved(strided_sum("load", "add i32 %t, %d"));
  moved.make_regions();
  EXPECT_EQ(moved.module.function_count("consecutive."), 1u);
}

TEST(ConsecutiveIndices, ThoseThatEachThreadMovesByItselfAreLoaded) {
  std::string text = strided_sum("load");
  const std::string step = "%j = add nsw i32 %i, %d";
  text.replace(text.find(step), step.size(), "%j = load i32, ptr addrspace(1) %a");
  Lowered kernel(text);
  kernel.make_regions();
  EXPECT_EQ(kernel.module.function_count("consecutive."), 0u) << "a list";
}

TEST(ConsecutiveIndices, OtherValuesAreLoaded) {
  Lowered kernel(two_barriers("%n"));
  kernel.make_regions();
  EXPECT_EQ(kernel.module.function_count("consecutive."), 0u)
      << "%v is stored, nothing is read there";
}

}  // namespace
}  // namespace treadle::cuda_cpu
