// SPDX-License-Identifier: MIT
// Kernels as IR text that the tests of several passes begin with.
#pragma once

#include <string>

namespace treadle::cuda_cpu {

inline constexpr const char* indexed_kernel = R"(
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

/// A value from memory and an index cross a barrier that comes after a branch on `condition`.
inline std::string crossing_kernel(const std::string& condition) {
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

/// A barrier inside an `if (<condition> < 5)`, one behind it.
inline std::string two_barriers(const std::string& condition) {
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

/// `barriers` in a row, and a store behind each.
inline std::string barriers_in_a_row(unsigned barriers) {
  std::string text = R"(define spir_kernel void @k(ptr addrspace(1) %p) {
    %t = call spir_func i32 @__treadle_thread_index(i32 0)
    %q = getelementptr i32, ptr addrspace(1) %p, i32 %t)";
  for (unsigned i = 0; i < barriers; ++i) {
    text += "\n    call spir_func void @__treadle_barrier(i32 1)";
    text += "\n    store i32 " + std::to_string(i) + ", ptr addrspace(1) %q";
  }
  return text + "\n    ret void }";
}

/// `for (i = <from>; i < n; i += d) sum += <load>; q[thread] = sum; barrier;`
inline std::string strided_sum(const std::string& load, const std::string& from = "add i32 %t, 0") {
  return R"(define spir_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n, i32 %d) {
    %t = call spir_func i32 @__treadle_thread_index(i32 0)
    %from = )" +
         from +
         R"(
    %any = icmp slt i32 %from, %n
    br i1 %any, label %loop, label %end
  loop:
    %i = phi i32 [ %from, %0 ], [ %j, %loop ]
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

/// `sum += p[x + m]` between barriers, n times.
inline constexpr const char* walking_kernel = R"(
  define spir_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) {
    %x = call spir_func i32 @__treadle_thread_index(i32 0)
    br label %loop
   loop:
    %m = phi i32 [ 0, %0 ], [ %m.next, %loop ]
    %sum = phi float [ 0.0, %0 ], [ %next, %loop ]
    %i = add i32 %x, %m
    %a = getelementptr float, ptr addrspace(1) %p, i32 %i
    %v = load float, ptr addrspace(1) %a
    call spir_func void @__treadle_barrier(i32 1)
    %next = fadd float %sum, %v
    call spir_func void @__treadle_barrier(i32 1)
    %m.next = add i32 %m, 1
    %more = icmp slt i32 %m.next, %n
    br i1 %more, label %loop, label %end
   end:
    %b = getelementptr float, ptr addrspace(1) %q, i32 %x
    store float %next, ptr addrspace(1) %b
    ret void })";

}  // namespace treadle::cuda_cpu
