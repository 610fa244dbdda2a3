// SPDX-License-Identifier: MIT
#include "cuda_cpu/compiler/passes/pass_runner.hpp"

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/Target/TargetMachine.h>

#include "cuda_cpu/compiler/passes/blend_limit.hpp"
#include "cuda_cpu/compiler/passes/lane_calls.hpp"
#include "cuda_cpu/compiler/passes/own_loop_indices.hpp"
#include "cuda_cpu/compiler/passes/predicated_divisions.hpp"
#include "cuda_cpu/compiler/passes/wrapped_indices.hpp"

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

/// What libmvec has for registers of 64 bytes, and LLVM's list of it lacks.
void add_widest_vector_math(llvm::TargetLibraryInfoImpl& library) {
  constexpr auto floats = llvm::ElementCount::getFixed(16),
                 doubles = llvm::ElementCount::getFixed(8);
  constexpr const char *f = "_ZGV_LLVM_N16v", *d = "_ZGV_LLVM_N8v";
  static const llvm::VecDesc functions[] = {
      {"cosf", "_ZGVeN16v_cosf", floats, false, f},
      {"llvm.cos.f32", "_ZGVeN16v_cosf", floats, false, f},
      {"cos", "_ZGVeN8v_cos", doubles, false, d},
      {"llvm.cos.f64", "_ZGVeN8v_cos", doubles, false, d},
      {"expf", "_ZGVeN16v_expf", floats, false, f},
      {"llvm.exp.f32", "_ZGVeN16v_expf", floats, false, f},
      {"exp", "_ZGVeN8v_exp", doubles, false, d},
      {"llvm.exp.f64", "_ZGVeN8v_exp", doubles, false, d},
      {"logf", "_ZGVeN16v_logf", floats, false, f},
      {"llvm.log.f32", "_ZGVeN16v_logf", floats, false, f},
      {"log", "_ZGVeN8v_log", doubles, false, d},
      {"llvm.log.f64", "_ZGVeN8v_log", doubles, false, d},
      {"sinf", "_ZGVeN16v_sinf", floats, false, f},
      {"llvm.sin.f32", "_ZGVeN16v_sinf", floats, false, f},
      {"sin", "_ZGVeN8v_sin", doubles, false, d},
      {"llvm.sin.f64", "_ZGVeN8v_sin", doubles, false, d},
      {"powf", "_ZGVeN16vv_powf", floats, false, "_ZGV_LLVM_N16vv"},
      {"llvm.pow.f32", "_ZGVeN16vv_powf", floats, false, "_ZGV_LLVM_N16vv"},
      {"pow", "_ZGVeN8vv_pow", doubles, false, "_ZGV_LLVM_N8vv"},
      {"llvm.pow.f64", "_ZGVeN8vv_pow", doubles, false, "_ZGV_LLVM_N8vv"},
  };
  library.addVectorizableFunctions(functions);
}

}  // namespace

PassRunner::PassRunner(llvm::TargetMachine& machine, bool vector_math)
    : builder_(&machine, tuning()) {
  llvm::TargetLibraryInfoImpl library(machine.getTargetTriple());
  // LLVM would call it, by pointers of the host, for a `memcmp` that is only compared with 0.
  library.setUnavailable(llvm::LibFunc_bcmp);
  if (vector_math) {
    library.addVectorizableFunctionsFromVecLib(llvm::TargetLibraryInfoImpl::LIBMVEC_X86,
                                               machine.getTargetTriple());
    // Without these instructions libmvec would compute the halves one after the other.
    if (machine.getMCSubtargetInfo()->checkFeatures("+avx512dq")) add_widest_vector_math(library);
    add_rare_functions(library);
  }
  functions_.registerPass([&] { return llvm::TargetLibraryAnalysis(library); });
  builder_.registerPipelineParsingCallback([](llvm::StringRef name,
                                              llvm::FunctionPassManager& passes,
                                              llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
    if (name == "blend-limit")
      passes.addPass(BlendLimit());
    else if (name == "lane-calls")
      passes.addPass(LaneCalls());
    else if (name == "wrapped-indices")
      passes.addPass(WrappedIndices());
    else if (name == "predicated-divisions")
      passes.addPass(PredicatedDivisions());
    else
      return false;
    return true;
  });
  builder_.registerPipelineParsingCallback([](llvm::StringRef name, llvm::LoopPassManager& passes,
                                              llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
    if (name != "own-loop-indices") return false;
    passes.addPass(OwnLoopIndices());
    return true;
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
