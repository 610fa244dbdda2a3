// SPDX-License-Identifier: MIT
#include "cuda_cpu/compiler/passes/regions/lockstep.hpp"

#include <gmock/gmock.h>

#include "cuda_cpu/compiler/lowered.hpp"
#include "cuda_cpu/compiler/passes/regions/barrier_regions.hpp"
#include "cuda_cpu/compiler/passes/regions/implied_barriers.hpp"

namespace treadle::cuda_cpu {
namespace {

constexpr const char* converge = "@__treadle_barrier(i32 5)";

/// A kernel over `int s[256]`; %t is threadIdx.x.
std::string kernel_over_s(const std::string& code) {
  return R"(@s = internal addrspace(3) global [256 x i32] undef
    define spir_kernel void @k(ptr addrspace(1) %p, i32 %n) {
    %t = call spir_func i32 @__treadle_thread_index(i32 0)
    %i = zext i32 %t to i64
    %own = getelementptr [256 x i32], ptr addrspace(3) @s, i64 0, i64 %i
    )" + code +
         " }";
}

std::string in_lockstep(const std::string& code, ThreadOrder order = ThreadOrder::ascending) {
  Lowered kernel(kernel_over_s(code));
  keep_lockstep(kernel.body, kernel.runner, order);
  // Volatile stores need regions by themselves: other threads may wait for them in loops.
  EXPECT_EQ(needs_regions(kernel.body),
            count(kernel.text(), "@__treadle_barrier") != 0 || hands_over_in_loops(kernel.body));
  return kernel.text();
}

TEST(Lockstep, LanesMeetBetweenAWriteAndAReadByAnother) {
  const std::string text = in_lockstep(R"(store i32 1, ptr addrspace(3) %own
    %next = getelementptr i32, ptr addrspace(3) %own, i64 1
    %v = load i32, ptr addrspace(3) %next
    store i32 %v, ptr addrspace(1) %p
    ret void)");
  ASSERT_EQ(count(text, converge), 1u);
  EXPECT_LT(text.find("store i32 1"), text.find(converge));
  EXPECT_LT(text.find(converge), text.find("load i32"));
}

TEST(Lockstep, NobodyMeetsForTheOwnElement) {
  EXPECT_EQ(count(in_lockstep(R"(store i32 1, ptr addrspace(3) %own
    %v = load i32, ptr addrspace(3) %own
    store i32 %v, ptr addrspace(1) %p
    ret void)"),
                  converge),
            0u);
}

TEST(Lockstep, NobodyMeetsWhereABarrierStands) {
  EXPECT_EQ(count(in_lockstep(R"(store i32 1, ptr addrspace(3) %own
    call spir_func void @__treadle_barrier(i32 1)
    %v = load i32, ptr addrspace(3) @s
    store i32 %v, ptr addrspace(3) %own
    ret void)"),
                  converge),
            0u);
}

TEST(Lockstep, TheyMeetInFrontOfTheLoopThatOnlyReads) {
  const std::string text = in_lockstep(R"(%low = icmp ult i32 %t, 16
    br i1 %low, label %writes, label %joined
  writes:
    store i32 1, ptr addrspace(3) %own
    br label %joined
  joined:
    %first = icmp eq i32 %t, 0
    br i1 %first, label %loop, label %end
  loop:
    %j = phi i64 [ 0, %joined ], [ %k, %loop ]
    %q = getelementptr [256 x i32], ptr addrspace(3) @s, i64 0, i64 %j
    %v = load i32, ptr addrspace(3) %q
    store i32 %v, ptr addrspace(1) %p
    %k = add i64 %j, 1
    %more = icmp ult i64 %k, 16
    br i1 %more, label %loop, label %end
  end:
    ret void)");
  ASSERT_EQ(count(text, converge), 1u);
  EXPECT_LT(text.find("joined:"), text.find(converge));
  EXPECT_LT(text.find(converge), text.find("%first = icmp"));
}

/// `s[t] += s[t + d]` twice: lane t + d writes after lane t has read, if threads run in order.
TEST(Lockstep, TheOrderOfThreadsKeepsAReadInFrontOfAWrite) {
  const char* const steps = R"(
    %far = getelementptr i32, ptr addrspace(3) %own, i64 16
    %a = load i32, ptr addrspace(3) %far
    store i32 %a, ptr addrspace(3) %own
    %near = getelementptr i32, ptr addrspace(3) %own, i64 8
    %b = load i32, ptr addrspace(3) %near
    store i32 %b, ptr addrspace(3) %own
    ret void)";
  EXPECT_EQ(count(in_lockstep(steps), converge), 1u);
  EXPECT_EQ(count(in_lockstep(steps, ThreadOrder::any), converge), 3u);
}

TEST(Lockstep, LanesThatSkipAMeetingWaitWhereTheWaysMeetAgain) {
  const std::string text = in_lockstep(R"(store i32 1, ptr addrspace(3) %own
    %some = icmp ugt i32 %t, 3
    br i1 %some, label %step, label %joined
  step:
    %before = getelementptr i32, ptr addrspace(3) %own, i64 -4
    %v = load i32, ptr addrspace(3) %before
    store i32 %v, ptr addrspace(3) %own
    br label %joined
  joined:
    %w = load i32, ptr addrspace(3) @s
    store i32 %w, ptr addrspace(1) %p
    ret void)");
  // Behind the first write, between the read and the write of the step, and behind both branches.
  EXPECT_EQ(count(text, converge), 3u);
  EXPECT_GT(text.rfind(converge), text.find("joined:"));
}

TEST(Lockstep, LanesOutsideABranchWaitForItsVolatileStores) {
  const std::string text = in_lockstep(R"(%last = icmp eq i32 %t, 31
    br i1 %last, label %writes, label %joined
  writes:
    store volatile i32 5, ptr addrspace(3) @s
    br label %joined
  joined:
    %v = load volatile i32, ptr addrspace(3) @s
    store i32 %v, ptr addrspace(1) %p
    ret void)");
  ASSERT_EQ(count(text, converge), 1u);
  EXPECT_LT(text.find("joined:"), text.find(converge));
  EXPECT_LT(text.find(converge), text.find("load volatile"));
}

/// Who counts on lockstep loses updates; who does not gets them all.
TEST(Lockstep, WithVolatileAllReadBeforeOneWritesBack) {
  for (const auto& [access, barriers] : {std::pair("volatile ", 1u), std::pair("", 0u)})
    EXPECT_EQ(count(in_lockstep(std::string("%v = load ") + access + R"(i32, ptr addrspace(3) @s
      %w = add i32 %v, 1
      store )" + access + R"(i32 %w, ptr addrspace(3) @s
      ret void)"),
                    converge),
              barriers)
        << access;
}

TEST(Lockstep, VolatileAccessesOfTheOwnElementNeedNoMeeting) {
  EXPECT_EQ(count(in_lockstep(R"(store volatile i32 1, ptr addrspace(3) %own
    %v = load volatile i32, ptr addrspace(3) %own
    %w = add i32 %v, 1
    store volatile i32 %w, ptr addrspace(3) %own
    ret void)"),
                  converge),
            0u);
}

/// `sum += x; if (t == 0) x = ...;` in a loop: between the read and the write, and around the loop.
TEST(Lockstep, NoLaneOvertakesTheReadsOfTheOthers) {
  EXPECT_EQ(count(in_lockstep(R"(br label %loop
  loop:
    %j = phi i32 [ 0, %0 ], [ %k, %latch ]
    %v = load i32, ptr addrspace(3) @s
    store i32 %v, ptr addrspace(1) %p
    %first = icmp eq i32 %t, 0
    br i1 %first, label %writes, label %latch
  writes:
    store i32 %j, ptr addrspace(3) @s
    br label %latch
  latch:
    %k = add i32 %j, 1
    %more = icmp ult i32 %k, 4
    br i1 %more, label %loop, label %end
  end:
    ret void)"),
                  converge),
            2u);
}

/// A call through a pointer, which may lead to `callee`.
std::string calling(const std::string& callee, const char* argument) {
  return in_lockstep(std::string(R"(%f = load ptr, ptr addrspace(1) %p
    call spir_func void %f(ptr addrspace(3) )") +
                     argument + R"()
    %w = load i32, ptr addrspace(3) @s
    store i32 %w, ptr addrspace(1) %p
    ret void }
  @table = addrspace(1) global ptr @callee
  define spir_func void @callee(ptr addrspace(3) %q) {
    )" + callee + " ret void");
}

TEST(Lockstep, LanesMeetBehindACallThatMayWrite) {
  const char* const writes = "store i32 1, ptr addrspace(3) %q";
  EXPECT_EQ(count(calling(writes, "%own"), converge), 1u);
  EXPECT_EQ(count(calling(writes, "null"), converge), 0u);
  EXPECT_EQ(count(calling("%x = load volatile i32, ptr addrspace(3) %q", "%own"), converge), 0u);
}

/// Addresses that lanes cannot share, each for one reason.
TEST(Lockstep, NobodyMeetsForAddressesThatAreApart) {
  for (const char* const code : {// Even and odd elements.
                                 R"(%a = shl i64 %i, 1
        %b = or disjoint i64 %a, 1
        %q = getelementptr [256 x i32], ptr addrspace(3) @s, i64 0, i64 %a
        %r = getelementptr [256 x i32], ptr addrspace(3) @s, i64 0, i64 %b)",
                                 // Rows as long as a warp, in each its own element.
                                 R"(%a = mul i32 %n, 64
        %b = add i32 %a, %t
        %q = getelementptr [256 x i32], ptr addrspace(3) @s, i64 0, i64 %i
        %r = getelementptr [256 x i32], ptr addrspace(3) @s, i64 0, i32 %b)",
                                 // One of two buffers, and the other.
                                 R"(%a = and i32 %n, 1
        %b = xor i32 %a, 1
        %q = getelementptr [2 x [128 x i32]], ptr addrspace(3) @s, i64 0, i32 %a, i32 %t
        %r = getelementptr [2 x [128 x i32]], ptr addrspace(3) @s, i64 0, i32 %b, i32 %n)"})
    EXPECT_EQ(count(in_lockstep(std::string(code) + R"(
        store i32 1, ptr addrspace(3) %q
        %v = load i32, ptr addrspace(3) %r
        store i32 %v, ptr addrspace(1) %p
        ret void)"),
                    converge),
              0u)
        << code;
}

}  // namespace
}  // namespace treadle::cuda_cpu
