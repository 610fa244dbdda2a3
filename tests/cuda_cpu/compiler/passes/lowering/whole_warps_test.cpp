// SPDX-License-Identifier: MIT
#include "cuda_cpu/compiler/passes/lowering/whole_warps.hpp"

#include <gmock/gmock.h>

#include "cuda_cpu/compiler/codegen.hpp"
#include "cuda_cpu/compiler/ir_module.hpp"
#include "cuda_cpu/compiler/passes/lowering/retarget.hpp"
#include "cuda_cpu/compiler/passes/pass_runner.hpp"

namespace treadle::cuda_cpu {
namespace {

/// What the place `ask:` of a kernel is told, as the number that it returns.
std::string told(const std::string& before, const std::string& behind = " ret void\n") {
  IrModule module(
      "declare spir_func i32 @__treadle_all_come() #1\n"
      "define spir_kernel void @k(ptr addrspace(1) %o, i32 %n) {\n"
      "%t = call spir_func i32 @__treadle_thread_index(i32 0)\n %odd = trunc i32 %t to i1\n"
      "%many = icmp ugt i32 %n, 7\n" +
      before +
      "ask:\n %who = call spir_func i32 @__treadle_all_come()\n"
      "store i32 %who, ptr addrspace(1) %o\n" +
      behind + "}\n");
  const auto machine = create_host_machine(3);
  PassRunner runner(*machine, /*vector_math=*/false);
  const ModulePlan plan = retarget(*module, *machine);
  find_whole_warps(*module, plan, runner);
  const std::string text = module.text();
  const std::size_t store = text.rfind("store i32 ");
  return text.substr(store + 10, text.find(',', store) - store - 10);
}

TEST(WholeWarps, AllComeWhereNoBranchPartsThem) {
  EXPECT_EQ(told(" br label %ask\n"), "2");
  EXPECT_EQ(told(" br i1 %many, label %ask, label %end\nend:\n ret void\n"), "2");
  EXPECT_EQ(told(" br i1 %odd, label %a, label %ask\na:\n store i32 %t, ptr addrspace(1) %o\n"
                 "br label %ask\n"),
            "2");
}

TEST(WholeWarps, WhoHasExitedIsMissed) {
  EXPECT_EQ(told(" br i1 %odd, label %ask, label %end\nend:\n ret void\n"), "1");
}

TEST(WholeWarps, WhoIsElsewhereIsNotWaitedFor) {
  const std::string barrier = " call spir_func void @__treadle_barrier(i32 1)\n";
  EXPECT_EQ(told(" br i1 %odd, label %ask, label %end\nend:\n" + barrier + " ret void\n"), "0");
  EXPECT_EQ(told(" br i1 %odd, label %ask, label %end\n",
                 " br label %end\nend:\n" + barrier + " ret void\n"),
            "0");
  EXPECT_EQ(told(" br label %ask\n",
                 " br i1 %odd, label %ask, label %end\nend:\n" + barrier + " ret void\n"),
            "0");
}

}  // namespace
}  // namespace treadle::cuda_cpu
