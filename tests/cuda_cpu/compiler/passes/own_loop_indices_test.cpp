// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "cuda_cpu/compiler/passes/own_loop_indices.hpp"
#include "cuda_cpu/compiler/passes/run_pass.hpp"

namespace treadle::cuda_cpu {
namespace {

using testing::HasSubstr;
using testing::Not;

struct InLoops : llvm::PassInfoMixin<InLoops> {
  static llvm::PreservedAnalyses run(llvm::Function& function,
                                     llvm::FunctionAnalysisManager& analyses) {
    return llvm::createFunctionToLoopPassAdaptor(OwnLoopIndices()).run(function, analyses);
  }
};

/// `for (int i = 0; i < 100; ++i) p[i] = 0`, whose loop has the property `mark`.
std::string counting_loop(const std::string& mark) {
  return "define void @f(ptr %p) {\n br label %loop\nloop:\n"
         "%i = phi i32 [ 0, %0 ], [ %j, %loop ]\n %w = sext i32 %i to i64\n"
         "%a = getelementptr float, ptr %p, i64 %w\n store float 0.0, ptr %a\n"
         "%j = add nsw i32 %i, 1\n %c = icmp slt i32 %j, 100\n"
         "br i1 %c, label %loop, label %end, !llvm.loop !0\nend:\n ret void }\n"
         "!0 = distinct !{!0, !1}\n !1 = !{!\"" +
         mark + "\"}\n";
}

TEST(OwnLoopIndices, CountersOfAKernelsLoopsAreSimplified) {
  EXPECT_THAT(after<InLoops>(counting_loop("some.other")), HasSubstr("icmp ult"));
}

TEST(OwnLoopIndices, CountersOfThreadsStayAsTheyAre) {
  EXPECT_THAT(after<InLoops>(counting_loop("treadle.loop.threads")), Not(HasSubstr("icmp ult")));
}

}  // namespace
}  // namespace treadle::cuda_cpu
