// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "cuda_cpu/compiler/lowered.hpp"
#include "cuda_cpu/compiler/passes/speed/simplify_body.hpp"

namespace treadle::cuda_cpu {
namespace {

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

}  // namespace
}  // namespace treadle::cuda_cpu
