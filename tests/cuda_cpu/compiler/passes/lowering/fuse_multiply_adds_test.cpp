// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "cuda_cpu/compiler/ir_module.hpp"
#include "cuda_cpu/compiler/passes/lowering/fuse_multiply_adds.hpp"

namespace treadle::cuda_cpu {
namespace {

using testing::HasSubstr;

TEST(FuseMultiplyAdds, OnlyWhatMayBeFusedAndIsUsedOnce) {
  const auto fused = [](const std::string& code) {
    IrModule module("define float @f(float %a, float %b, float %c) {" + code + "}");
    fuse_multiply_adds(module.function("f"));
    return module.text();
  };
  EXPECT_THAT(fused("%m = fmul contract float %a, %b\n %s = fsub contract float %m, %c\n"
                    "ret float %s"),
              HasSubstr("@llvm.fmuladd.f32(float %a, float %b, float %1)"))
      << "minus %c";
  EXPECT_EQ(fused("%m = fmul float %a, %b\n %s = fadd contract float %m, %c\n ret float %s")
                .find("fmuladd"),
            std::string::npos)
      << "__fmul_rn";
  EXPECT_EQ(fused("%m = fmul contract float %a, %b\n %s = fadd contract float %m, %m\n"
                  "ret float %s")
                .find("fmuladd"),
            std::string::npos);
}

}  // namespace
}  // namespace treadle::cuda_cpu
