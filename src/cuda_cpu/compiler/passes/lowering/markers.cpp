// SPDX-License-Identifier: MIT
#include "cuda_cpu/compiler/passes/lowering/markers.hpp"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>

#include "cuda_cpu/compiler/backend.hpp"

namespace treadle::cuda_cpu {

Marker marker_of(const llvm::Function& function) {
  llvm::StringRef name = function.getName();
  if (!name.consume_front("__treadle_")) return Marker::none;
  return llvm::StringSwitch<Marker>(name)
      .Case("thread_index", Marker::thread_index)
      .Case("block_index", Marker::block_index)
      .Case("block_size", Marker::block_size)
      .Case("grid_size", Marker::grid_size)
      .Case("barrier", Marker::barrier)
      .Case("all_come", Marker::all_come)
      .Case("warp_masks", Marker::warp_masks)
      .Case("is_cooperative", Marker::is_cooperative)
      .Case("shared_memory", Marker::shared_memory)
      .Case("shared_size", Marker::shared_size)
      .Case("local_memory", Marker::local_memory)
      .Case("local_size", Marker::local_size)
      .Case("stack", Marker::stack)
      .Case("texture_at", Marker::texture_at)
      .Case("print", Marker::print)
      .Case("assert_failed", Marker::assert_failed)
      .Case("trap", Marker::trap)
      .Case("allocate", Marker::allocate)
      .Case("release", Marker::release)
      .Case("clock", Marker::clock)
      .Case("check_access", Marker::check_access)
      .Case("check_step", Marker::check_step)
      .Case("sample_texture", Marker::sample_texture)
      .Case("stage_launch", Marker::stage_launch)
      .Case("runtime_call", Marker::runtime_call)
      .Default(Marker::none);
}

Marker marker_of(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee ? marker_of(*callee) : Marker::none;
}

unsigned dimension_of(const llvm::CallBase& call) {
  const auto* dimension = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(0));
  if (!dimension || dimension->getZExtValue() > 2)
    throw BackendError("error: the dimension of a thread or block index is not a constant");
  return static_cast<unsigned>(dimension->getZExtValue());
}

}  // namespace treadle::cuda_cpu
