// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "cuda_cpu/compiler/lowered.hpp"
#include "cuda_cpu/compiler/passes/speed/block_rows.hpp"

namespace treadle::cuda_cpu {
namespace {

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

}  // namespace
}  // namespace treadle::cuda_cpu
