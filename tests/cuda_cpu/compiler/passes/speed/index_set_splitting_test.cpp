// SPDX-License-Identifier: MIT
// Guards: the copy of a kernel for rows of threads that pass them, and who is sent there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cuda_cpu/compiler/lowered.hpp"
#include "cuda_cpu/compiler/passes/speed/index_set_splitting.hpp"

namespace treadle::cuda_cpu {
namespace {

using testing::HasSubstr;
using testing::Not;

/// out[t + n] = 7 where `condition` holds for %i = t + n.
std::string guarded(const std::string& condition, const std::string& otherwise = "%end") {
  return R"(define spir_kernel void @k(ptr addrspace(1) %p, i32 %n, i32 %limit) {
    %t = call spir_func i32 @__treadle_thread_index(i32 0)
    %i = add i32 %t, %n
    %a = getelementptr i32, ptr addrspace(1) %p, i32 %i
    )" + condition +
         R"(
    br i1 %c, label %work, label )" +
         otherwise + R"(
  work:
    store i32 7, ptr addrspace(1) %a
    br label %end
  other:
    store i32 8, ptr addrspace(1) %a
    br label %end
  end:
    ret void })";
}

std::string behind_guards(const std::string& text) {
  Lowered kernel(text);
  const IndexSetSplit guards(kernel.body);
  return guards.function() == nullptr ? "none" : IrModule::text_of(*guards.function());
}

TEST(IndexSetSplit, TheCopyAsksNoMore) {
  const std::string copy = behind_guards(guarded("%c = icmp slt i32 %i, %limit"));
  EXPECT_THAT(copy, HasSubstr("br i1 true, label %work, label %end"));
  EXPECT_THAT(behind_guards(guarded("%c = icmp sge i32 %limit, %i")), HasSubstr("br i1 true"));
}

TEST(IndexSetSplit, GuardsDecideOverTheWholeKernelAndCompareConsecutiveIndices) {
  const std::string compare = "%c = icmp slt i32 %i, %limit";
  EXPECT_EQ(behind_guards(guarded(compare, "%other")), "none") << "both do something";
  EXPECT_EQ(behind_guards(guarded("%c = icmp eq i32 %i, %limit")), "none") << "ends do not tell";
  EXPECT_EQ(behind_guards(guarded("%c = icmp slt i32 %n, %limit")), "none") << "the same for all";
  const std::string twice = "%j = mul i32 %i, 2\n    %c = icmp slt i32 %j, %limit";
  EXPECT_EQ(behind_guards(guarded(twice)), "none") << "every second number";
}

TEST(IndexSetSplit, WhoDoesNotPassHasDoneNothing) {
  const std::string compare = "%c = icmp slt i32 %i, %limit";
  EXPECT_EQ(behind_guards(guarded("store i32 6, ptr addrspace(1) %a\n    " + compare)), "none");
  EXPECT_NE(behind_guards(guarded("%v = load i32, ptr addrspace(1) %a\n    " + compare)), "none");
}

TEST(IndexSetSplit, AreLeftWhereNoVectorsAreMade) {
  std::string text = guarded("%c = icmp slt i32 %i, %limit");
  const std::string store = "store i32 7, ptr addrspace(1) %a";
  text.replace(text.find(store), store.size(),
               "%o = atomicrmw add ptr addrspace(1) %a, i32 7 monotonic");
  EXPECT_EQ(behind_guards(text), "none");
}

TEST(IndexSetSplit, OfSeveralConditionsThoseThatCanBeTold) {
  const std::string copy = behind_guards(guarded(R"(%v = load i32, ptr addrspace(1) %a
    %c1 = icmp slt i32 %i, %limit
    %c2 = icmp slt i32 %v, %limit
    %c = and i1 %c1, %c2)"));
  EXPECT_THAT(copy, HasSubstr("%c = and i1 true, %c2"));
}

TEST(BlockFunction, VectorsAreMadeOfThoseWhoPass) {
  Lowered kernel(guarded("%c = icmp slt i32 %i, %limit"));
  kernel.make_block_function();
  const std::string run = IrModule::text_of(*kernel.kernel().run);
  EXPECT_EQ(count(kernel.module.text(), "!\"llvm.loop.vectorize.enable\", i1 true"), 1u);
  EXPECT_EQ(count(run, "!llvm.access.group"), 2u) << "the copy is in the group that its loop names";
  EXPECT_EQ(count(run, "store i32 7"), 2u) << "one loop for those who pass, one for the others";
  EXPECT_EQ(count(run, "freeze"), 4u) << "whether all pass; limit, first and last, if not";
}

TEST(BlockFunction, KernelsWithoutGuardsHaveOneLoop) {
  Lowered kernel(guarded("%c = icmp eq i32 %i, %limit"));
  kernel.make_block_function();
  const std::string run = IrModule::text_of(*kernel.kernel().run);
  EXPECT_EQ(count(run, "store i32 7"), 1u);
  EXPECT_THAT(run, Not(HasSubstr("freeze")));
}

}  // namespace
}  // namespace treadle::cuda_cpu
