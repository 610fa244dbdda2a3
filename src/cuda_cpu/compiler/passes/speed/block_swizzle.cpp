// SPDX-License-Identifier: MIT
// Block swizzle: kernels whose blocks the run-time starts in strips of the grid and not row by row,
// because neighbouring blocks read the same tiles. A block of a tiled product reads a row of tiles
// of one matrix and a column of tiles of the other, which its neighbours read too. Such a kernel is
// known by a loop with a barrier in it that reads global memory:
//
//   loop:  %v = load float, ptr addrspace(1) %a     into shared memory
//          call void @__treadle_barrier(i32 1)
//          ...
//          br i1 %more, label %loop, label %end
//
// Atomic operations and volatile accesses outside of shared memory may wait for another block, and
// so may functions that are not inlined. Such a kernel keeps the order in which a GPU starts
// blocks.
#include "cuda_cpu/compiler/passes/speed/block_swizzle.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "cuda_cpu/compiler/passes/lowering/kernel_body.hpp"
#include "cuda_cpu/compiler/passes/lowering/markers.hpp"
#include "cuda_cpu/compiler/passes/pass_runner.hpp"
#include "cuda_cpu/module_abi.h"

namespace treadle::cuda_cpu {
namespace {

using llvm::Instruction;

constexpr unsigned shared_space = 3;

bool in_shared_memory(const llvm::Value* pointer) {
  const llvm::Value* begin = pointer->stripInBoundsOffsets();
  return pointer->getType()->getPointerAddressSpace() == shared_space ||
         begin->getType()->getPointerAddressSpace() == shared_space;
}

const llvm::Value* pointer_of(const Instruction& instruction) {
  if (const auto* add = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
    return add->getPointerOperand();
  if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
    return exchange->getPointerOperand();
  return llvm::getLoadStorePointerOperand(&instruction);
}

/// What a function does that is called and not inlined is not looked at.
bool may_wait(const Instruction& instruction) {
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
    if (!llvm::isa<llvm::IntrinsicInst>(call) && marker_of(instruction) == Marker::none)
      return !call->doesNotAccessMemory();
  if (!instruction.isAtomic() && !instruction.isVolatile()) return false;
  const llvm::Value* pointer = pointer_of(instruction);
  return !pointer || !in_shared_memory(pointer);  // no pointer: a fence
}

bool is_block_barrier(const Instruction& instruction) {
  if (marker_of(instruction) != Marker::barrier) return false;
  const auto* kind =
      llvm::dyn_cast<llvm::ConstantInt>(llvm::cast<llvm::CallBase>(instruction).getArgOperand(0));
  return kind && kind->equalsInt(static_cast<std::uint64_t>(BarrierKind::block));
}

bool reads_global_memory(const Instruction& instruction) {
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
  return load && !in_shared_memory(load->getPointerOperand()) &&
         !llvm::isa<llvm::AllocaInst>(load->getPointerOperand()->stripInBoundsOffsets());
}

bool walks(const llvm::Loop& loop) {
  bool meets = false, reads = false;
  for (const llvm::BasicBlock* block : loop.blocks())
    for (const Instruction& instruction : *block) {
      meets |= is_block_barrier(instruction);
      reads |= reads_global_memory(instruction);
    }
  return meets && reads;
}

}  // namespace

bool swizzles_blocks(const KernelBody& body, PassRunner& runner) {
  for (const Instruction& instruction : llvm::instructions(*body.function))
    if (may_wait(instruction)) return false;
  const auto& loops = runner.fresh_analyses().getResult<llvm::LoopAnalysis>(*body.function);
  return llvm::any_of(loops, [](const llvm::Loop* loop) { return walks(*loop); });
}

}  // namespace treadle::cuda_cpu
