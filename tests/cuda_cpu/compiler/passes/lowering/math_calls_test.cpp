// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "cuda_cpu/compiler/ir_module.hpp"
#include "cuda_cpu/compiler/passes/lowering/math_calls.hpp"

namespace treadle::cuda_cpu {
namespace {

TEST(MathCalls, MathIsPureWhateverItsDeclarationSays) {
  IrModule module("declare float @sinf(float)\ndeclare float @other(float)");
  prepare_math_calls(*module);
  EXPECT_TRUE(module.function("sinf").doesNotAccessMemory());
  EXPECT_FALSE(module.function("other").doesNotAccessMemory());
  EXPECT_TRUE(is_library_function(module.function("sinf")));
  EXPECT_FALSE(is_library_function(module.function("other")));
}

}  // namespace
}  // namespace treadle::cuda_cpu
