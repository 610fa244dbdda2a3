// SPDX-License-Identifier: MIT
// The passes around barriers, and those that make loops over threads, on small IR texts.
#include <gmock/gmock.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "cuda_cpu/compiler/lowered.hpp"
#include "cuda_cpu/compiler/passes/barrier_regions.hpp"
#include "cuda_cpu/compiler/passes/block_function.hpp"
#include "cuda_cpu/compiler/passes/frame_scopes.hpp"
#include "cuda_cpu/compiler/passes/implied_barriers.hpp"
#include "cuda_cpu/compiler/passes/simplify_body.hpp"
#include "cuda_cpu/compiler/passes/step_loops.hpp"
#include "cuda_cpu/compiler/passes/uniformity.hpp"
#include "cuda_cpu/compiler/passes/widen_steps.hpp"

namespace treadle::cuda_cpu {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// `for (d = 1; d < end; d *= 2) { <step>; barrier; }` over shared memory.
std::string barrier_loop(const std::string& end, const std::string& step) {
  return R"(@s = internal addrspace(3) global [256 x i32] undef
  define spir_kernel void @k(ptr addrspace(1) %p, i32 %n) {
    %t = call spir_func i32 @__treadle_thread_index(i32 0)
    %a = getelementptr i32, ptr addrspace(3) @s, i32 %t
    br label %loop
  loop:
    %d = phi i32 [ 1, %0 ], [ %e, %next ]
    )" + step +
         R"(
    br label %next
  next:
    call spir_func void @__treadle_barrier(i32 1)
    %e = shl i32 %d, 1
    %c = icmp slt i32 %e, )" +
         end + R"(
    br i1 %c, label %loop, label %end
  end:
    ret void })";
}

constexpr const char* all_store = "store i32 %d, ptr addrspace(3) %a";
constexpr const char* some_store = R"(%few = icmp ult i32 %t, %d
    br i1 %few, label %store, label %next
  store:
    store i32 %d, ptr addrspace(3) %a)";

unsigned barriers_left(const std::string& text) {
  Lowered kernel(text);
  simplify_body(kernel.body, kernel.runner);
  return count(kernel.text(), "@__treadle_barrier");
}

TEST(SimplifyBody, AShortLoopInWhichAllThreadsWorkIsUnrolled) {
  EXPECT_EQ(barriers_left(barrier_loop("256", all_store)), 8u);
}

TEST(SimplifyBody, OtherLoopsWithBarriersStay) {
  EXPECT_EQ(barriers_left(barrier_loop("256", some_store)), 1u) << "a reduction";
  EXPECT_EQ(barriers_left(barrier_loop("%n", all_store)), 1u) << "unknown number of steps";
  EXPECT_EQ(barriers_left(barrier_loop("524288", all_store)), 1u) << "too many regions";
}

TEST(SimplifyBody, ALoopWithoutBarriersIsUnrolled) {
  Lowered kernel(R"(define spir_kernel void @k(ptr addrspace(1) %p) {
    br label %loop
  loop:
    %i = phi i32 [ 0, %0 ], [ %j, %loop ]
    %a = getelementptr i32, ptr addrspace(1) %p, i32 %i
    store volatile i32 %i, ptr addrspace(1) %a
    %j = add i32 %i, 1
    %c = icmp ult i32 %j, 100
    br i1 %c, label %loop, label %end
  end:
    ret void })");
  simplify_body(kernel.body, kernel.runner);
  EXPECT_EQ(count(kernel.text(), "store volatile"), 100u);
}

/// `for (i < 40) for (j < 40) for (k < 40) p[k] = k;`, which would make 64 000 stores.
constexpr const char* nest = R"(define spir_kernel void @k(ptr addrspace(1) %p) {
    br label %a
  a:
    %i = phi i32 [ 0, %0 ], [ %i.next, %a.end ]
    br label %b
  b:
    %j = phi i32 [ 0, %a ], [ %j.next, %b.end ]
    br label %c
  c:
    %k = phi i32 [ 0, %b ], [ %k.next, %c ]
    %at = getelementptr i32, ptr addrspace(1) %p, i32 %k
    store volatile i32 %k, ptr addrspace(1) %at
    %k.next = add i32 %k, 1
    %k.more = icmp ult i32 %k.next, 40
    br i1 %k.more, label %c, label %b.end
  b.end:
    %j.next = add i32 %j, 1
    %j.more = icmp ult i32 %j.next, 40
    br i1 %j.more, label %b, label %a.end
  a.end:
    %i.next = add i32 %i, 1
    %i.more = icmp ult i32 %i.next, 40
    br i1 %i.more, label %a, label %end
  end:
    ret void })";

TEST(SimplifyBody, ANestOfLoopsIsUnrolledOnlyAsFarAsItStaysSmall) {
  Lowered kernel(nest);
  simplify_body(kernel.body, kernel.runner);
  EXPECT_EQ(count(kernel.text(), "store volatile"), 40u);
}

TEST(FrameScopes, FramesAreApartFromEverythingElse) {
  IrModule module(R"(define void @f(ptr %frame, ptr %state, ptr noalias %p, float %v) {
    store i32 1, ptr %frame
    %s = getelementptr i8, ptr %state, i64 4
    store i8 2, ptr %s
    store float %v, ptr %p, !noalias !0
    ret void }
    !0 = !{!1}
    !1 = distinct !{!1, !2, !"the user's scope"}
    !2 = distinct !{!2, !"the user's domain"})");
  llvm::Function& function = module.function("f");
  separate_frames(function, {function.getArg(0), function.getArg(1)});
  std::vector<unsigned> own, foreign;
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    if (!llvm::isa<llvm::StoreInst>(instruction)) continue;
    const auto scopes = [&](unsigned kind) {
      const llvm::MDNode* node = instruction.getMetadata(kind);
      return node ? node->getNumOperands() : 0;
    };
    own.push_back(scopes(llvm::LLVMContext::MD_alias_scope));
    foreign.push_back(scopes(llvm::LLVMContext::MD_noalias));
  }
  EXPECT_THAT(own, ::testing::ElementsAre(1, 1, 0));
  EXPECT_THAT(foreign, ::testing::ElementsAre(1, 1, 3)) << "the third keeps what it had";
}

TEST(ImpliedBarriers, VolatileSharedStoresStandBetweenWarpBarriers) {
  Lowered kernel(R"(@s = internal addrspace(3) global [64 x float] undef
    define spir_kernel void @k(ptr addrspace(1) %p, float %v) {
    store volatile float %v, ptr addrspace(3) @s
    store volatile float %v, ptr addrspace(1) %p
    ret void })");
  EXPECT_TRUE(relies_on_warps(kernel.body));
  EXPECT_TRUE(needs_regions(kernel.body));
  add_warp_barriers(kernel.body);
  const std::string text = kernel.text();
  EXPECT_EQ(count(text, "@__treadle_barrier(i32 2)"), 2u);
  EXPECT_LT(text.find("barrier"), text.find("store volatile"));
}

/// Sums `n` values that start at `pointer`.
std::string summing_kernel(const std::string& pointer) {
  return R"(define spir_kernel void @k(ptr addrspace(1) %p, i32 %n) {
    %t = call spir_func i32 @__treadle_thread_index(i32 0)
    %q = getelementptr float, ptr addrspace(1) %p, i32 %t
    br label %loop
  loop:
    %i = phi i32 [ 0, %0 ], [ %j, %loop ]
    %a = getelementptr float, ptr addrspace(1) )" +
         pointer + R"(, i32 %i
    %v = load float, ptr addrspace(1) %a
    %j = add i32 %i, 1
    %c = icmp ult i32 %j, %n
    br i1 %c, label %loop, label %end
  end:
    store float %v, ptr addrspace(1) %q
    ret void })";
}

TEST(ImpliedBarriers, LoopsOverMemoryOfTheThreadRunInStep) {
  for (const auto& [pointer, barriers] : {std::pair("%q", 1u), std::pair("%p", 0u)}) {
    Lowered kernel(summing_kernel(pointer));
    add_scheduling_barriers(kernel.body, Uniformity(kernel.body));
    EXPECT_EQ(count(kernel.text(), "@__treadle_barrier(i32 0)"), barriers) << pointer;
  }
}

TEST(ThreadLoop, OnlyTheLoopOverXIsForVectors) {
  Lowered kernel(R"(define spir_kernel void @k(ptr addrspace(1) %p) {
    %t = call spir_func i32 @__treadle_thread_index(i32 0)
    %a = getelementptr i32, ptr addrspace(1) %p, i32 %t
    store i32 %t, ptr addrspace(1) %a
    ret void })");
  make_block_function(kernel.kernel(), kernel.body, *kernel.machine);
  const std::string text = kernel.module.text();
  EXPECT_EQ(count(text, "!\"llvm.loop.vectorize.enable\", i1 true"), 1u);
  EXPECT_EQ(count(text, "!\"llvm.loop.parallel_accesses\""), 1u);
  EXPECT_THAT(IrModule::text_of(*kernel.kernel().run),
              HasSubstr("ptr addrspace(1) %a.i, align 4, !llvm.access.group"));
  EXPECT_EQ(count(IrModule::text_of(*kernel.kernel().run), "!llvm.loop"), 3u);
}

TEST(ThreadLoop, ArraysOfAThreadAreNotIndependent) {
  Lowered kernel(R"(define spir_kernel void @k(ptr addrspace(1) %p, i32 %n) {
    %l = alloca [4 x i32]
    %a = getelementptr i32, ptr %l, i32 %n
    store i32 7, ptr %a
    %v = load i32, ptr %l
    store i32 %v, ptr addrspace(1) %p
    ret void })");
  make_block_function(kernel.kernel(), kernel.body, *kernel.machine);
  const std::string text = IrModule::text_of(*kernel.kernel().run);
  EXPECT_EQ(count(text, "!llvm.access.group"), 1u) << text;
}

/// A barrier inside an `if (<condition> < 5)`, one behind it.
std::string two_barriers(const std::string& condition) {
  return R"(define spir_kernel void @k(ptr addrspace(1) %p, i32 %n) {
    %t = call spir_func i32 @__treadle_thread_index(i32 0)
    %q = getelementptr i32, ptr addrspace(1) %p, i32 %t
    %v = load i32, ptr addrspace(1) %q
    %c = icmp ult i32 )" +
         condition + R"(, 5
    br i1 %c, label %inside, label %behind
  inside:
    call spir_func void @__treadle_barrier(i32 1)
    br label %behind
  behind:
    call spir_func void @__treadle_barrier(i32 1)
    store i32 %v, ptr addrspace(1) %q
    ret void })";
}

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
  make_region_functions(kernel.kernel(), kernel.body, kernel.runner, *kernel.machine);
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
  make_region_functions(kernel.kernel(), kernel.body, kernel.runner, *kernel.machine);
  const auto& regions = kernel.kernel().regions;
  ASSERT_EQ(regions.size(), 3u);
  EXPECT_FALSE(regions[0].uniform_exit);
  EXPECT_EQ(notes(*regions[0].run_all), std::vector{false});
  ASSERT_NE(regions[0].run_selected, nullptr);
  EXPECT_THAT(IrModule::text_of(*regions[0].run_selected), HasSubstr("skip:"));
  EXPECT_TRUE(regions[0].run_selected->hasFnAttribute(llvm::Attribute::OptimizeForSize));
}

/// `barriers` in a row, and a store behind each.
std::string barriers_in_a_row(unsigned barriers) {
  std::string text = R"(define spir_kernel void @k(ptr addrspace(1) %p) {
    %t = call spir_func i32 @__treadle_thread_index(i32 0)
    %q = getelementptr i32, ptr addrspace(1) %p, i32 %t)";
  for (unsigned i = 0; i < barriers; ++i) {
    text += "\n    call spir_func void @__treadle_barrier(i32 1)";
    text += "\n    store i32 " + std::to_string(i) + ", ptr addrspace(1) %q";
  }
  return text + "\n    ret void }";
}

TEST(JoinRegions, RegionsInARowBecomeOne) {
  Lowered kernel(barriers_in_a_row(3));
  make_region_functions(kernel.kernel(), kernel.body, kernel.runner, *kernel.machine);
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
  make_region_functions(choice.kernel(), choice.body, choice.runner, *choice.machine);
  EXPECT_EQ(choice.kernel().regions.size(), 3u);
  Lowered many(barriers_in_a_row(40));
  make_region_functions(many.kernel(), many.body, many.runner, *many.machine);
  EXPECT_EQ(many.kernel().regions.size(), 41u);
}

TEST(JoinRegions, WhatTheBlockReadsStaysTheSame) {
  Lowered kernel(barriers_in_a_row(1));
  make_region_functions(kernel.kernel(), kernel.body, kernel.runner, *kernel.machine);
  llvm::Function& whole = *kernel.kernel().regions[0].run_all;
  for (const llvm::Instruction& instruction : llvm::instructions(whole)) {
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (!load || load->getPointerOperand() != whole.getArg(0)) continue;
    EXPECT_TRUE(load->hasMetadata(llvm::LLVMContext::MD_invariant_load)) << "an argument";
  }
}

/// Bytes of which the stack is a multiple inside the function; 1 if that is left to its caller.
std::uint64_t stack_alignment(const llvm::Function& function) {
  return function.getAttributes().getFnStackAlignment().valueOrOne().value();
}

TEST(ThreadLoop, NoSpilledVectorLiesAcrossCacheLines) {
  Lowered plain("define spir_kernel void @k() { ret void }");
  make_block_function(plain.kernel(), plain.body, *plain.machine);
  EXPECT_EQ(stack_alignment(*plain.kernel().run), 64u);
  Lowered choice(two_barriers("%n"));
  make_region_functions(choice.kernel(), choice.body, choice.runner, *choice.machine);
  for (const RegionPlan& region : choice.kernel().regions) {
    EXPECT_EQ(stack_alignment(*region.run_all), 64u);
    if (region.run_selected != nullptr) {
      EXPECT_EQ(stack_alignment(*region.run_selected), 64u);
    }
  }
  Lowered row(barriers_in_a_row(3));
  make_region_functions(row.kernel(), row.body, row.runner, *row.machine);
  EXPECT_EQ(stack_alignment(*row.kernel().regions[0].run_all), 64u);
}

/// `for (i = thread; i < n; i += d) sum += <load>; q[thread] = sum; barrier;`
std::string strided_sum(const std::string& load) {
  return R"(define spir_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n, i32 %d) {
    %t = call spir_func i32 @__treadle_thread_index(i32 0)
    %any = icmp slt i32 %t, %n
    br i1 %any, label %loop, label %end
  loop:
    %i = phi i32 [ %t, %0 ], [ %j, %loop ]
    %sum = phi float [ 0.0, %0 ], [ %more, %loop ]
    %w = sext i32 %i to i64
    %a = getelementptr float, ptr addrspace(1) %p, i64 %w
    %v = )" +
         load +
         R"( float, ptr addrspace(1) %a
    %more = fadd float %sum, %v
    %j = add nsw i32 %i, %d
    %c = icmp slt i32 %j, %n
    br i1 %c, label %loop, label %end
  end:
    %all = phi float [ 0.0, %0 ], [ %more, %loop ]
    %b = getelementptr float, ptr addrspace(1) %q, i32 %t
    store float %all, ptr addrspace(1) %b
    call spir_func void @__treadle_barrier(i32 1)
    ret void })";
}

unsigned additions_in_a_step(const std::string& text) {
  Lowered kernel(text);
  simplify_body(kernel.body, kernel.runner);
  widen_steps(kernel.body, kernel.runner);
  return count(kernel.text(), "fadd float");
}

TEST(WidenSteps, AShortLoopDoesFourStepsAtOnce) {
  EXPECT_EQ(additions_in_a_step(strided_sum("load")), 4u);
}

TEST(WidenSteps, ALoopThatWaitsDoesOne) {
  EXPECT_EQ(additions_in_a_step(strided_sum("load volatile")), 1u);
}

TEST(CountedIndices, AStepIsMadeForIndicesInARowAndForAny) {
  Lowered kernel(strided_sum("load"));
  make_region_functions(kernel.kernel(), kernel.body, kernel.runner, *kernel.machine);
  EXPECT_EQ(kernel.module.function_count("counted."), 1u);
  EXPECT_EQ(kernel.module.function_count("loaded."), 1u);
  const std::string text = kernel.module.text();
  const std::string counted = text.substr(text.find("@counted."));
  EXPECT_LT(counted.find("add nuw nsw i32 %"), counted.find("load float"))
      << "the first thread's index and x";
  unsigned choices = 0;
  for (const RegionPlan& region : kernel.kernel().regions)
    choices += count(IrModule::text_of(*region.run_all), "call void @in_order.");
  EXPECT_EQ(choices, 1u);
  EXPECT_EQ(count(text, "call void @counted."), 1u);
}

std::string regions_of(const std::string& text) {
  Lowered kernel(text);
  make_region_functions(kernel.kernel(), kernel.body, kernel.runner, *kernel.machine);
  return kernel.module.text();
}

TEST(StayingSteps, TheEndsOfARowTellThatNobodyLeaves) {
  const std::string text = regions_of(strided_sum("load"));
  const auto function = [&](const std::string& name) {
    const std::string rest = text.substr(text.find("define internal void @" + name));
    return rest.substr(0, rest.find("\n}"));
  };
  EXPECT_EQ(count(function("counted."), "br i1"), 7u) << "three loops, four questions";
  EXPECT_EQ(count(function("staying."), "br i1"), 3u);
  EXPECT_THAT(function("staying."), HasSubstr("!treadle.turn")) << "the next step is known";
  const std::string asks = function("in_order.");
  EXPECT_EQ(count(asks, "icmp slt"), 8u) << "four turns, two ends";
  EXPECT_EQ(count(asks, "icmp sle"), 4u) << "in order";
  EXPECT_EQ(count(asks, "add nsw"), 0u) << "of turns that may not be";
}

TEST(StayingSteps, WhatBothEndsSayMustHoldBetweenThem) {
  for (const auto& [from, to] : {std::pair<std::string, std::string>{"icmp slt", "icmp ne"},
                                 {"%j, %n\n", "%j, %t\n"},
                                 {"%c = icmp", "%u = shl i32 %j, 1\n    %c = icmp"}}) {
    std::string text = strided_sum("load");
    text.replace(text.rfind(from), from.size(), to);
    if (to.starts_with("%u")) text.replace(text.rfind("slt i32 %j"), 10, "slt i32 %u");
    const std::string regions = regions_of(text);
    EXPECT_THAT(regions, HasSubstr("@counted.")) << to;
    EXPECT_THAT(regions, Not(HasSubstr("@staying."))) << to;
  }
}

TEST(CountedIndices, OtherValuesAreLoaded) {
  Lowered kernel(two_barriers("%n"));
  make_region_functions(kernel.kernel(), kernel.body, kernel.runner, *kernel.machine);
  EXPECT_EQ(kernel.module.function_count("counted."), 0u) << "%v is stored, nothing is read there";
}

/// `for (k = 0; k < n; ++k) sum += p[<index>]` by each thread.
std::string thread_sum(const std::string& index, const std::string& load) {
  return R"(define spir_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) {
    %t = call spir_func i32 @__treadle_thread_index(i32 0)
    %e = getelementptr i32, ptr addrspace(1) %q, i32 %t
    %told = load i32, ptr addrspace(1) %e
    br label %loop
  loop:
    %k = phi i32 [ 0, %0 ], [ %j, %loop ]
    %sum = phi i32 [ 0, %0 ], [ %more, %loop ]
    %far = mul i32 %k, %n
    %row = mul i32 %t, 4
    %i = add i32 )" +
         index +
         R"(
    %a = getelementptr i32, ptr addrspace(1) %p, i32 %i
    %v = )" +
         load +
         R"( i32, ptr addrspace(1) %a
    %more = add i32 %sum, %v
    %j = add i32 %k, 1
    %c = icmp slt i32 %j, %n
    br i1 %c, label %loop, label %end
  end:
    %b = getelementptr i32, ptr addrspace(1) %q, i32 %t
    store i32 %more, ptr addrspace(1) %b
    ret void })";
}

bool is_run_in_steps(const std::string& text) {
  Lowered kernel(text);
  return mark_step_loops(kernel.body, kernel.runner);
}

TEST(StepLoops, AreThoseThatReadSideBySide) {
  EXPECT_TRUE(is_run_in_steps(thread_sum("%far, %t", "load"))) << "columns of a matrix";
  EXPECT_TRUE(is_run_in_steps(thread_sum("%far, %k", "load"))) << "the same for all";
  EXPECT_FALSE(is_run_in_steps(thread_sum("%row, %k", "load"))) << "a row for each thread";
  EXPECT_FALSE(is_run_in_steps(thread_sum("%far, %told", "load"))) << "anywhere";
  EXPECT_FALSE(is_run_in_steps(thread_sum("%far, %t", "load volatile")));
}

TEST(StepLoops, BehindBarriersAreAlsoThoseThatCarryFloats) {
  const auto marked = [](const std::string& text) {
    Lowered kernel(text);
    mark_arithmetic_loops(kernel.body, kernel.runner);
    return count(kernel.module.text(), "treadle.loop.steps");
  };
  EXPECT_EQ(marked(strided_sum("load")), 1u);
  EXPECT_EQ(marked(thread_sum("%far, %t", "load")), 0u) << "integers";
}

TEST(StepLoops, AreAlsoMadeAsTheyAreWritten) {
  Lowered kernel(thread_sum("%far, %t", "load"));
  ASSERT_TRUE(mark_step_loops(kernel.body, kernel.runner));
  make_region_functions(kernel.kernel(), kernel.body, kernel.runner, *kernel.machine);
  const auto& regions = kernel.kernel().regions;
  ASSERT_EQ(regions.size(), 2u) << "before the loop, and a step";
  EXPECT_EQ(regions[1].barrier, BarrierKind::scheduling);
}

TEST(BarrierRegions, StepsOfSomeThreadsAreVectors) {
  Lowered kernel(strided_sum("load"));
  make_region_functions(kernel.kernel(), kernel.body, kernel.runner, *kernel.machine);
  for (const RegionPlan& region : kernel.kernel().regions) {
    const bool vectors =
        IrModule::text_of(*region.run_selected).find("!llvm.access.group") != std::string::npos;
    EXPECT_EQ(!region.run_selected->hasFnAttribute(llvm::Attribute::OptimizeForSize),
              region.barrier == BarrierKind::scheduling);
    EXPECT_TRUE(vectors || region.barrier != BarrierKind::scheduling);
  }
}

}  // namespace
}  // namespace treadle::cuda_cpu
