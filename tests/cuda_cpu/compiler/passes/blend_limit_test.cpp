// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "cuda_cpu/compiler/passes/blend_limit.hpp"
#include "cuda_cpu/compiler/passes/run_pass.hpp"

namespace treadle::cuda_cpu {
namespace {

/// A loop in which each of `branches` values is the one before, whichever side of a branch is
/// taken: a blend of blends.
std::string chain_of_blends(unsigned branches) {
  std::string text =
      "define void @f(ptr %p, i1 %b) {\n br label %head\nhead:\n"
      "%i = phi i32 [ 0, %0 ], [ %j, %latch ]\n %v0 = load i32, ptr %p\n"
      "br label %s0\ns0:\n";
  for (unsigned i = 0; i < branches; ++i) {
    const std::string now = std::to_string(i), next = std::to_string(i + 1);
    text += "br i1 %b, label %x" + now + ", label %s" + next + "\nx" + now + ":\n br label %s" +
            next + "\ns" + next + ":\n %v" + next + " = phi i32 [ %v" + now + ", %x" + now +
            " ], [ %v" + now + ", %s" + now + " ]\n";
  }
  return text + "br label %latch\nlatch:\n store i32 %v" + std::to_string(branches) +
         ", ptr %p\n %j = add i32 %i, 1\n %c = icmp ult i32 %j, 100\n"
         "br i1 %c, label %head, label %end, !llvm.loop !0\nend:\n ret void }\n"
         "!0 = distinct !{!0, !1}\n !1 = !{!\"llvm.loop.vectorize.enable\", i1 true}\n";
}

std::string limited(const std::string& text) { return after<BlendLimit>(text); }

TEST(BlendLimit, TheVectoriserIsKeptOffExponentiallyManyBlends) {
  EXPECT_THAT(limited(chain_of_blends(10)), testing::HasSubstr("vectorize.enable\", i1 true"));
  EXPECT_THAT(limited(chain_of_blends(40)), testing::HasSubstr("vectorize.enable\", i32 0"));
}

}  // namespace
}  // namespace treadle::cuda_cpu
