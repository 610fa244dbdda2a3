// SPDX-License-Identifier: MIT
#include "cuda_cpu/compiler/passes/lowering/texture_objects.hpp"

#include <gmock/gmock.h>

#include "cuda_cpu/compiler/ir_module.hpp"

namespace treadle::cuda_cpu {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

TEST(TextureObjects, WhatDescribesATextureDoesNotChange) {
  IrModule module(R"(
    declare ptr @__treadle_texture_at(i64)
    define i64 @f(i64 %object, ptr %other) {
      %t = call ptr @__treadle_texture_at(i64 %object)
      %field = getelementptr i8, ptr %t, i64 24
      %a = load i64, ptr %field
      %b = load i64, ptr %other
      %sum = add i64 %a, %b
      ret i64 %sum
    })");
  lower_texture_objects(*module);
  EXPECT_THAT(module.text(), HasSubstr("%1 = inttoptr i64 %object to ptr"));
  EXPECT_THAT(module.text(), ContainsRegex("%a = load i64, ptr %field.*!invariant.load"));
  EXPECT_THAT(module.text(), Not(ContainsRegex("%b = load.*!invariant.load")));
  EXPECT_THAT(module.text(), Not(HasSubstr("call")));
}

}  // namespace
}  // namespace treadle::cuda_cpu
