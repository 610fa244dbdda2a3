// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "cuda_cpu/compiler/ir_module.hpp"
#include "cuda_cpu/compiler/passes/run_pass.hpp"
#include "cuda_cpu/compiler/passes/speed/software_prefetch.hpp"

namespace treadle::cuda_cpu {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Rows of a matrix of width `%n`, from row `%m` on, read by a loop of `%y`.
std::string rows_read(const std::string& row, const std::string& mark) {
  return R"(define void @f(ptr %p, ptr %frame, i64 %n, ptr %out) {
   entry:
    %m = load i64, ptr %frame)" +
         mark + R"(
    br label %loop
   loop:
    %y = phi i64 [ 0, %entry ], [ %next, %loop ]
    %row = )" +
         row + R"(
    %i = mul i64 %row, %n
    %a = getelementptr float, ptr %p, i64 %i
    %v = load <16 x float>, ptr %a
    store <16 x float> %v, ptr %out
    %next = add nuw nsw i64 %y, 1
    %more = icmp ult i64 %next, 16
    br i1 %more, label %loop, label %end
   end:
    ret void }
  !1 = !{i64 16}
  !2 = distinct !{})";
}

std::string prefetched(const std::string& text) { return after<SoftwarePrefetch>(text); }

TEST(SoftwarePrefetch, FetchesWhatTheNextIterationReads) {
  const std::string text = prefetched(rows_read("add i64 %y, %m", ", !treadle.counter !1"));
  EXPECT_THAT(text, HasSubstr("%0 = shl i64 %n, 6")) << "16 rows of n floats";
  EXPECT_THAT(text, HasSubstr("getelementptr i8, ptr %a, i64 %0"));
  EXPECT_THAT(text, HasSubstr("call void @llvm.prefetch"));
}

TEST(SoftwarePrefetch, LeavesAloneWhatDoesNotMoveOrMovesByThread) {
  EXPECT_THAT(prefetched(rows_read("add i64 %y, %m", "")), Not(HasSubstr("llvm.prefetch")));
  EXPECT_THAT(prefetched(rows_read("add i64 %y, 7", ", !treadle.counter !1")),
              Not(HasSubstr("llvm.prefetch")));
  EXPECT_THAT(prefetched(rows_read("mul i64 %y, %m", ", !treadle.counter !1")),
              Not(HasSubstr("llvm.prefetch")));
}

TEST(SoftwarePrefetch, AFetchOfTheSameMarkCarriesAStepThatIsNoConstant) {
  const auto carried = [](const std::string& step) {
    const std::string text = prefetched(rows_read("add i64 %y, %m", R"(, !treadle.counter !2
      %sum = add i64 %n, 36
      %carried = inttoptr i64 )" + step + R"( to ptr
      call void @llvm.prefetch(ptr %carried, i32 0, i32 2, i32 1), !treadle.counter !2)"));
    EXPECT_EQ(count(text, "call void @llvm.prefetch"), 1u);
    EXPECT_THAT(text, Not(HasSubstr("prefetch.p0(ptr %carried")));
    return text;
  };
  EXPECT_THAT(carried("%n"), HasSubstr("mul i64 %n, %n")) << "n rows of n floats";
  EXPECT_THAT(carried("%sum"), HasSubstr("mul i64 %n, %"));
  EXPECT_THAT(carried("1024"), HasSubstr("shl i64 %n, 12"));
}

TEST(SoftwarePrefetch, ACounterIsAPhiThatGrowsByAConstant) {
  IrModule module(R"(define void @f(ptr %frame, i32 %d) {
   entry:
    %m = load i32, ptr %frame
    br label %loop
   loop:
    %counted = phi i32 [ 0, %entry ], [ %c, %loop ]
    %other = phi i32 [ 0, %entry ], [ %o, %loop ]
    %c = add i32 %counted, 3
    %o = add i32 %other, %d
    br label %loop })");
  llvm::Function& function = module.function("f");
  llvm::Instruction& load = function.getEntryBlock().front();
  auto phi = function.back().phis().begin();
  mark_counter(load, *std::next(phi));
  EXPECT_THAT(module.text(), Not(HasSubstr("treadle.counter")));
  mark_counter(load, *phi);
  EXPECT_THAT(module.text(), HasSubstr("!treadle.counter"));
  EXPECT_THAT(module.text(), HasSubstr("!{i64 3}"));
}

}  // namespace
}  // namespace treadle::cuda_cpu
