// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <llvm/Target/TargetMachine.h>

#include "cuda_cpu/compiler/codegen.hpp"
#include "cuda_cpu/compiler/ir_module.hpp"
#include "cuda_cpu/compiler/passes/lowering/retarget.hpp"

namespace treadle::cuda_cpu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(Retarget, KernelsAndParametersAreListed) {
  IrModule module(R"(
    @c = addrspace(1) externally_initialized global [4 x float] zeroinitializer, align 4
    %S = type { double, i8 }
    define spir_kernel void @k(ptr addrspace(1) %p.coerce, i8 %a, ptr byval(%S) align 8 %s,
                               float %f) "treadle-max-threads"="96" { ret void })");
  const auto machine = create_host_machine(3);
  const ModulePlan plan = retarget(*module, *machine);
  ASSERT_EQ(plan.kernels.size(), 1u);
  const KernelPlan& kernel = plan.kernels.front();
  EXPECT_EQ(kernel.max_threads, 96u);
  std::vector<std::uint32_t> offsets;
  for (const ParameterPlan& parameter : kernel.parameters) offsets.push_back(parameter.offset);
  EXPECT_THAT(offsets, ElementsAre(0, 8, 16, 32));
  EXPECT_EQ(kernel.parameters[0].name, "p");
  EXPECT_EQ(kernel.parameters[2].kind, ParameterKind::structure);
  EXPECT_EQ(kernel.parameter_bytes, 36u);
  ASSERT_EQ(plan.globals.size(), 1u);
  EXPECT_EQ(plan.globals.front().size, 16u);
  EXPECT_THAT(module.text(), Not(HasSubstr("spir_kernel")));
}

TEST(Retarget, VariablesHaveTheNamesOfTheSource) {
  IrModule module(R"(
    @_ZL5table = internal addrspace(1) externally_initialized global i32 0
    @_ZN1n5tableE = addrspace(1) externally_initialized global i32 0
    @_ZL9table = internal addrspace(1) externally_initialized global i32 0)");
  const auto machine = create_host_machine(3);
  std::vector<std::string> names;
  for (const GlobalPlan& global : retarget(*module, *machine).globals) names.push_back(global.name);
  EXPECT_THAT(names, ElementsAre("table", "_ZN1n5tableE", "_ZL9table"));
}

}  // namespace
}  // namespace treadle::cuda_cpu
