// SPDX-License-Identifier: MIT
// What a function pass of LLVM's pass manager makes of function `f` of a module.
#pragma once

#include <llvm/Passes/PassBuilder.h>
#include <llvm/Target/TargetMachine.h>

#include "cuda_cpu/compiler/codegen.hpp"
#include "cuda_cpu/compiler/ir_module.hpp"
#include "cuda_cpu/compiler/passes/pass_runner.hpp"

namespace treadle::cuda_cpu {

template <class Pass>
std::string after(const std::string& text) {
  IrModule module(text);
  const auto machine = create_host_machine(3);
  PassRunner runner(*machine, /*vector_math=*/false);
  llvm::FunctionPassManager passes;
  passes.addPass(Pass());
  runner.run(passes, module.function("f"));
  return module.text();
}

}  // namespace treadle::cuda_cpu
