// SPDX-License-Identifier: MIT
// Coverage counters: every thread that comes by adds one, also where threads of a warp run as lanes
// of a vector: LLVM makes no vectors of atomics. Runs behind the kernel checks, whose business
// counters are not.
//
//   call void @llvm.instrprof.increment(ptr @counters, i64 0, i32 9, i32 5)
//     =>
//   %first = load ptr, ptr @counters
//   atomicrmw add ptr (%first + 40), i64 1 monotonic
#include "cuda_cpu/compiler/passes/check/coverage_counters.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

namespace treadle::cuda_cpu {

void lower_coverage_counters(llvm::Module& module) {
  llvm::IRBuilder<> builder(module.getContext());
  auto* const word = builder.getInt64Ty();
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction :
         llvm::make_early_inc_range(llvm::instructions(function))) {
      auto* count = llvm::dyn_cast<llvm::InstrProfIncrementInst>(&instruction);
      if (!count) continue;
      builder.SetInsertPoint(count);
      auto* first = builder.CreateLoad(builder.getPtrTy(), count->getName());
      // The loader says where to count before the first launch.
      first->setMetadata(llvm::LLVMContext::MD_invariant_load,
                         llvm::MDNode::get(module.getContext(), {}));
      builder.CreateAtomicRMW(
          llvm::AtomicRMWInst::Add,
          builder.CreateConstInBoundsGEP1_64(word, first, count->getIndex()->getZExtValue()),
          builder.CreateZExt(count->getStep(), word), llvm::MaybeAlign(8),
          llvm::AtomicOrdering::Monotonic);
      count->eraseFromParent();
    }
}

}  // namespace treadle::cuda_cpu
