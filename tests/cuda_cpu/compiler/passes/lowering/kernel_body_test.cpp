// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "cuda_cpu/compiler/lowered.hpp"
#include "cuda_cpu/compiler/passes/kernel_texts.hpp"

namespace treadle::cuda_cpu {
namespace {

using testing::HasSubstr;

TEST(KernelBody, IndicesBecomeParametersThatDoNotWrap) {
  const Lowered kernel(indexed_kernel);
  EXPECT_THAT(kernel.text(), HasSubstr("%m = mul nuw nsw i32 %block.x, %size.x"));
  EXPECT_THAT(kernel.text(), HasSubstr("%i = add nuw nsw i32 %thread.x, %m"));
  EXPECT_TRUE(kernel.plan.kernels.front().small_index);
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

}  // namespace
}  // namespace treadle::cuda_cpu
