// SPDX-License-Identifier: MIT
// Services: what a kernel asks of the run-time goes through one table of functions that
// the loader stores in the module, so a module needs no symbol of the library that runs it.
//
//   %n = call i32 @__treadle_print(%format, i32 %x)
//     =>
//   %services = load ptr, ptr @treadle_services
//   %print = load ptr, ptr (%services + 16)
//   %n = call i32 (ptr, ...) %print(%format, i32 %x)
#include "cuda_cpu/compiler/passes/lowering/services.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include "cuda_cpu/compiler/passes/lowering/block_context.hpp"
#include "cuda_cpu/compiler/passes/lowering/markers.hpp"
#include "cuda_cpu/module_abi.h"

namespace treadle::cuda_cpu {
namespace {

std::size_t service_offset(Marker marker) {
  switch (marker) {
    case Marker::print:
      return offsetof(Services, print);
    case Marker::assert_failed:
      return offsetof(Services, assert_failed);
    case Marker::trap:
      return offsetof(Services, trap);
    case Marker::allocate:
      return offsetof(Services, allocate);
    case Marker::release:
      return offsetof(Services, release);
    case Marker::check_access:
      return offsetof(Services, check_access);
    case Marker::check_step:
      return offsetof(Services, check_step);
    case Marker::stage_launch:
      return offsetof(Services, stage_launch);
    case Marker::runtime_call:
      return offsetof(Services, runtime_call);
    case Marker::sample_texture:
      return offsetof(Services, sample_texture);
    default:
      return offsetof(Services, clock);
  }
}

void lower_service(llvm::CallInst& call, Marker marker,
                   llvm::function_ref<void(llvm::IRBuilderBase&)> before_call) {
  llvm::IRBuilder<> builder(&call);
  before_call(builder);
  llvm::Module& module = *call.getModule();
  llvm::SmallVector<llvm::Value*, 8> arguments(call.args());
  auto* lowered = builder.CreateCall(
      call.getFunctionType(), load_service(builder, module, service_offset(marker)), arguments);
  lowered->setDoesNotThrow();
  if (marker == Marker::sample_texture) lowered->setOnlyReadsMemory();
  if (marker == Marker::assert_failed || marker == Marker::trap) lowered->setDoesNotReturn();
  call.replaceAllUsesWith(lowered);
  call.eraseFromParent();
}

}  // namespace

void lower_services(llvm::Function& function, llvm::function_ref<bool(Marker)> wanted,
                    llvm::function_ref<void(llvm::IRBuilderBase&)> before_call) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function)))
    if (const Marker marker = marker_of(instruction); wanted(marker))
      lower_service(llvm::cast<llvm::CallInst>(instruction), marker, before_call);
}

}  // namespace treadle::cuda_cpu
