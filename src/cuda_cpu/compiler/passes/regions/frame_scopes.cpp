// SPDX-License-Identifier: MIT
// Frame scopes: the frames and states of a block are the scheduler's, no pointer of the
// program leads there. LLVM cannot know, and would write a value all threads share to its slot
// once a thread because the thread's own stores might change it in between.
//
//   x: store i32 1, ptr %uniform.frame           =>    x: store float %v, ptr %p.x, !noalias !all
//      store float %v, ptr %p.x                        ...
//      br i1 %more, label %x, ...                      store i32 1, ptr %uniform.frame   ; LICM
#include "cuda_cpu/compiler/passes/regions/frame_scopes.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/MDBuilder.h>

namespace treadle::cuda_cpu {
namespace {

using llvm::LLVMContext;
using llvm::MDNode;
using llvm::Value;

/// Keeps what `__restrict__` has said of the instruction already.
void add_scopes(llvm::Instruction& instruction, unsigned kind,
                llvm::ArrayRef<llvm::Metadata*> scopes) {
  if (scopes.empty()) return;
  MDNode* added = MDNode::get(instruction.getContext(), scopes);
  instruction.setMetadata(kind, MDNode::concatenate(instruction.getMetadata(kind), added));
}

}  // namespace

void separate_frames(llvm::Function& function, llvm::ArrayRef<Value*> frames) {
  llvm::MDBuilder metadata(function.getContext());
  MDNode* domain = metadata.createAnonymousAliasScopeDomain("frames");
  llvm::SmallVector<llvm::Metadata*, 4> scopes;
  for (std::size_t i = 0; i < frames.size(); ++i)
    scopes.push_back(metadata.createAnonymousAliasScope(domain));
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (!instruction.mayReadOrWriteMemory()) continue;
    const Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
    const Value* object = pointer ? llvm::getUnderlyingObject(pointer, 0) : nullptr;
    llvm::SmallVector<llvm::Metadata*, 4> own, foreign;
    for (std::size_t i = 0; i < frames.size(); ++i)
      (frames[i] == object ? own : foreign).push_back(scopes[i]);
    add_scopes(instruction, LLVMContext::MD_alias_scope, own);
    add_scopes(instruction, LLVMContext::MD_noalias, foreign);
  }
}

}  // namespace treadle::cuda_cpu
