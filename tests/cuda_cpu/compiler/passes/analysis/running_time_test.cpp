// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "cuda_cpu/compiler/lowered.hpp"
#include "cuda_cpu/compiler/passes/analysis/running_time.hpp"

namespace treadle::cuda_cpu {
namespace {

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

/// `for (i = 0; i + 8 <= <whole>; i += 8) p[i] = i;`, then `for (; i < n; ++i) p[i] = i;`
std::string rest_behind_steps_of_eight(const std::string& whole) {
  return R"(define spir_kernel void @k(ptr %p, i64 %n) {
    %m = load i64, ptr %p
    br label %eight
   eight:
    %i = phi i64 [0, %0], [%end, %body]
    %end = add nsw i64 %i, 8
    %fits = icmp sle i64 %end, )" +
         whole + R"(
    br i1 %fits, label %body, label %rest
   body:
    %a = getelementptr i64, ptr %p, i64 %i
    store i64 %i, ptr %a
    br label %eight
   rest:
    %j = phi i64 [%i, %eight], [%next, %one]
    %more = icmp slt i64 %j, %n
    br i1 %more, label %one, label %over
   one:
    %b = getelementptr i64, ptr %p, i64 %j
    store i64 %j, ptr %b
    %next = add nsw i64 %j, 1
    br label %rest
   over:
    ret void })";
}

TEST(RunningTime, IsToldByTheCounterOfALoopThatArgumentsEnd) {
  EXPECT_EQ(time_of(rest_behind_steps_of_eight("%n")), RunningTime::by_arguments);
  EXPECT_EQ(time_of(rest_behind_steps_of_eight("%m")), RunningTime::any) << "a number in memory";
}

/// `if (atomicAdd(p, 1) <is> <last>) for (k = 0; k < n; ++k) p[k] = k;`
std::string work_of_the_last_block(const std::string& is, const std::string& last) {
  return R"(define spir_kernel void @k(ptr %p, i32 %n) {
    %m = load i32, ptr %p
    %ticket = atomicrmw add ptr %p, i32 1 seq_cst
    %is_last = icmp )" +
         is + " i32 %ticket, " + last + R"(
    br i1 %is_last, label %loop, label %end
   loop:
    %k = phi i32 [0, %0], [%next, %loop]
    store volatile i32 %k, ptr %p
    %next = add i32 %k, 1
    %more = icmp ult i32 %next, %n
    br i1 %more, label %loop, label %end
   end:
    ret void })";
}

TEST(RunningTime, IsToldWhereBlocksCountThemselvesAndOneDoesTheRest) {
  EXPECT_EQ(time_of(work_of_the_last_block("eq", "%n")), RunningTime::by_arguments);
  EXPECT_EQ(time_of(work_of_the_last_block("eq", "%m")), RunningTime::any) << "a number in memory";
  EXPECT_EQ(time_of(work_of_the_last_block("ult", "%n")), RunningTime::any) << "any number of them";
  EXPECT_EQ(time_of(R"(define spir_kernel void @k(ptr %p, i32 %n) {
    br label %loop
   loop:
    %ticket = atomicrmw add ptr %p, i32 1 seq_cst
    %is_last = icmp eq i32 %ticket, %n
    br i1 %is_last, label %end, label %loop
   end:
    ret void })"),
            RunningTime::any)
      << "waits for others";
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

}  // namespace
}  // namespace treadle::cuda_cpu
