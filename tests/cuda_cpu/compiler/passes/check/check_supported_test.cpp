// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <llvm/Target/TargetMachine.h>

#include "cuda_cpu/compiler/backend.hpp"
#include "cuda_cpu/compiler/codegen.hpp"
#include "cuda_cpu/compiler/ir_module.hpp"
#include "cuda_cpu/compiler/passes/check/check_supported.hpp"
#include "cuda_cpu/compiler/passes/lowering/retarget.hpp"

namespace treadle::cuda_cpu {
namespace {

TEST(CheckSupported, UndefinedFunctionIsNamed) {
  IrModule module(R"(declare spir_func float @_Z4nopef(float)
    define spir_kernel void @k() { %v = call spir_func float @_Z4nopef(float 1.0)
      ret void })");
  const auto machine = create_host_machine(3);
  const ModulePlan plan = retarget(*module, *machine);
  try {
    check_supported(*module, plan);
    FAIL() << "accepted";
  } catch (const BackendError& error) {
    EXPECT_STREQ(error.what(), "error: undefined function 'nope(float)'");
  }
}

}  // namespace
}  // namespace treadle::cuda_cpu
