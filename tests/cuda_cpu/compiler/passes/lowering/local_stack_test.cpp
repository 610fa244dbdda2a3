// SPDX-License-Identifier: MIT
#include "cuda_cpu/compiler/passes/lowering/local_stack.hpp"

#include <gmock/gmock.h>
#include <llvm/Target/TargetMachine.h>

#include "cuda_cpu/compiler/codegen.hpp"
#include "cuda_cpu/compiler/ir_module.hpp"

namespace treadle::cuda_cpu {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(LocalStack, FunctionsWithLocalVariablesHaveOne) {
  IrModule module(R"(
    define void @with(i64 %i) { %a = alloca [4 x i32]
      %p = getelementptr i32, ptr %a, i64 %i
      store i32 7, ptr %p
      ret void }
    define void @without() { ret void })");
  use_local_stack(*module, *create_host_machine(3));
  EXPECT_TRUE(module.function("with").hasFnAttribute(llvm::Attribute::SafeStack));
  EXPECT_FALSE(module.function("without").hasFnAttribute(llvm::Attribute::SafeStack));
  EXPECT_TRUE(module.function("without").hasFnAttribute("probe-stack"));
  EXPECT_THAT(module.text(), HasSubstr("define internal ptr @__safestack_pointer_address()"));
}

TEST(LocalStack, AModuleWithoutLocalVariablesAsksForNone) {
  IrModule module("define void @f() { ret void }");
  use_local_stack(*module, *create_host_machine(3));
  EXPECT_THAT(module.text(), Not(HasSubstr("safestack")));
}

}  // namespace
}  // namespace treadle::cuda_cpu
