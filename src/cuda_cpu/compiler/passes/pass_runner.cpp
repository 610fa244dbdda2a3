// SPDX-License-Identifier: MIT
#include "cuda_cpu/compiler/passes/pass_runner.hpp"

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Target/TargetMachine.h>

#include "cuda_cpu/compiler/passes/blend_limit.hpp"
#include "cuda_cpu/compiler/passes/next_turn_prefetch.hpp"

namespace treadle::cuda_cpu {
namespace {

llvm::PipelineTuningOptions tuning() {
  llvm::PipelineTuningOptions options;
  options.LoopVectorization = true;
  options.LoopInterleaving = true;
  options.LoopUnrolling = true;
  // Threads are the parallelism: what straight-line vectorisation finds inside one thread only
  // competes with vectorising across threads.
  options.SLPVectorization = false;
  return options;
}

}  // namespace

PassRunner::PassRunner(llvm::TargetMachine& machine, bool vector_math)
    : builder_(&machine, tuning()) {
  llvm::TargetLibraryInfoImpl library(machine.getTargetTriple());
  if (vector_math)
    library.addVectorizableFunctionsFromVecLib(llvm::TargetLibraryInfoImpl::LIBMVEC_X86,
                                               machine.getTargetTriple());
  functions_.registerPass([&] { return llvm::TargetLibraryAnalysis(library); });
  builder_.registerVectorizerStartEPCallback(
      [](llvm::FunctionPassManager& passes, llvm::OptimizationLevel) {
        passes.addPass(BlendLimit());
      });
  builder_.registerOptimizerLastEPCallback(
      [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
        passes.addPass(llvm::createModuleToFunctionPassAdaptor(NextTurnPrefetch()));
      });
  builder_.registerModuleAnalyses(modules_);
  builder_.registerCGSCCAnalyses(components_);
  builder_.registerFunctionAnalyses(functions_);
  builder_.registerLoopAnalyses(loops_);
  builder_.crossRegisterProxies(loops_, functions_, components_, modules_);
}

llvm::FunctionAnalysisManager& PassRunner::fresh_analyses() {
  loops_.clear();
  functions_.clear();
  components_.clear();
  modules_.clear();
  return functions_;
}

void PassRunner::run(llvm::ModulePassManager& passes, llvm::Module& module) {
  fresh_analyses();
  passes.run(module, modules_);
}

void PassRunner::run(llvm::FunctionPassManager& passes, llvm::Function& function) {
  fresh_analyses();
  // Function passes may ask for module analyses that were computed before, never compute them.
  passes.run(function, functions_);
}

}  // namespace treadle::cuda_cpu
