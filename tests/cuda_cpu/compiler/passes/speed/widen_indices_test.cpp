// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "cuda_cpu/compiler/lowered.hpp"
#include "cuda_cpu/compiler/passes/speed/widen_indices.hpp"

namespace treadle::cuda_cpu {
namespace {

using testing::HasSubstr;
using testing::Not;

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

}  // namespace
}  // namespace treadle::cuda_cpu
