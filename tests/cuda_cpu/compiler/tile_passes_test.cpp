// SPDX-License-Identifier: MIT
// What looks at how memory is read. Loops with barriers, such as those of tiled products, get slots
// that values share, fetches a turn ahead, another order of blocks; kernels that only go along rows
// run their blocks together.
#include <gmock/gmock.h>
#include <llvm/Passes/PassBuilder.h>

#include "cuda_cpu/compiler/passes/block_rows.hpp"
#include "cuda_cpu/compiler/passes/live_values.hpp"
#include "cuda_cpu/compiler/passes/next_turn_prefetch.hpp"
#include "cuda_cpu/compiler/passes/region_graph.hpp"
#include "cuda_cpu/compiler/passes/row_pairs.hpp"
#include "cuda_cpu/compiler/passes/scalar_addresses.hpp"
#include "cuda_cpu/compiler/passes/tile_walks.hpp"
#include "cuda_cpu/compiler/passes/uniformity.hpp"
#include "cuda_cpu/compiler/passes/widen_indices.hpp"
#include "lowered.hpp"

namespace treadle::cuda_cpu {
namespace {

using testing::HasSubstr;
using testing::Not;

/// `sum += p[x + m]` and a barrier, n times; `last` is what the end of a turn adds.
std::string walking_kernel(const std::string& last, const std::string& kind = "") {
  return R"(define spir_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) {
    %x = call spir_func i32 @__treadle_thread_index(i32 0)
    br label %loop
   loop:
    %m = phi i32 [ 0, %0 ], [ %m.next, %loop ]
    %sum = phi float [ 0.0, %0 ], [ %next, %loop ]
    %i = add i32 %x, %m
    %a = getelementptr float, ptr addrspace(1) %p, i32 %i
    %v = load )" +
         kind + R"( float, ptr addrspace(1) %a
    call spir_func void @__treadle_barrier(i32 1)
    %next = fadd float %sum, %v
    call spir_func void @__treadle_barrier(i32 1)
    )" + last +
         R"(
    %m.next = add i32 %m, 1
    %more = icmp slt i32 %m.next, %n
    br i1 %more, label %loop, label %end
   end:
    %b = getelementptr float, ptr addrspace(1) %q, i32 %x
    store float %next, ptr addrspace(1) %b
    ret void })";
}

/// The offsets of the varying slots, by name.
std::map<std::string, std::uint64_t> offsets_of(const std::string& text) {
  const Lowered kernel(text);
  const RegionGraph graph(kernel.body, "k");
  const auto count = static_cast<unsigned>(graph.regions().size());
  const LiveValues live(kernel.body, graph, Uniformity(kernel.body), llvm::BitVector(count));
  std::map<std::string, std::uint64_t> offsets;
  for (const Slot& slot : live.slots())
    if (!slot.uniform) offsets[slot.value->getName().str()] = slot.offset;
  return offsets;
}

TEST(SharedSlots, ASumAndItsNextValueTakeTurnsInOne) {
  const auto offsets = offsets_of(walking_kernel(""));
  ASSERT_TRUE(offsets.contains("sum") && offsets.contains("next"));
  EXPECT_EQ(offsets.at("sum"), offsets.at("next"));
  EXPECT_NE(offsets.at("sum"), offsets.at("v")) << "both are needed behind the first barrier";
}

TEST(SharedSlots, ValuesThatABarrierFindsBothAliveHaveTheirOwn) {
  const auto offsets = offsets_of(walking_kernel("store float %sum, ptr addrspace(1) %a"));
  EXPECT_NE(offsets.at("sum"), offsets.at("next"));
}

TEST(SharedSlots, ValuesThatChangePlacesHaveTheirOwn) {
  const auto offsets = offsets_of(R"(define spir_kernel void @k(ptr addrspace(1) %p, i32 %n) {
    %x = call spir_func i32 @__treadle_thread_index(i32 0)
    %a = getelementptr float, ptr addrspace(1) %p, i32 %x
    %v = load float, ptr addrspace(1) %a
    br label %loop
   loop:
    %m = phi i32 [ 0, %0 ], [ %m.next, %loop ]
    %one = phi float [ 0.0, %0 ], [ %two, %loop ]
    %two = phi float [ %v, %0 ], [ %one, %loop ]
    call spir_func void @__treadle_barrier(i32 1)
    %m.next = add i32 %m, 1
    %more = icmp slt i32 %m.next, %n
    br i1 %more, label %loop, label %end
   end:
    store float %one, ptr addrspace(1) %a
    ret void })");
  EXPECT_NE(offsets.at("one"), offsets.at("two"));
}

TEST(TileWalks, ALoopWithABarrierThatReadsMemory) {
  const auto walk = [](const std::string& text) {
    Lowered kernel(text);
    return walks_tiles(kernel.body, kernel.runner);
  };
  EXPECT_TRUE(walk(walking_kernel("")));
  EXPECT_FALSE(walk(walking_kernel("", "volatile"))) << "it may wait for another block";
  EXPECT_FALSE(walk(walking_kernel("atomicrmw add ptr addrspace(1) %a, i32 1 seq_cst")));
  EXPECT_FALSE(walk(walking_kernel("fence seq_cst")));
  const std::string others = "@s = internal addrspace(3) global [64 x i32] undef\n";
  EXPECT_TRUE(walk(others + walking_kernel("atomicrmw add ptr addrspace(3) @s, i32 1 seq_cst")))
      << "no other block sees it";
  const std::string poll = "declare i32 @poll(ptr addrspace(1))\n";
  EXPECT_FALSE(walk(poll + walking_kernel("call i32 @poll(ptr addrspace(1) %a)")));
  const std::string sine = "declare float @sinf(float) memory(none)\n";
  EXPECT_TRUE(walk(sine + walking_kernel("call float @sinf(float %sum)")));
  EXPECT_FALSE(walk(R"(define spir_kernel void @k(ptr addrspace(1) %p) {
    %v = load float, ptr addrspace(1) %p
    call spir_func void @__treadle_barrier(i32 1)
    store float %v, ptr addrspace(1) %p
    ret void })"))
      << "no loop";
}

TEST(BlockRows, KernelsThatReadAndWriteAlongRows) {
  const auto suits = [](const std::string& first, const std::string& then) {
    Lowered kernel("@s = internal addrspace(3) global [64 x i32] undef\n" + first +
                   R"(define spir_kernel void @k(ptr addrspace(1) %p, i32 %n) {
      %x = call spir_func i32 @__treadle_thread_index(i32 0)
      %y = call spir_func i32 @__treadle_thread_index(i32 1)
      %r = mul i32 %y, %n
      %c = mul i32 %x, %n
      br label %then
     then:)" + then +
                   R"(
      ret void })");
    return suits_block_rows(kernel.body, kernel.runner);
  };
  const auto store_at = [](const std::string& index) {
    return "%i = add i32 " + index + R"(
      %a = getelementptr float, ptr addrspace(1) %p, i32 %i
      store float 1.0, ptr addrspace(1) %a)";
  };
  EXPECT_TRUE(suits("", store_at("%r, %x")));
  EXPECT_TRUE(suits("", store_at("%r, %n"))) << "the same for all threads of a row";
  EXPECT_FALSE(suits("", store_at("%c, %y"))) << "a column";
  EXPECT_FALSE(suits("", "atomicrmw add ptr addrspace(1) %p, i32 1 seq_cst"));
  EXPECT_FALSE(suits("", "%v = load volatile float, ptr addrspace(1) %p"));
  EXPECT_FALSE(suits("", "store i32 1, ptr addrspace(3) @s")) << "each block has its own";
  EXPECT_FALSE(suits("", "%l = alloca [4 x i32]"));
  EXPECT_FALSE(suits("declare void @f(ptr addrspace(1))\n", "call void @f(ptr addrspace(1) %p)"));
  EXPECT_FALSE(
      suits("declare float @sinf(float) memory(none)\n", "%s = call float @sinf(float 2.0)"))
      << "it waits for no memory";
  EXPECT_FALSE(suits("", R"(%v = load i32, ptr addrspace(1) %p
      %more = icmp slt i32 %v, %n
      br i1 %more, label %then, label %end
     end:)"))
      << "a loop reads again what it has read";
}

TEST(KernelBody, BlocksOfAConstantSizeWrapAlongXOnly) {
  const auto marked = [](const std::string& dimension, const std::string& offset) {
    const Lowered kernel(R"(define spir_kernel void @k(ptr addrspace(1) %p) {
      %t = call spir_func i32 @__treadle_thread_index(i32 )" +
                         dimension + R"()
      %b = call spir_func i32 @__treadle_block_index(i32 )" +
                         dimension + R"()
      %m = )" + offset + R"(
      %i = add i32 %m, %t
      store i32 %i, ptr addrspace(1) %p
      ret void })");
    EXPECT_FALSE(kernel.plan.kernels.front().small_index) << "nothing is assumed";
    return kernel.text().find("%i = add nuw nsw") != std::string::npos;
  };
  EXPECT_TRUE(marked("1", "shl i32 %b, 15"));
  EXPECT_TRUE(marked("2", "mul i32 %b, 32768")) << "65534 * 32768 + 1023 is below 2^31";
  EXPECT_FALSE(marked("2", "mul i32 %b, 32769"));
  EXPECT_FALSE(marked("1", "shl i32 %b, 16"));
  EXPECT_FALSE(marked("0", "mul i32 %b, 100000"));
}

TEST(WideIndices, SumsThatKeepTheirSignGetTheWidthOfAddresses) {
  const auto widened = [](const std::string& flag, const std::string& thread) {
    Lowered kernel(R"(define spir_kernel void @k(ptr addrspace(1) %p, i32 %n, ptr addrspace(1) %q) {
      %x = call spir_func i32 @__treadle_thread_index(i32 0)
      %e = getelementptr i32, ptr addrspace(1) %q, i32 %x
      %v = load i32, ptr addrspace(1) %e
      %r = mul nsw i32 %n, 3
      %i = add )" + flag +
                   " i32 %r, " + thread + R"(
      %w = sext i32 %i to i64
      %a = getelementptr float, ptr addrspace(1) %p, i64 %w
      store float 1.0, ptr addrspace(1) %a
      ret void })");
    widen_indices(kernel.body);
    return kernel.text();
  };
  const std::string wide = widened("nsw", "%x");
  EXPECT_THAT(wide, HasSubstr("mul nsw i64"));
  EXPECT_THAT(wide, HasSubstr("add nsw i64"));
  EXPECT_THAT(wide, Not(HasSubstr("%w = sext")));
  EXPECT_THAT(widened("", "%x"), Not(HasSubstr("add nsw i64"))) << "it may wrap";
  EXPECT_THAT(widened("nsw", "%v"), Not(HasSubstr("add nsw i64"))) << "anywhere";
}

/// A region that adds up `count` products of an element of `%a`'s row with rows of `%b`.
std::string sum_of_products(unsigned count, const std::string& stride = "1") {
  std::string text = R"(define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b) {
    %x = call spir_func i32 @__treadle_thread_index(i32 0)
    %y = call spir_func i32 @__treadle_thread_index(i32 1)
    %r = mul i32 %y, 32
    %column = mul i32 %x, )" +
                     stride;
  std::string sum = "0.0";
  for (unsigned k = 0; k < count; ++k) {
    const std::string n = std::to_string(k);
    text += "\n    %i" + n + " = add i32 %r, " + n + "\n    %j" + n + " = add i32 %column, " +
            std::to_string(32 * k) + "\n    %p" + n +
            " = getelementptr double, ptr addrspace(1) %a, i32 %i" + n + "\n    %q" + n +
            " = getelementptr double, ptr addrspace(1) %b, i32 %j" + n + "\n    %v" + n +
            " = load double, ptr addrspace(1) %p" + n + "\n    %w" + n +
            " = load double, ptr addrspace(1) %q" + n + "\n    %m" + n + " = fmul double %v" + n +
            ", %w" + n + "\n    %s" + n + " = fadd double " + sum + ", %m" + n;
    sum = "%s" + n;
  }
  return text + "\n    store double " + sum + ", ptr addrspace(1) %a\n    ret void }";
}

TEST(RowPairs, WhereRowsShareMoreThanTheRegistersHold) {
  const auto plan = [](const std::string& text) {
    Lowered kernel(text);
    return plan_rows(kernel.body, 32, *kernel.machine);
  };
  const RowPlan pairs = plan(sum_of_products(32));
  EXPECT_EQ(pairs.rows, 2u);
  EXPECT_GE(pairs.vector_elements, 2u);
  EXPECT_EQ(32 % (pairs.vector_elements * pairs.vectors), 0u);
  EXPECT_EQ(plan(sum_of_products(2)).rows, 1u) << "they stay in registers";
  EXPECT_EQ(plan(sum_of_products(32, "2")).rows, 1u) << "not side by side";
}

TEST(RowPairs, TakeTurnsInstructionByInstruction) {
  IrModule module(R"(define internal i8 @region(i32 %y, ptr %p) {
     br label %on
    on:
     %a = getelementptr float, ptr %p, i32 %y
     %v = load float, ptr %a
     %w = fmul float %v, 3.0
     store float %w, ptr %a
     ret i8 1 }
    define void @rows(i32 %y, ptr %p) {
     %next = add i32 %y, 1
     %one = call i8 @region(i32 %y, ptr %p)
     %two = call i8 @region(i32 %next, ptr %p)
     ret void })");
  llvm::SmallVector<llvm::CallInst*, 2> calls;
  for (llvm::Instruction& instruction : module.function("rows").getEntryBlock())
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) calls.push_back(call);
  inline_threads(calls);
  std::string order;
  for (const llvm::Instruction& instruction : module.function("rows").getEntryBlock())
    order += std::string(instruction.getOpcodeName()) + " ";
  EXPECT_EQ(order, "add getelementptr getelementptr load load fmul fmul store store ret ");
}

TEST(RowPairs, RegionsThatNeverEndAreLeftAlone) {
  std::string text = sum_of_products(32);
  text.replace(text.rfind("ret void"), 8, "br label %on\n on:\n br label %on");
  Lowered kernel(text);
  EXPECT_EQ(plan_rows(kernel.body, 32, *kernel.machine).rows, 1u);
}

/// Rows of a matrix of width `%n`, from row `%m` on, read by a loop of `%y`.
std::string rows_read(const std::string& row, const std::string& mark) {
  return R"(define void @f(ptr %p, ptr %frame, i64 %n, ptr %out) {
   entry:
    %m = load i64, ptr %frame)" +
         mark + R"(
    br label %loop
   loop:
    %y = phi i64 [ 0, %entry ], [ %next, %loop ]
    %row = )" +
         row + R"(
    %i = mul i64 %row, %n
    %a = getelementptr float, ptr %p, i64 %i
    %v = load <16 x float>, ptr %a
    store <16 x float> %v, ptr %out
    %next = add nuw nsw i64 %y, 1
    %more = icmp ult i64 %next, 16
    br i1 %more, label %loop, label %end
   end:
    ret void }
  !1 = !{i64 16}
  !2 = distinct !{})";
}

template <class Pass>
std::string after(const std::string& text) {
  IrModule module(text);
  const auto machine = create_host_machine(3);
  PassRunner runner(*machine, /*vector_math=*/false);
  llvm::FunctionPassManager passes;
  passes.addPass(Pass());
  runner.run(passes, module.function("f"));
  return module.text();
}

std::string prefetched(const std::string& text) { return after<NextTurnPrefetch>(text); }

TEST(NextTurnPrefetch, AsksForWhatTheNextTurnReads) {
  const std::string text = prefetched(rows_read("add i64 %y, %m", ", !treadle.turn !1"));
  EXPECT_THAT(text, HasSubstr("%0 = shl i64 %n, 6")) << "16 rows of n floats";
  EXPECT_THAT(text, HasSubstr("getelementptr i8, ptr %a, i64 %0"));
  EXPECT_THAT(text, HasSubstr("call void @llvm.prefetch"));
}

TEST(NextTurnPrefetch, LeavesAloneWhatDoesNotMoveOrMovesByThread) {
  EXPECT_THAT(prefetched(rows_read("add i64 %y, %m", "")), Not(HasSubstr("llvm.prefetch")));
  EXPECT_THAT(prefetched(rows_read("add i64 %y, 7", ", !treadle.turn !1")),
              Not(HasSubstr("llvm.prefetch")));
  EXPECT_THAT(prefetched(rows_read("mul i64 %y, %m", ", !treadle.turn !1")),
              Not(HasSubstr("llvm.prefetch")));
}

TEST(NextTurnPrefetch, AFetchOfTheSameMarkCarriesAStepThatIsNoConstant) {
  const auto carried = [](const std::string& step) {
    const std::string text = prefetched(rows_read("add i64 %y, %m", R"(, !treadle.turn !2
      %sum = add i64 %n, 36
      %carried = inttoptr i64 )" + step + R"( to ptr
      call void @llvm.prefetch(ptr %carried, i32 0, i32 2, i32 1), !treadle.turn !2)"));
    EXPECT_EQ(count(text, "call void @llvm.prefetch"), 1u);
    EXPECT_THAT(text, Not(HasSubstr("prefetch.p0(ptr %carried")));
    return text;
  };
  EXPECT_THAT(carried("%n"), HasSubstr("mul i64 %n, %n")) << "n rows of n floats";
  EXPECT_THAT(carried("%sum"), HasSubstr("mul i64 %n, %"));
  EXPECT_THAT(carried("1024"), HasSubstr("shl i64 %n, 12"));
}

TEST(ScalarAddresses, TheFirstLaneIsComputedBesideTheVector) {
  const std::string text = after<ScalarAddresses>(R"(define void @f(ptr %p, i64 %s, i64 %n) {
   entry:
    %one = insertelement <4 x i64> poison, i64 %s, i64 0
    %start = shufflevector <4 x i64> %one, <4 x i64> poison, <4 x i32> zeroinitializer
    br label %loop
   loop:
    %index = phi i64 [ 0, %entry ], [ %next, %loop ]
    %lanes = phi <4 x i64> [ <i64 0, i64 1, i64 2, i64 3>, %entry ], [ %lanes.next, %loop ]
    %sum = add nsw <4 x i64> %lanes, %start
    %narrow = trunc <4 x i64> %sum to <4 x i32>
    %first = extractelement <4 x i32> %narrow, i64 0
    %i = sext i32 %first to i64
    %a = getelementptr i32, ptr %p, i64 %i
    store <4 x i32> %narrow, ptr %a
    %second = extractelement <4 x i64> %sum, i64 1
    %b = getelementptr i32, ptr %p, i64 %second
    store i32 0, ptr %b
    %next = add nuw i64 %index, 4
    %lanes.next = add <4 x i64> %lanes, <i64 4, i64 4, i64 4, i64 4>
    %more = icmp ult i64 %next, %n
    br i1 %more, label %loop, label %end
   end:
    ret void })");
  EXPECT_EQ(count(text, "extractelement"), 1u) << "the second lane";
  EXPECT_EQ(count(text, "phi i64 [ 0, %entry ]"), 2u);
  EXPECT_THAT(text, HasSubstr(", %s\n")) << "the lane's sum";
  EXPECT_THAT(text, HasSubstr("trunc i64"));
}

TEST(ScalarAddresses, ALaneMayBeThePartOfAnother) {
  const std::string text = after<ScalarAddresses>(R"(define void @f(ptr %p, i64 %s) {
    %one = insertelement <4 x i64> poison, i64 %s, i64 0
    %all = shufflevector <4 x i64> %one, <4 x i64> poison, <4 x i32> zeroinitializer
    %sum = add <4 x i64> %all, <i64 3, i64 4, i64 5, i64 6>
    store <4 x i64> %sum, ptr %p
    %parts = bitcast <4 x i64> %sum to <8 x i32>
    %first = extractelement <8 x i32> %parts, i64 0
    %i = sext i32 %first to i64
    %a = getelementptr i32, ptr %p, i64 %i
    store i32 0, ptr %a
    %joined = bitcast <8 x i32> %parts to <2 x i128>
    %large = extractelement <2 x i128> %joined, i64 0
    %b = getelementptr i32, ptr %p, i128 %large
    store i32 0, ptr %b
    ret void })");
  EXPECT_THAT(text, HasSubstr("trunc i64 %1 to i32"));
  EXPECT_THAT(text, HasSubstr("%large = extractelement <2 x i128> %joined, i64 0"));
}

TEST(ScalarAddresses, WhatNoSumGivesStaysInItsVector) {
  const std::string text = after<ScalarAddresses>(R"(define void @f(ptr %p, <4 x i64> %v, i64 %s) {
    %one = insertelement <4 x i64> poison, i64 %s, i64 0
    %all = shufflevector <4 x i64> %one, <4 x i64> poison, <4 x i32> zeroinitializer
    %known = add <4 x i64> %all, <i64 1, i64 1, i64 1, i64 1>
    %w = add <4 x i64> %known, %v
    %first = extractelement <4 x i64> %w, i64 0
    %a = getelementptr i32, ptr %p, i64 %first
    store i32 0, ptr %a
    ret void })");
  EXPECT_THAT(text, HasSubstr("%first = extractelement <4 x i64> %w, i64 0"));
  EXPECT_EQ(count(text, "add "), 2u) << "nothing is left of what was tried";
}

TEST(NextTurnPrefetch, ACounterIsAPhiThatGrowsByAConstant) {
  IrModule module(R"(define void @f(ptr %frame, i32 %d) {
   entry:
    %m = load i32, ptr %frame
    br label %loop
   loop:
    %counted = phi i32 [ 0, %entry ], [ %c, %loop ]
    %other = phi i32 [ 0, %entry ], [ %o, %loop ]
    %c = add i32 %counted, 3
    %o = add i32 %other, %d
    br label %loop })");
  llvm::Function& function = module.function("f");
  llvm::Instruction& load = function.getEntryBlock().front();
  auto phi = function.back().phis().begin();
  mark_counter(load, *std::next(phi));
  EXPECT_THAT(module.text(), Not(HasSubstr("treadle.turn")));
  mark_counter(load, *phi);
  EXPECT_THAT(module.text(), HasSubstr("!treadle.turn"));
  EXPECT_THAT(module.text(), HasSubstr("!{i64 3}"));
}

}  // namespace
}  // namespace treadle::cuda_cpu
