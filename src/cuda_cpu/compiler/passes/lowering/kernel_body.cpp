// SPDX-License-Identifier: MIT
// Kernel body: the code of one thread, with all it depends on as parameters, ready to be
// put into a loop over the threads of a block or to be split at barriers.
//
//   define void @k(ptr %p) {                            define internal void @body.k(ptr %p,
//     %t = call i32 @__treadle_thread_index(i32 0)          i32 %thread.x, ..., i32 %grid.z,
//     %b = call i32 @__treadle_block_index(i32 0)           ptr %shared, ptr %context) {
//     %d = call i32 @__treadle_block_size(i32 0)    =>    %m = mul nuw nsw i32 %block.x, %size.x
//     %m = mul i32 %b, %d                                 %i = add nuw nsw i32 %m, %thread.x
//     %i = add i32 %m, %t
//
// The no-wrap flags let LLVM see that neighbouring threads touch neighbouring memory even through
// a 64-bit index. They hold below 2^31 threads a dimension, which the launch checks.
#include "cuda_cpu/compiler/passes/lowering/kernel_body.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "cuda_cpu/compiler/passes/lowering/block_context.hpp"
#include "cuda_cpu/compiler/passes/lowering/device_functions.hpp"
#include "cuda_cpu/compiler/passes/lowering/markers.hpp"
#include "cuda_cpu/compiler/passes/lowering/services.hpp"
#include "cuda_cpu/compiler/passes/lowering/shared_memory.hpp"
#include "cuda_cpu/module_abi.h"

namespace treadle::cuda_cpu {
namespace {

using llvm::Value;

llvm::Function* create_function(const KernelPlan& kernel) {
  llvm::Function& source = *kernel.function;
  llvm::LLVMContext& context = source.getContext();
  llvm::SmallVector<llvm::Type*, 24> types;
  for (const llvm::Argument& argument : source.args()) types.push_back(argument.getType());
  types.append(12, llvm::Type::getInt32Ty(context));
  types.append(2, llvm::PointerType::get(context, 0));
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), types, false);
  auto* body = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage,
                                      "body." + kernel.name, source.getParent());
  body->setAttributes(llvm::AttributeList::get(context, source.getAttributes().getFnAttrs(),
                                               llvm::AttributeSet(), {}));
  return body;
}

void name_hidden_parameters(const KernelBody& body) {
  static constexpr const char* axis[] = {"x", "y", "z"};
  for (unsigned dimension = 0; dimension < 3; ++dimension) {
    const llvm::Twine suffix = llvm::Twine(".") + axis[dimension];
    body.thread_index(dimension)->setName("thread" + suffix);
    body.block_index(dimension)->setName("block" + suffix);
    body.block_size(dimension)->setName("size" + suffix);
    body.grid_size(dimension)->setName("grid" + suffix);
  }
  body.shared()->setName("shared");
  body.context()->setName("context");
}

/// Whether memory behind `pointer` may be written, or its address kept, by the function.
bool may_be_written(const Value& pointer) {
  llvm::SmallVector<const Value*, 16> pending{&pointer};
  llvm::SmallPtrSet<const Value*, 16> seen;
  while (!pending.empty()) {
    const Value* value = pending.pop_back_val();
    if (!seen.insert(value).second) continue;
    for (const llvm::User* user : value->users()) {
      if (llvm::isa<llvm::LoadInst>(user)) continue;
      if (const auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(user))
        if (copy->getRawSource() == value && copy->getRawDest() != value) continue;
      const bool derived =
          llvm::isa<llvm::GetElementPtrInst, llvm::CastInst, llvm::PHINode, llvm::SelectInst>(
              user) &&
          user->getType()->isPointerTy();
      if (!derived) return true;
      pending.push_back(user);
    }
  }
  return false;
}

/// A by-value structure is a thread's own: one that writes it gets a copy.
Value* thread_copy(llvm::Argument& source, llvm::Argument& target) {
  llvm::Function& body = *target.getParent();
  llvm::IRBuilder<> builder(&*body.getEntryBlock().getFirstInsertionPt());
  llvm::Type* type = source.getParamByValType();
  const llvm::Align align = source.getParamAlign().valueOrOne();
  llvm::AllocaInst* copy = builder.CreateAlloca(type, nullptr, target.getName() + ".copy");
  copy->setAlignment(align);
  builder.CreateMemCpy(copy, align, &target, align,
                       body.getParent()->getDataLayout().getTypeAllocSize(type));
  return builder.CreatePointerBitCastOrAddrSpaceCast(copy, target.getType());
}

void move_parameters(llvm::Function& source, KernelBody& body) {
  for (llvm::Argument& from : source.args()) {
    llvm::Argument& to = *body.function->getArg(from.getArgNo());
    to.takeName(&from);
    Value* replacement = &to;
    if (from.hasByValAttr()) {
      body.value_types.push_back(nullptr);
      if (may_be_written(from))
        replacement = thread_copy(from, to);
      else
        to.addAttr(llvm::Attribute::ReadOnly);
    } else {
      body.value_types.push_back(from.getType());
    }
    from.replaceAllUsesWith(replacement);
  }
}

void lower_indices(const KernelBody& body) {
  for (llvm::Instruction& instruction :
       llvm::make_early_inc_range(llvm::instructions(*body.function))) {
    const Marker marker = marker_of(instruction);
    if (!is_index(marker)) continue;
    auto& call = llvm::cast<llvm::CallBase>(instruction);
    const unsigned dimension = dimension_of(call);
    llvm::Argument* value = marker == Marker::thread_index  ? body.thread_index(dimension)
                            : marker == Marker::block_index ? body.block_index(dimension)
                            : marker == Marker::block_size  ? body.block_size(dimension)
                                                            : body.grid_size(dimension);
    call.replaceAllUsesWith(value);
    call.eraseFromParent();
  }
}

std::size_t context_offset(Marker marker) {
  switch (marker) {
    case Marker::warp_masks:
      return offsetof(BlockContext, warp_masks);
    case Marker::is_cooperative:
      return offsetof(BlockContext, cooperative);
    case Marker::shared_memory:
      return offsetof(BlockContext, shared);
    case Marker::shared_size:
      return offsetof(BlockContext, shared_size);
    case Marker::local_memory:
      return offsetof(BlockContext, local_memory);
    case Marker::local_size:
      return offsetof(BlockContext, local_size);
    default:
      return offsetof(BlockContext, stack);
  }
}

/// Fields of the context, the same for all blocks that a worker runs. Loaded where they are asked
/// for: no values to be carried across barriers.
void lower_context_fields(const KernelBody& body) {
  for (llvm::Instruction& instruction :
       llvm::make_early_inc_range(llvm::instructions(*body.function))) {
    const Marker marker = marker_of(instruction);
    if (!is_context_field(marker)) continue;
    llvm::IRBuilder<> builder(&instruction);
    llvm::Type* type = instruction.getType();
    llvm::LoadInst* loaded =
        builder.CreateLoad(type->isPointerTy() ? builder.getPtrTy() : type,
                           context_field(builder, body.context(), context_offset(marker)));
    loaded->setMetadata(llvm::LLVMContext::MD_invariant_load,
                        llvm::MDNode::get(builder.getContext(), {}));
    instruction.replaceAllUsesWith(
        type->isPointerTy() ? builder.CreatePointerBitCastOrAddrSpaceCast(loaded, type) : loaded);
    instruction.eraseFromParent();
  }
}

/// `block[d] * size[d]`, which with the thread's index is below what a launch may have.
bool is_block_offset(const KernelBody& body, const llvm::BinaryOperator& value,
                     unsigned dimension) {
  if (value.getOpcode() != llvm::Instruction::Mul) return false;
  const Value *index = body.block_index(dimension), *size = body.block_size(dimension);
  return (value.getOperand(0) == index && value.getOperand(1) == size) ||
         (value.getOperand(0) == size && value.getOperand(1) == index);
}

constexpr unsigned largest_thread_index = 1023;

/// `block[d] * constant` where no grid is so large that it wraps: along x one may be.
bool is_small_block_offset(const KernelBody& body, const llvm::BinaryOperator& value,
                           unsigned dimension) {
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value.getOperand(1));
  if (dimension == 0 || !constant || value.getOperand(0) != body.block_index(dimension))
    return false;
  constexpr unsigned most = (0x7fffffffu - largest_thread_index) / (max_blocks_along_y - 1);
  if (value.getOpcode() == llvm::Instruction::Mul) return constant->getValue().ule(most);
  return value.getOpcode() == llvm::Instruction::Shl &&
         constant->getValue().ule(llvm::Log2_32(most));
}

bool mark_global_indices(const KernelBody& body) {
  bool assumed = false;
  for (unsigned dimension = 0; dimension < 3; ++dimension)
    for (llvm::User* user : body.thread_index(dimension)->users()) {
      auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(user);
      if (!sum || sum->getOpcode() != llvm::Instruction::Add) continue;
      const unsigned side = sum->getOperand(0) == body.thread_index(dimension) ? 1 : 0;
      auto* offset = llvm::dyn_cast<llvm::BinaryOperator>(sum->getOperand(side));
      const bool any_size = offset && is_block_offset(body, *offset, dimension);
      if (!any_size && !(offset && is_small_block_offset(body, *offset, dimension))) continue;
      for (llvm::BinaryOperator* marked : {sum, offset}) {
        marked->setHasNoUnsignedWrap(true);
        marked->setHasNoSignedWrap(true);
      }
      assumed |= any_size;
    }
  return assumed;
}

}  // namespace

bool KernelBody::is_thread_index(const Value* value) const {
  return value == thread_index(0) || value == thread_index(1) || value == thread_index(2);
}

bool KernelBody::reads_launch_arguments(const llvm::LoadInst& load) const {
  const auto* source =
      llvm::dyn_cast<llvm::Argument>(llvm::getUnderlyingObject(load.getPointerOperand(), 0));
  return source && load.isSimple() && source->getArgNo() < user_parameters &&
         !value_types[source->getArgNo()] && source->hasAttribute(llvm::Attribute::ReadOnly);
}

bool KernelBody::reads_member(const llvm::LoadInst& load) const {
  const Value* from = load.getPointerOperand()->stripInBoundsConstantOffsets();
  return llvm::isa<llvm::Argument>(from) && reads_launch_arguments(load);
}

bool KernelBody::reads_block_field(const llvm::LoadInst& load) const {
  return load.getPointerOperand()->stripInBoundsConstantOffsets() == context() &&
         load.hasMetadata(llvm::LLVMContext::MD_invariant_load);
}

void lower_services_for_threads(const KernelBody& body, llvm::Function& function,
                                llvm::function_ref<bool(Marker)> wanted) {
  const auto parameter = [&](const llvm::Argument* of_body) {
    return function.getArg(of_body->getArgNo());
  };
  lower_services(function, wanted, [&](llvm::IRBuilderBase& builder) {
    store_thread_index(builder, parameter(body.context()),
                       {parameter(body.thread_index(0)), parameter(body.thread_index(1)),
                        parameter(body.thread_index(2))});
  });
}

KernelBody make_kernel_body(KernelPlan& kernel, SharedMemory& shared) {
  llvm::Function& source = *kernel.function;
  KernelBody body;
  body.stores_thread_index = calls_functions(source);
  shared.plan_kernel(kernel, body.stores_thread_index);
  body.function = create_function(kernel);
  body.user_parameters = static_cast<unsigned>(source.arg_size());
  name_hidden_parameters(body);
  body.function->splice(body.function->begin(), &source);
  move_parameters(source, body);
  lower_indices(body);
  lower_context_fields(body);
  lower_services_for_threads(body, *body.function,
                             [](Marker marker) { return is_service(marker) && !is_check(marker); });
  shared.lower(*body.function, body.shared(), [&](llvm::IRBuilderBase& builder) {
    return builder.getInt64(kernel.static_shared + kernel.exchange_shared);
  });
  kernel.small_index = mark_global_indices(body);
  return body;
}

}  // namespace treadle::cuda_cpu
