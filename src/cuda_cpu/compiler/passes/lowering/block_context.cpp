// SPDX-License-Identifier: MIT
#include "cuda_cpu/compiler/passes/lowering/block_context.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "cuda_cpu/module_abi.h"

namespace treadle::cuda_cpu {
namespace {

constexpr const char* services_name = "treadle_services";

/// Without a value: of the parts of a module, one has it.
llvm::GlobalVariable& declared_services(llvm::Module& module) {
  auto* type = llvm::PointerType::get(module.getContext(), 0);
  auto* variable = llvm::cast<llvm::GlobalVariable>(module.getOrInsertGlobal(services_name, type));
  variable->setDSOLocal(true);
  return *variable;
}

}  // namespace

llvm::Value* context_field(llvm::IRBuilderBase& builder, llvm::Value* context, std::size_t offset) {
  return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), context, offset);
}

llvm::Value* load_context_pointer(llvm::IRBuilderBase& builder, llvm::Value* context,
                                  std::size_t offset) {
  return builder.CreateLoad(builder.getPtrTy(), context_field(builder, context, offset));
}

llvm::Value* load_context_u32(llvm::IRBuilderBase& builder, llvm::Value* context,
                              std::size_t offset) {
  return builder.CreateLoad(builder.getInt32Ty(), context_field(builder, context, offset));
}

std::size_t index_offset(Marker marker, unsigned dimension) {
  const std::size_t within = dimension * sizeof(std::uint32_t);
  switch (marker) {
    case Marker::thread_index:
      return offsetof(BlockContext, thread_index) + within;
    case Marker::block_index:
      return offsetof(BlockContext, block_index) + within;
    case Marker::block_size:
      return offsetof(BlockContext, block_size) + within;
    default:
      return offsetof(BlockContext, grid_size) + within;
  }
}

void store_thread_index(llvm::IRBuilderBase& builder, llvm::Value* context,
                        const std::array<llvm::Value*, 3>& index) {
  for (unsigned dimension = 0; dimension < 3; ++dimension)
    builder.CreateStore(
        index[dimension],
        context_field(builder, context, index_offset(Marker::thread_index, dimension)));
}

llvm::GlobalVariable& services_variable(llvm::Module& module) {
  llvm::GlobalVariable& variable = declared_services(module);
  variable.setInitializer(llvm::Constant::getNullValue(variable.getValueType()));
  variable.setExternallyInitialized(true);
  return variable;
}

llvm::Value* load_service(llvm::IRBuilderBase& builder, llvm::Module& module, std::size_t offset) {
  // Both loads are invariant: the run-time fills the table before the first launch.
  llvm::MDNode* invariant = llvm::MDNode::get(module.getContext(), {});
  auto* table = builder.CreateLoad(builder.getPtrTy(), &declared_services(module), "services");
  table->setMetadata(llvm::LLVMContext::MD_invariant_load, invariant);
  auto* entry = builder.CreateLoad(builder.getPtrTy(), context_field(builder, table, offset));
  entry->setMetadata(llvm::LLVMContext::MD_invariant_load, invariant);
  return entry;
}

bool is_service_call(const llvm::CallBase& call) {
  const auto* entry = llvm::dyn_cast<llvm::LoadInst>(call.getCalledOperand());
  if (!entry) return false;
  const auto* table =
      llvm::dyn_cast<llvm::LoadInst>(llvm::getUnderlyingObject(entry->getPointerOperand(), 0));
  return table && table->getPointerOperand()->getName() == services_name;
}

llvm::Value* current_context(llvm::IRBuilderBase& builder, llvm::Module& module) {
  auto* type = llvm::FunctionType::get(builder.getPtrTy(), false);
  llvm::CallInst* call = builder.CreateCall(
      type, load_service(builder, module, offsetof(Services, current)), {}, "context");
  // The answer is one per worker and stays while the kernel runs.
  call->setDoesNotThrow();
  call->setOnlyReadsMemory();
  call->addFnAttr(llvm::Attribute::WillReturn);
  return call;
}

}  // namespace treadle::cuda_cpu
