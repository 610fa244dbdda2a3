// SPDX-License-Identifier: MIT
// A module whose one kernel has become a body, as the pass `kernel-bodies` leaves it.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <string>

#include "cuda_cpu/compiler/backend.hpp"
#include "cuda_cpu/compiler/codegen.hpp"
#include "cuda_cpu/compiler/ir_module.hpp"
#include "cuda_cpu/compiler/passes/lowering/kernel_body.hpp"
#include "cuda_cpu/compiler/passes/lowering/retarget.hpp"
#include "cuda_cpu/compiler/passes/lowering/shared_memory.hpp"
#include "cuda_cpu/compiler/passes/pass_context.hpp"
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
  /// Runs the passes that make kernel().regions of the body.
  void make_regions() {
    KernelWork work(kernel());
    work.split.emplace(body);
    run(std::move(work), "widen-indices", "join-regions");
  }
  /// Runs the passes that make kernel().run of the body.
  void make_block_function() {
    KernelWork work(kernel());
    work.body = body;
    run(std::move(work), "access-groups", "block-functions");
  }
  std::string text() const { return IrModule::text_of(*body.function); }

  IrModule module;
  std::unique_ptr<llvm::TargetMachine> machine;
  PassRunner runner;
  ModulePlan plan;
  KernelBody body;
  BackendOptions options;

 private:
  void run(KernelWork work, std::string_view first, std::string_view last) {
    PassContext context{
        .module = *module, .machine = *machine, .runner = runner, .options = options};
    context.kernels.push_back(std::make_unique<KernelWork>(std::move(work)));
    run_passes(context, {find_pass(first), find_pass(last) + 1});
  }
};

}  // namespace treadle::cuda_cpu
