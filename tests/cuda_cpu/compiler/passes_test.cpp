// SPDX-License-Identifier: MIT
// Single passes and analyses on small IR texts.
#include <gmock/gmock.h>

#include "cuda_cpu/compiler/backend.hpp"
#include "cuda_cpu/compiler/lowered.hpp"
#include "cuda_cpu/compiler/passes/barrier_regions.hpp"
#include "cuda_cpu/compiler/passes/check_supported.hpp"
#include "cuda_cpu/compiler/passes/fuse_multiply_adds.hpp"
#include "cuda_cpu/compiler/passes/gpu_arithmetic.hpp"
#include "cuda_cpu/compiler/passes/live_values.hpp"
#include "cuda_cpu/compiler/passes/math_calls.hpp"
#include "cuda_cpu/compiler/passes/region_exits.hpp"
#include "cuda_cpu/compiler/passes/region_graph.hpp"
#include "cuda_cpu/compiler/passes/row_width.hpp"
#include "cuda_cpu/compiler/passes/running_time.hpp"
#include "cuda_cpu/compiler/passes/shared_atomics.hpp"
#include "cuda_cpu/compiler/passes/uniformity.hpp"

namespace treadle::cuda_cpu {
namespace {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(GpuArithmetic, DivisionByAVariableIsGuarded) {
  IrModule module("define i32 @f(i32 %x, i32 %d) { %q = udiv i32 %x, %d\n ret i32 %q }");
  give_gpu_arithmetic(module.function("f"));
  EXPECT_THAT(module.text(), HasSubstr("select i1 %by.zero, i32 1, i32 %d"));
  EXPECT_THAT(module.text(), HasSubstr("select i1 %by.zero, i32 -1, i32 %q"));
}

TEST(GpuArithmetic, RemainderByZeroIsTheDividend) {
  IrModule module("define i32 @f(i32 %x, i32 %d) { %q = srem i32 %x, %d\n ret i32 %q }");
  give_gpu_arithmetic(module.function("f"));
  EXPECT_THAT(module.text(), HasSubstr("select i1 %by.zero, i32 %x, i32 %q"));
  EXPECT_THAT(module.text(), HasSubstr("%overflows = and"));
}

TEST(GpuArithmetic, HarmlessOperandsCostNothing) {
  IrModule module(R"(define i32 @f(i32 %x, i32 %s) {
    %a = sdiv i32 %x, 3
    %size = call spir_func i32 @__treadle_block_size(i32 0)
    %b = udiv i32 %a, %size
    %m = and i32 %s, 31
    %c = shl i32 %b, %m
    ret i32 %c })");
  const std::string before = module.text();
  give_gpu_arithmetic(module.function("f"));
  EXPECT_EQ(module.text(), before);
}

TEST(GpuArithmetic, ASecondTimeChangesNothing) {
  IrModule module(R"(define i32 @f(i32 %x, i32 %d) {
    %q = sdiv i32 %x, %d
    %r = urem i32 %q, %d
    ret i32 %r })");
  give_gpu_arithmetic(module.function("f"));
  const std::string once = module.text();
  give_gpu_arithmetic(module.function("f"));
  EXPECT_EQ(module.text(), once);
}

TEST(GpuArithmetic, ChoicesAndCallsOfTheProgramAreDivisorsAsOthers) {
  IrModule module(R"(define internal i32 @size() alwaysinline {
    %s = call spir_func i32 @__treadle_block_size(i32 0)
    ret i32 %s }
  define internal i32 @bins() alwaysinline { ret i32 0 }
  define i32 @choice(i32 %x, i1 %c) {
    %d = select i1 %c, i32 0, i32 3
    %q = udiv i32 %x, %d
    ret i32 %q }
  define i32 @one(i32 %x, i1 %c, i32 %y) {
    %d = select i1 %c, i32 1, i32 %y
    %q = udiv i32 %x, %d
    ret i32 %q }
  define i32 @call(i32 %x) {
    %d = call i32 @bins()
    %q = udiv i32 %x, %d
    ret i32 %q }
  define i32 @extent(i32 %x) {
    %d = call i32 @size()
    %q = udiv i32 %x, %d
    ret i32 %q })");
  for (const char* name : {"choice", "one", "call", "extent"}) {
    llvm::Function& function = module.function(name);
    give_gpu_arithmetic(function);
    const bool guarded = IrModule::text_of(function).find("by.zero") != std::string::npos;
    EXPECT_EQ(guarded, std::string(name) != "extent") << name;
  }
}

TEST(GpuArithmetic, ShiftsAndConversions) {
  IrModule module(R"(define i32 @f(i32 %x, i32 %s, float %v) {
    %a = shl i32 %x, %s
    %b = ashr i32 %a, %s
    %i = fptosi float %v to i32
    %c = fptoui float %v to i8
    %w = zext i8 %c to i32
    %d = add i32 %b, %i
    %e = add i32 %d, %w
    ret i32 %e })");
  give_gpu_arithmetic(module.function("f"));
  EXPECT_THAT(module.text(), HasSubstr("select i1 %in.range, i32 %a, i32 0"));
  EXPECT_THAT(module.text(), HasSubstr("@llvm.umin.i32(i32 %s, i32 31)"));
  EXPECT_THAT(module.text(), HasSubstr("@llvm.fptosi.sat.i32.f32"));
  EXPECT_THAT(module.text(), HasSubstr("@llvm.fptoui.sat.i32.f32"));
}

TEST(GpuArithmetic, ConversionsOfClangSaturateAsOnAGpu) {
  IrModule module(R"(define i64 @f(double %v, float %x) {
    %i = call i64 @llvm.fptosi.sat.i64.f64(double %v)
    %c = call i8 @llvm.fptoui.sat.i8.f32(float %x)
    %w = zext i8 %c to i64
    %sum = add i64 %i, %w
    ret i64 %sum }
    declare i64 @llvm.fptosi.sat.i64.f64(double)
    declare i8 @llvm.fptoui.sat.i8.f32(float))");
  saturate_conversions(module.function("f"));
  EXPECT_THAT(module.text(), HasSubstr("select i1 %is.nan, i64 -9223372036854775808"));
  EXPECT_THAT(module.text(), HasSubstr("call i32 @llvm.fptoui.sat.i32.f32"));
  EXPECT_THAT(module.text(), HasSubstr("trunc i32"));
}

RunningTime time_of(const std::string& code) {
  Lowered lowered("declare float @sinf(float)\n" + code);
  return running_time(*lowered.body.function, lowered.runner);
}

bool runs_long(const std::string& code) { return time_of(code) != RunningTime::over_soon; }

TEST(RunningTime, IsShortWithoutLoopsAndWithLoopsOfAFewSteps) {
  EXPECT_FALSE(runs_long(R"(define spir_kernel void @k(ptr %p, float %x) {
    %y = call float @sinf(float %x)
    store float %y, ptr %p
    ret void })"));
  EXPECT_FALSE(runs_long(R"(define spir_kernel void @k(ptr %p) {
    br label %loop
   loop:
    %i = phi i32 [0, %0], [%next, %loop]
    store volatile i32 %i, ptr %p
    %next = add i32 %i, 1
    %more = icmp ult i32 %next, 16
    br i1 %more, label %loop, label %end
   end:
    ret void })"));
}

TEST(RunningTime, MayBeLongWhereMemoryOrAnArgumentDecides) {
  EXPECT_TRUE(runs_long(R"(define spir_kernel void @k(ptr %p, i32 %n) {
    br label %loop
   loop:
    %i = phi i32 [0, %0], [%next, %loop]
    store volatile i32 %i, ptr %p
    %next = add i32 %i, 1
    %more = icmp ult i32 %next, %n
    br i1 %more, label %loop, label %end
   end:
    ret void })"));
  EXPECT_TRUE(runs_long(R"(define spir_kernel void @k(ptr %p) {
    br label %loop
   loop:
    %lock = load volatile i32, ptr %p
    %taken = icmp ne i32 %lock, 0
    br i1 %taken, label %loop, label %end
   end:
    ret void })"));
}

/// `if (!<skip>) for (i = thread; i < <end>; i += <step>) { p[i] = i; if (<leave>) break; }`
std::string counted_loop(const std::string& end, const std::string& step,
                         const std::string& leave = "false", const std::string& skip = "false") {
  return R"(define spir_kernel void @k(ptr %p, i32 %n, ptr %e) {
    %t = call spir_func i32 @__treadle_thread_index(i32 0)
    %d = call spir_func i32 @__treadle_block_size(i32 0)
    %m = load i32, ptr %p
    %z = icmp eq i32 %m, 0
    %q = icmp eq i32 %n, 7
    br i1 )" +
         skip + R"(, label %end, label %loop
   loop:
    %i = phi i32 [%t, %0], [%next, %on]
    %a = getelementptr i32, ptr %p, i32 %i
    store i32 %i, ptr %a
    %c = load volatile i1, ptr %p
    br i1 )" +
         leave + R"(, label %end, label %on
   on:
    %next = add nuw nsw i32 %i, )" +
         step + R"(
    %more = icmp slt i32 %next, )" +
         end + R"(
    br i1 %more, label %loop, label %end, !llvm.loop !0
   end:
    ret void }
   !0 = distinct !{!0, !1}
   !1 = !{!"llvm.loop.mustprogress"})";
}

TEST(RunningTime, IsToldByNumbersAmongTheArguments) {
  EXPECT_EQ(time_of(counted_loop("%n", "1")), RunningTime::by_arguments);
  EXPECT_EQ(time_of(counted_loop("%n", "%d")), RunningTime::by_arguments) << "blockDim.x";
  EXPECT_EQ(time_of(counted_loop("%n", "1", "%q")), RunningTime::by_arguments);
  EXPECT_EQ(time_of(counted_loop("%n", "1", "%c")), RunningTime::any) << "left early, or not";
  EXPECT_EQ(time_of(counted_loop("%m", "1")), RunningTime::any) << "a number in memory";
  EXPECT_EQ(time_of(counted_loop("%n", "1", "false", "%z")), RunningTime::any) << "skipped, or not";
  EXPECT_EQ(time_of(counted_loop("%n", "1", "false", "%q")), RunningTime::by_arguments);
}

/// `for (i = 0; i < 16; ++i) if (<leave>) break;`, then as many steps as `steps` and `i` say.
std::string loop_behind_a_loop(const std::string& leave, const std::string& steps) {
  return R"(define spir_kernel void @k(ptr %p, i32 %n) {
    br label %loop
   loop:
    %i = phi i32 [0, %0], [%next, %on]
    %c = load volatile i1, ptr %p
    br i1 )" +
         leave + R"(, label %behind, label %on
   on:
    %next = add nuw nsw i32 %i, 1
    %more = icmp ult i32 %next, 16
    br i1 %more, label %loop, label %behind
   behind:
    %left = phi i32 [%i, %loop], [16, %on]
    %real = uitofp i32 %i to float
    %back = fptoui float %real to i32
    %many = mul i32 )" +
         steps + R"(, 100000
    br label %again
   again:
    %k = phi i32 [0, %behind], [%k.next, %again]
    store volatile i32 %k, ptr %p
    %k.next = add i32 %k, 1
    %k.more = icmp ult i32 %k.next, %many
    br i1 %k.more, label %again, label %end
   end:
    ret void })";
}

TEST(RunningTime, IsNotToldByTheCounterOfALoopThatDataMayLeave) {
  EXPECT_EQ(time_of(loop_behind_a_loop("%c", "%i")), RunningTime::any);
  EXPECT_EQ(time_of(loop_behind_a_loop("%c", "%left")), RunningTime::any);
  EXPECT_EQ(time_of(loop_behind_a_loop("%c", "%back")), RunningTime::any) << "by a conversion";
  EXPECT_EQ(time_of(loop_behind_a_loop("%c", "%n")), RunningTime::by_arguments);
  EXPECT_EQ(time_of(loop_behind_a_loop("false", "%i")), RunningTime::by_arguments) << "it is 15";
}

TEST(RunningTime, MayBeLongInManyStepsAndInCalls) {
  EXPECT_TRUE(runs_long(R"(define spir_kernel void @k(ptr %p) {
    br label %loop
   loop:
    %i = phi i32 [0, %0], [%next, %loop]
    store volatile i32 %i, ptr %p
    %next = add i32 %i, 1
    %more = icmp ult i32 %next, 1000000000
    br i1 %more, label %loop, label %end
   end:
    ret void })"));
  EXPECT_TRUE(runs_long(R"(define spir_kernel void @k(ptr %f) { call void %f()
    ret void })"));
}

TEST(Retarget, KernelsAndParametersAreListed) {
  IrModule module(R"(
    @c = addrspace(1) externally_initialized global [4 x float] zeroinitializer, align 4
    %S = type { double, i8 }
    define spir_kernel void @k(ptr addrspace(1) %p.coerce, i8 %a, ptr byval(%S) align 8 %s,
                               float %f) "treadle-max-threads"="96" { ret void })");
  const auto machine = create_host_machine(3);
  const ModulePlan plan = retarget(*module, *machine);
  ASSERT_EQ(plan.kernels.size(), 1u);
  const KernelPlan& kernel = plan.kernels.front();
  EXPECT_EQ(kernel.max_threads, 96u);
  std::vector<std::uint32_t> offsets;
  for (const ParameterPlan& parameter : kernel.parameters) offsets.push_back(parameter.offset);
  EXPECT_THAT(offsets, ElementsAre(0, 8, 16, 32));
  EXPECT_EQ(kernel.parameters[0].name, "p");
  EXPECT_EQ(kernel.parameters[2].kind, ParameterKind::structure);
  EXPECT_EQ(kernel.parameter_bytes, 36u);
  ASSERT_EQ(plan.globals.size(), 1u);
  EXPECT_EQ(plan.globals.front().size, 16u);
  EXPECT_THAT(module.text(), Not(HasSubstr("spir_kernel")));
}

TEST(CheckSupported, UndefinedFunctionIsNamed) {
  IrModule module(R"(declare spir_func float @_Z4nopef(float)
    define spir_kernel void @k() { %v = call spir_func float @_Z4nopef(float 1.0)
      ret void })");
  const auto machine = create_host_machine(3);
  const ModulePlan plan = retarget(*module, *machine);
  try {
    check_supported(*module, plan);
    FAIL() << "accepted";
  } catch (const BackendError& error) {
    EXPECT_STREQ(error.what(), "error: undefined function 'nope(float)'");
  }
}

TEST(MathCalls, MathIsPureWhateverItsDeclarationSays) {
  IrModule module("declare float @sinf(float)\ndeclare float @other(float)");
  prepare_math_calls(*module);
  EXPECT_TRUE(module.function("sinf").doesNotAccessMemory());
  EXPECT_FALSE(module.function("other").doesNotAccessMemory());
  EXPECT_TRUE(is_library_function(module.function("sinf")));
  EXPECT_FALSE(is_library_function(module.function("other")));
}

constexpr const char* indexed_kernel = R"(
  @a = internal addrspace(3) global [10 x float] undef
  @b = internal addrspace(3) global [10 x double] undef
  @d = external addrspace(3) global [0 x float]
  define spir_kernel void @k(ptr addrspace(1) %p) {
    %t = call spir_func i32 @__treadle_thread_index(i32 0)
    %b = call spir_func i32 @__treadle_block_index(i32 0)
    %s = call spir_func i32 @__treadle_block_size(i32 0)
    %m = mul i32 %b, %s
    %i = add i32 %t, %m
    store i32 %i, ptr addrspace(3) @a
    store i32 %i, ptr addrspace(3) @b
    store i32 %i, ptr addrspace(3) @d
    ret void })";

TEST(KernelBody, IndicesBecomeParametersThatDoNotWrap) {
  const Lowered kernel(indexed_kernel);
  EXPECT_THAT(kernel.text(), HasSubstr("%m = mul nuw nsw i32 %block.x, %size.x"));
  EXPECT_THAT(kernel.text(), HasSubstr("%i = add nuw nsw i32 %thread.x, %m"));
  EXPECT_TRUE(kernel.plan.kernels.front().small_index);
}

TEST(SharedMemory, DynamicLiesBehindStatic) {
  const Lowered kernel(indexed_kernel);
  EXPECT_THAT(kernel.text(), HasSubstr("ptr %shared, i64 0"));
  EXPECT_THAT(kernel.text(), HasSubstr("ptr %shared, i64 48"));
  EXPECT_THAT(kernel.text(), HasSubstr("ptr %shared, i64 128"));
  EXPECT_EQ(kernel.plan.kernels.front().static_shared, 128u);
  EXPECT_TRUE(kernel.plan.kernels.front().dynamic_shared);
}

TEST(SharedMemory, WhatTheCompilerAddsIsNotTheProgramsOwn) {
  const Lowered kernel(R"(
    @__treadle_exchange = internal addrspace(3) global [64 x i8] undef
    @a = internal addrspace(3) global [10 x float] undef
    @d = external addrspace(3) global [0 x float]
    define spir_kernel void @k(i8 %v) {
    store i8 %v, ptr addrspace(3) @__treadle_exchange
    store i8 %v, ptr addrspace(3) @a
    store i8 %v, ptr addrspace(3) @d
    ret void })");
  const KernelPlan& plan = kernel.plan.kernels.front();
  EXPECT_EQ(plan.static_shared, 40u);
  EXPECT_EQ(plan.static_shared + plan.exchange_shared, 128u);
  EXPECT_THAT(kernel.text(), HasSubstr("ptr %shared, i64 0"));
  EXPECT_THAT(kernel.text(), HasSubstr("ptr %shared, i64 48"));
  EXPECT_THAT(kernel.text(), HasSubstr("ptr %shared, i64 128"));
}

TEST(SharedAtomics, OnlyThoseOnSharedMemoryBecomePlain) {
  const Lowered kernel(R"(
    @a = internal addrspace(3) global i32 undef
    define spir_kernel void @k(ptr addrspace(1) %p) {
      %x = atomicrmw add ptr addrspace(3) @a, i32 1 seq_cst
      %y = atomicrmw add ptr addrspace(1) %p, i32 %x seq_cst
      ret void })");
  mark_shared_atomics(kernel.body);
  make_shared_atomics_plain(*kernel.body.function);
  EXPECT_THAT(kernel.text(), Not(HasSubstr("atomicrmw add ptr addrspace(3)")));
  EXPECT_THAT(kernel.text(), HasSubstr("atomicrmw add ptr addrspace(1)"));
}

/// A value from memory and an index cross a barrier that comes after a branch on `condition`.
std::string crossing_kernel(const std::string& condition) {
  return R"(define spir_kernel void @k(ptr addrspace(1) %p, i32 %n) {
    %t = call spir_func i32 @__treadle_thread_index(i32 0)
    %i = add i32 %t, %n
    %u = udiv i32 %n, 7
    %v = load i32, ptr addrspace(1) %p
    %c = icmp ult i32 )" +
         condition + R"(, 5
    br i1 %c, label %meet, label %leave
  meet:
    call spir_func void @__treadle_barrier(i32 1)
    %s = add i32 %v, %i
    %r = add i32 %s, %u
    store i32 %r, ptr addrspace(1) %p
    ret void
  leave:
    ret void })";
}

TEST(Uniformity, WhatDependsOnTheThreadOrOnMemoryVaries) {
  const Lowered kernel(crossing_kernel("%t"));
  const Uniformity uniformity(kernel.body);
  std::vector<std::string> varying;
  for (const llvm::Instruction& instruction : kernel.body.function->getEntryBlock())
    if (uniformity.varies(&instruction)) varying.push_back(instruction.getName().str());
  EXPECT_THAT(varying, ElementsAre("i", "v", "c"));
  EXPECT_TRUE(uniformity.parts_threads(&kernel.body.function->getEntryBlock()));
}

TEST(Regions, ABranchOnTheThreadLeavesDifferently) {
  const Lowered kernel(crossing_kernel("%t"));
  const RegionGraph graph(kernel.body, "k");
  ASSERT_EQ(graph.regions().size(), 2u);
  const RegionExits exits = find_exits(graph, Uniformity(kernel.body), 0);
  EXPECT_THAT(exits.successors, ElementsAre(1, 255));
  EXPECT_FALSE(exits.uniform);
  EXPECT_FALSE(exits.scatters());
  EXPECT_EQ(find_exits(graph, Uniformity(kernel.body), 1).only_successor(), 255);
}

TEST(Regions, ABranchOnAParameterLeavesAlike) {
  const Lowered kernel(crossing_kernel("%n"));
  const RegionGraph graph(kernel.body, "k");
  const RegionExits exits = find_exits(graph, Uniformity(kernel.body), 0);
  EXPECT_TRUE(exits.uniform);
  EXPECT_EQ(exits.only_successor(), -1);
}

TEST(Regions, ThreadsThatMeetABarrierInAnotherTurnScatter) {
  const Lowered kernel(R"(define spir_kernel void @k(ptr addrspace(1) %p, i32 %n) {
    %t = call spir_func i32 @__treadle_thread_index(i32 0)
    br label %turn
  turn:
    %i = phi i32 [ 0, %0 ], [ %j, %next ]
    %c = icmp ult i32 %t, 5
    br i1 %c, label %meet, label %next
  meet:
    call spir_func void @__treadle_barrier(i32 0)
    br label %next
  next:
    %j = add i32 %i, 1
    %more = icmp ult i32 %j, %n
    br i1 %more, label %turn, label %end
  end:
    ret void })");
  const RegionGraph graph(kernel.body, "k");
  const RegionExits exits = find_exits(graph, Uniformity(kernel.body), 0);
  EXPECT_THAT(exits.successors, ElementsAre(1, 255));
  EXPECT_TRUE(exits.scatters()) << "one barrier, but some threads have passed it by before";
}

/// A loop that threads leave one by one, between two barriers; behind it a value all have.
std::string loop_between_barriers(const std::string& kind, const std::string& behind) {
  return R"(define spir_kernel void @k(ptr addrspace(1) %p, i32 %n) {
    %t = call spir_func i32 @__treadle_thread_index(i32 0)
    %c = icmp ult i32 %t, 5
    br label %loop
  loop:
    %i = phi i32 [ %t, %0 ], [ %j, %loop ]
    call spir_func void @__treadle_barrier(i32 )" +
         kind + R"()
    %j = add i32 %i, 3
    %d = icmp ult i32 %j, %n
    br i1 %d, label %loop, label %end
  end:
    )" + behind +
         R"(
    call spir_func void @__treadle_barrier(i32 1)
    %u = udiv i32 %n, 7
    call spir_func void @__treadle_barrier(i32 1)
    store i32 %u, ptr addrspace(1) %p
    ret void })";
}

/// The regions of a kernel that threads run apart, and those of its values that all threads share.
std::pair<std::vector<int>, std::vector<std::string>> apart_and_shared(const std::string& text) {
  const Lowered kernel(text);
  const RegionGraph graph(kernel.body, "k");
  const Uniformity uniformity(kernel.body);
  std::vector<RegionExits> exits;
  for (unsigned i = 0; i < graph.regions().size(); ++i)
    exits.push_back(find_exits(graph, uniformity, i));
  const llvm::BitVector apart = regions_run_apart(graph, exits);
  const LiveValues live(kernel.body, graph, uniformity, apart);
  std::pair<std::vector<int>, std::vector<std::string>> result;
  for (unsigned region : apart.set_bits()) result.first.push_back(static_cast<int>(region));
  for (const Slot& slot : live.slots())
    if (slot.uniform) result.second.push_back(slot.value->getName().str());
  return result;
}

TEST(Regions, ThreadsThatPartMeetAtTheNextBarrierOfTheBlock) {
  const auto [apart, shared] = apart_and_shared(loop_between_barriers("0", ""));
  EXPECT_THAT(apart, ElementsAre(1)) << "the steps";
  EXPECT_THAT(shared, ElementsAre("u"));
}

TEST(Regions, ThreadsThatMayStandAtDifferentBarriersStayApart) {
  const auto [apart, shared] = apart_and_shared(loop_between_barriers("1", ""));
  EXPECT_THAT(apart, ElementsAre(0, 1, 2, 3)) << "some in the loop, some behind it";
  EXPECT_TRUE(shared.empty());
  const auto [branch, none] = apart_and_shared(
      loop_between_barriers("0",
                            "br i1 %c, label %some, label %all\nsome:\n"
                            "call spir_func void @__treadle_barrier(i32 1)\nbr label %all\nall:"));
  EXPECT_EQ(branch.size(), 5u);
  EXPECT_TRUE(none.empty());
}

TEST(LiveValues, IndicesAreRecomputedOtherValuesGetSlots) {
  const Lowered kernel(crossing_kernel("%n"));
  const RegionGraph graph(kernel.body, "k");
  const LiveValues live(kernel.body, graph, Uniformity(kernel.body), llvm::BitVector(2));
  std::vector<std::string> slots;
  for (const Slot& slot : live.slots())
    slots.push_back(slot.value->getName().str() + (slot.uniform ? " uniform" : " varying"));
  EXPECT_THAT(slots, ElementsAre("u uniform", "v varying"));
  EXPECT_EQ(live.varying_size(), 4u);
  EXPECT_EQ(live.needed_by(1).size(), 3u);
}

/// `shared[<pitch> * y + <stride> * x] = ..; barrier; q[x] = shared[0] * .. + ..`
std::string tile_kernel(const std::string& pitch, const std::string& stride) {
  return R"(@s = internal addrspace(3) global [4096 x float] undef
  define spir_kernel void @k(ptr addrspace(1) %q, float %f) {
    %x = call spir_func i32 @__treadle_thread_index(i32 0)
    %y = call spir_func i32 @__treadle_thread_index(i32 1)
    %row = mul i32 %y, )" +
         pitch + R"(
    %column = mul i32 %x, )" +
         stride + R"(
    %i = add i32 %row, %column
    %a = getelementptr float, ptr addrspace(3) @s, i32 %i
    store float %f, ptr addrspace(3) %a
    call spir_func void @__treadle_barrier(i32 1)
    %v = load float, ptr addrspace(3) @s
    %m = fmul contract float %v, %f
    %w = fsub contract float %f, %m
    %b = getelementptr float, ptr addrspace(1) %q, i32 %x
    store float %w, ptr addrspace(1) %b
    ret void })";
}

unsigned width_told_by(const std::string& pitch, const std::string& stride) {
  Lowered kernel(tile_kernel(pitch, stride));
  return likely_row_width(kernel.body);
}

TEST(RowWidth, IsToldByTilesInSharedMemory) {
  EXPECT_EQ(width_told_by("16", "1"), 16u);
  EXPECT_EQ(width_told_by("33", "1"), 32u) << "one column of padding";
  EXPECT_EQ(width_told_by("18", "1"), 16u) << "a halo";
}

TEST(RowWidth, IsNotToldByOtherMemory) {
  EXPECT_EQ(width_told_by("0", "1"), 0u) << "all rows the same";
  EXPECT_EQ(width_told_by("1", "32"), 0u) << "turned: x moves down";
  EXPECT_EQ(width_told_by("24", "1"), 0u) << "no power of two is near";
  EXPECT_EQ(width_told_by("512", "1"), 0u) << "wider than rows are";
}

TEST(RowWidth, AKernelThatTellsIsMadeForItAndForAny) {
  Lowered kernel(tile_kernel("16", "1"));
  make_region_functions(kernel.kernel(), kernel.body, kernel.runner, *kernel.machine);
  EXPECT_EQ(kernel.module.function_count("rows."), 2u);
  EXPECT_EQ(kernel.module.function_count("any."), 2u);
  const std::string text = kernel.module.text();
  EXPECT_THAT(text, ContainsRegex("icmp ult i32 %[0-9]+, 16\n")) << "the loop over x";
  EXPECT_THAT(text, HasSubstr("vectorize.followup_vectorized")) << "unrolled then, not before";
  Lowered plain(tile_kernel("0", "1"));
  make_region_functions(plain.kernel(), plain.body, plain.runner, *plain.machine);
  EXPECT_EQ(plain.module.function_count("rows."), 0u);
}

TEST(RowWidth, ProductsAreFusedBeforeRowsCanShareThem) {
  Lowered kernel(tile_kernel("16", "1"));
  make_region_functions(kernel.kernel(), kernel.body, kernel.runner, *kernel.machine);
  const std::string text = kernel.module.text();
  EXPECT_THAT(text, HasSubstr("call contract float @llvm.fmuladd.f32"));
  EXPECT_EQ(text.find("fmul"), text.find("fmuladd")) << "no product of its own is left";
}

TEST(FuseMultiplyAdds, OnlyWhatMayBeFusedAndIsUsedOnce) {
  const auto fused = [](const std::string& code) {
    IrModule module("define float @f(float %a, float %b, float %c) {" + code + "}");
    fuse_multiply_adds(module.function("f"));
    return module.text();
  };
  EXPECT_THAT(fused("%m = fmul contract float %a, %b\n %s = fsub contract float %m, %c\n"
                    "ret float %s"),
              HasSubstr("@llvm.fmuladd.f32(float %a, float %b, float %1)"))
      << "minus %c";
  EXPECT_EQ(fused("%m = fmul float %a, %b\n %s = fadd contract float %m, %c\n ret float %s")
                .find("fmuladd"),
            std::string::npos)
      << "__fmul_rn";
  EXPECT_EQ(fused("%m = fmul contract float %a, %b\n %s = fadd contract float %m, %m\n"
                  "ret float %s")
                .find("fmuladd"),
            std::string::npos);
}

}  // namespace
}  // namespace treadle::cuda_cpu
