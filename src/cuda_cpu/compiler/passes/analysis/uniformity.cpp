// SPDX-License-Identifier: MIT
// Analysis: what is the same for all threads of a block. LLVM's uniformity analysis (the one GPU
// back ends use, loops that threads leave at different times included) does the work, once it is
// told where difference comes from: the thread index, and memory.
//
//   %i = add i32 %block.x, %n          uniform
//   %j = add i32 %i, %thread.x         varying
//   %v = load float, ptr %p            varying: another thread may write between two threads' reads
//   %s = load i32, ptr %by.value       uniform: launch arguments are not written
#include "cuda_cpu/compiler/passes/analysis/uniformity.hpp"

#include <llvm/Analysis/CycleAnalysis.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/TargetTransformInfoImpl.h>
#include <llvm/Analysis/UniformityAnalysis.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/IR/PassManager.h>

namespace treadle::cuda_cpu {
namespace {

bool differs_at_source(const KernelBody& body, const llvm::Value& value) {
  if (llvm::isa<llvm::Argument>(value)) return body.is_thread_index(&value);
  if (llvm::isa<llvm::AllocaInst, llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(value)) return true;
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&value))
    return !body.reads_launch_arguments(*load);
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&value))
    return !call->doesNotAccessMemory();
  return false;
}

/// Answers the analysis's questions about a machine whose threads are ours.
class BlockOfThreads : public llvm::TargetTransformInfoImplCRTPBase<BlockOfThreads> {
 public:
  BlockOfThreads(llvm::function_ref<bool(const llvm::Value&)> is_source,
                 const llvm::DataLayout& layout)
      : TargetTransformInfoImplCRTPBase(layout), is_source_(is_source) {}
  bool hasBranchDivergence(const llvm::Function* = nullptr) const { return true; }
  bool isSourceOfDivergence(const llvm::Value* value) const { return is_source_(*value); }
  bool isAlwaysUniform(const llvm::Value*) const { return false; }

 private:
  llvm::function_ref<bool(const llvm::Value&)> is_source_;
};

}  // namespace

Uniformity::Uniformity(const KernelBody& body)
    : Uniformity(*body.function,
                 [&](const llvm::Value& value) { return differs_at_source(body, value); }) {}

Uniformity::Uniformity(llvm::Function& function,
                       llvm::function_ref<bool(const llvm::Value&)> is_source) {
  llvm::FunctionAnalysisManager analyses;
  analyses.registerPass([] { return llvm::PassInstrumentationAnalysis(); });
  analyses.registerPass([] { return llvm::DominatorTreeAnalysis(); });
  analyses.registerPass([] { return llvm::CycleAnalysis(); });
  analyses.registerPass([] { return llvm::UniformityInfoAnalysis(); });
  analyses.registerPass([&] {
    return llvm::TargetIRAnalysis([&](const llvm::Function& of) {
      return llvm::TargetTransformInfo(BlockOfThreads(is_source, of.getParent()->getDataLayout()));
    });
  });
  llvm::UniformityInfo& info = analyses.getResult<llvm::UniformityInfoAnalysis>(function);

  for (const llvm::Argument& argument : function.args())
    if (info.isDivergent(&argument)) varying_.insert(&argument);
  for (llvm::BasicBlock& block : function) {
    if (info.hasDivergentTerminator(block)) diverging_.insert(&block);
    for (llvm::Instruction& instruction : block) {
      if (instruction.getType()->isVoidTy()) continue;
      const bool varies_somewhere = info.isDivergent(&instruction) ||
                                    llvm::any_of(instruction.uses(), [&](const llvm::Use& use) {
                                      return info.isDivergentUse(use);
                                    });
      if (varies_somewhere) varying_.insert(&instruction);
    }
  }
}

}  // namespace treadle::cuda_cpu
