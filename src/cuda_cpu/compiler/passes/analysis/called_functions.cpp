// SPDX-License-Identifier: MIT
// Analysis: does a function that was not inlined access shared memory? It may if it names a shared
// variable, or if the kernel gave an address away, and if there is an access in it, or in what it
// calls, to anything but its own variables.
//
//   call void %entry(ptr %s, i32 %t)         any function whose address is taken: may write %s
//   call i32 @fibonacci(i32 %n)              no
#include "cuda_cpu/compiler/passes/analysis/called_functions.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "cuda_cpu/compiler/passes/lowering/block_context.hpp"
#include "cuda_cpu/compiler/passes/lowering/device_functions.hpp"
#include "cuda_cpu/compiler/passes/lowering/kernel_body.hpp"

namespace treadle::cuda_cpu {
namespace {

using llvm::Value;

/// Whether `call` leads to code of the program; `callee` is null where nobody knows which.
bool calls_program(const llvm::CallBase& call, const llvm::Function*& callee) {
  if (call.isInlineAsm() || is_service_call(call)) return false;
  callee = call.getCalledFunction();
  return callee == nullptr || !callee->isDeclaration();
}

bool is_given_away(const Value& shared) {
  llvm::SmallSetVector<const Value*, 16> found;
  found.insert(&shared);
  for (unsigned i = 0; i < found.size(); ++i)
    for (const llvm::User* user : found[i]->users()) {
      if (llvm::isa<llvm::GetElementPtrInst, llvm::CastInst, llvm::PHINode, llvm::SelectInst>(user))
        found.insert(user);
      const llvm::Function* callee = nullptr;
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(user);
          call && calls_program(*call, callee))
        return true;
      if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
          store && store->getValueOperand() == found[i])
        return true;
    }
  return false;
}

bool is_own_variable(const Value* pointer) {
  return llvm::isa<llvm::AllocaInst, llvm::GlobalVariable>(llvm::getUnderlyingObject(pointer, 0));
}

void add_effect(const llvm::Instruction& instruction, CalledFunctions::Effect& effect) {
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    effect.reads |= !is_own_variable(load->getPointerOperand());
  } else if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    effect.writes |= !is_own_variable(store->getPointerOperand());
  } else if (const auto* set = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) {
    effect.writes |= !is_own_variable(set->getRawDest());
    const auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(set);
    effect.reads |= copy && !is_own_variable(copy->getRawSource());
  } else if (llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(instruction)) {
    effect.reads = effect.writes = true;
  }
}

}  // namespace

CalledFunctions::CalledFunctions(const KernelBody& body)
    : kernel_(*body.function),
      addresses_escape_(body.stores_thread_index && is_given_away(*body.shared())) {}

CalledFunctions::Effect CalledFunctions::effect_of(const llvm::CallBase& call) {
  const llvm::Function* callee = nullptr;
  if (!calls_program(call, callee)) return {};
  const auto [known, is_new] = known_.try_emplace(callee);
  if (!is_new) return known->second;
  llvm::SmallSetVector<const llvm::Function*, 8> reached;
  const auto reach = [&](const llvm::Function* called) {
    if (called) return (void)reached.insert(called);
    for (const llvm::Function& function : *kernel_.getParent())
      if (!function.isDeclaration() && function.hasAddressTaken()) reached.insert(&function);
  };
  reach(callee);
  Effect effect;
  bool knows_an_address = addresses_escape_;
  for (unsigned i = 0; i < reached.size(); ++i) {
    knows_an_address |= names_shared_memory(*reached[i]);
    for (const llvm::Instruction& instruction : llvm::instructions(*reached[i])) {
      add_effect(instruction, effect);
      const auto* next = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (next && calls_program(*next, callee)) reach(callee);
    }
  }
  if (!knows_an_address) effect = {};
  return known_[call.getCalledFunction()] = effect;
}

}  // namespace treadle::cuda_cpu
