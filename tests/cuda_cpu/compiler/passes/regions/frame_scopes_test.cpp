// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "cuda_cpu/compiler/ir_module.hpp"
#include "cuda_cpu/compiler/passes/regions/frame_scopes.hpp"

namespace treadle::cuda_cpu {
namespace {

TEST(FrameScopes, FramesAreApartFromEverythingElse) {
  IrModule module(R"(define void @f(ptr %frame, ptr %state, ptr noalias %p, float %v) {
    store i32 1, ptr %frame
    %s = getelementptr i8, ptr %state, i64 4
    store i8 2, ptr %s
    store float %v, ptr %p, !noalias !0
    ret void }
    !0 = !{!1}
    !1 = distinct !{!1, !2, !"the user's scope"}
    !2 = distinct !{!2, !"the user's domain"})");
  llvm::Function& function = module.function("f");
  separate_frames(function, {function.getArg(0), function.getArg(1)});
  std::vector<unsigned> own, foreign;
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    if (!llvm::isa<llvm::StoreInst>(instruction)) continue;
    const auto scopes = [&](unsigned kind) {
      const llvm::MDNode* node = instruction.getMetadata(kind);
      return node ? node->getNumOperands() : 0;
    };
    own.push_back(scopes(llvm::LLVMContext::MD_alias_scope));
    foreign.push_back(scopes(llvm::LLVMContext::MD_noalias));
  }
  EXPECT_THAT(own, testing::ElementsAre(1, 1, 0));
  EXPECT_THAT(foreign, testing::ElementsAre(1, 1, 3)) << "the third keeps what it had";
}

}  // namespace
}  // namespace treadle::cuda_cpu
