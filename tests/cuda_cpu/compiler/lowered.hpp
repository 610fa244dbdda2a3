// SPDX-License-Identifier: MIT
// A module whose one kernel has become a body, as pass 7 leaves it for the passes behind.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <string>

#include "cuda_cpu/compiler/codegen.hpp"
#include "cuda_cpu/compiler/ir_module.hpp"
#include "cuda_cpu/compiler/passes/lowering/kernel_body.hpp"
#include "cuda_cpu/compiler/passes/lowering/retarget.hpp"
#include "cuda_cpu/compiler/passes/lowering/shared_memory.hpp"
#include "cuda_cpu/compiler/passes/pass_runner.hpp"

namespace treadle::cuda_cpu {

struct Lowered {
  explicit Lowered(const std::string& text)
      : module(text),
        machine(create_host_machine(3)),
        runner(*machine, /*vector_math=*/false),
        plan(retarget(*module, *machine)) {
    SharedMemory shared(*module, plan);
    body = make_kernel_body(kernel(), shared);
  }

  KernelPlan& kernel() { return plan.kernels.front(); }
  std::string text() const { return IrModule::text_of(*body.function); }

  IrModule module;
  std::unique_ptr<llvm::TargetMachine> machine;
  PassRunner runner;
  ModulePlan plan;
  KernelBody body;
};

}  // namespace treadle::cuda_cpu
