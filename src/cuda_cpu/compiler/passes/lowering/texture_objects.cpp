// SPDX-License-Identifier: MIT
// Texture objects: the object's number is the address of a description that does not change while
// a kernel runs. Told so, LLVM reads it once for all threads, and chooses the kind of fetch once.
//
//   %t = call ptr @__treadle_texture_at(i64 %object)   =>   %t = inttoptr i64 %object to ptr
//   %key = load i32, ptr %t                                 %key = load i32, ptr %t,
//   !invariant.load
#include "cuda_cpu/compiler/passes/lowering/texture_objects.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include "cuda_cpu/compiler/passes/lowering/markers.hpp"

namespace treadle::cuda_cpu {
namespace {

/// Loads through the pointer, and through fields' addresses of it.
void mark_loads_invariant(llvm::Value& pointer) {
  for (llvm::User* user : pointer.users()) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(user))
      load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                        llvm::MDNode::get(load->getContext(), {}));
    else if (llvm::isa<llvm::GetElementPtrInst>(user))
      mark_loads_invariant(*user);
  }
}

}  // namespace

void lower_texture_objects(llvm::Module& module) {
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction :
         llvm::make_early_inc_range(llvm::instructions(function))) {
      if (marker_of(instruction) != Marker::texture_at) continue;
      auto& call = llvm::cast<llvm::CallInst>(instruction);
      mark_loads_invariant(call);
      llvm::IRBuilder<> builder(&call);
      call.replaceAllUsesWith(builder.CreateIntToPtr(call.getArgOperand(0), call.getType()));
      call.eraseFromParent();
    }
  }
}

}  // namespace treadle::cuda_cpu
