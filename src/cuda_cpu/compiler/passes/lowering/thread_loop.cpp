// SPDX-License-Identifier: MIT
// Thread loop: code for one thread becomes a loop over the threads of a block
// which LLVM may vectorise: CUDA promises no order between them, so accesses of different threads
// are declared independent.
//
//   call void @thread(...)        =>      for z, for y: [for each block of a row of blocks:]
//                                         x: %x = phi i32 ...
//                                            call void @thread(..., i32 %x, ...)     ; inlined
//                                            br i1 %more, label %x, ..., !llvm.loop !0
//   !0 = distinct !{!0, !{!"llvm.loop.parallel_accesses", !1},
//                   !{!"llvm.loop.vectorize.enable", i1 true}}
#include "cuda_cpu/compiler/passes/lowering/thread_loop.hpp"

#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <optional>

#include "cuda_cpu/compiler/passes/lowering/block_context.hpp"
#include "cuda_cpu/compiler/passes/lowering/retarget.hpp"

namespace treadle::cuda_cpu {
namespace {

using llvm::BasicBlock;
using llvm::Value;

llvm::MDNode* string_property(llvm::LLVMContext& context, const char* name,
                              llvm::Metadata* value = nullptr) {
  llvm::SmallVector<llvm::Metadata*, 2> operands{llvm::MDString::get(context, name)};
  if (value) operands.push_back(value);
  return llvm::MDNode::get(context, operands);
}

llvm::MDNode* flag(llvm::LLVMContext& context, const char* name, bool value) {
  return string_property(context, name,
                         llvm::ConstantAsMetadata::get(llvm::ConstantInt::getBool(context, value)));
}

llvm::MDNode* loop_node(llvm::LLVMContext& context, llvm::ArrayRef<llvm::Metadata*> properties) {
  llvm::SmallVector<llvm::Metadata*, 6> operands{nullptr,  // becomes the node itself
                                                 string_property(context, thread_loop_mark)};
  operands.append(properties.begin(), properties.end());
  llvm::MDNode* node = llvm::MDNode::getDistinct(context, operands);
  node->replaceOperandWith(0, node);
  return node;
}

// Callers promise 16 bytes. A vector that is spilled in the innermost loop may then lie across two
// cache lines, or not, as the depth of the stack has it: tiled products took 8.6 ms or 4.3.
constexpr std::uint64_t spill_alignment = 64;

llvm::MDNode* number(llvm::LLVMContext& context, const char* name, unsigned value) {
  auto* constant = llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), value);
  return string_property(context, name, llvm::ConstantAsMetadata::get(constant));
}

/// Of the loops over y and z, and of a loop that shall stay as it is written: a second copy of the
/// code inside would only take time to compile.
llvm::MDNode* plain_loop(llvm::LLVMContext& context) {
  return loop_node(context, {flag(context, "llvm.loop.vectorize.enable", false),
                             string_property(context, "llvm.loop.unroll.disable")});
}

/// Of the loop over y, where a row's vectors do not fit into registers.
llvm::MDNode* loop_that_keeps_loads(llvm::LLVMContext& context) {
  return loop_node(context, {flag(context, "llvm.loop.vectorize.enable", false),
                             string_property(context, "llvm.loop.unroll.disable"),
                             string_property(context, "llvm.licm.disable")});
}

/// What becomes of a loop when its vectors are made.
llvm::MDNode* afterwards(llvm::LLVMContext& context, const char* which,
                         llvm::ArrayRef<llvm::Metadata*> properties) {
  llvm::SmallVector<llvm::Metadata*, 3> operands{llvm::MDString::get(context, which),
                                                 number(context, "llvm.loop.isvectorized", 1)};
  operands.append(properties.begin(), properties.end());
  return llvm::MDNode::get(context, operands);
}

llvm::MDNode* parallel_loop(llvm::LLVMContext& context, const ThreadLoop& loop, LoopKind kind,
                            bool constant_width) {
  const UnrollAndJamPlan& plan = loop.plan;
  llvm::MDNode* as_it_is = string_property(context, "llvm.loop.unroll.disable");
  // What is left when a block is no multiple of the vector's width: too few threads to unroll.
  llvm::MDNode* rest = afterwards(context, "llvm.loop.vectorize.followup_epilogue", {as_it_is});
  llvm::SmallVector<llvm::Metadata*, 5> properties{
      string_property(context, "llvm.loop.parallel_accesses", loop.group), rest};
  // What this processor cannot load or store under masks becomes a branch for each thread: but for
  // `parallel` LLVM tells whether such vectors are worth their time, and ours.
  if (kind == LoopKind::parallel)
    properties.push_back(flag(context, "llvm.loop.vectorize.enable", true));
  // The rest of a row, too, is a vector then, and no loop behind it has to be compiled.
  if (kind == LoopKind::masked)
    properties.push_back(flag(context, "llvm.loop.vectorize.predicate.enable", true));
  if (constant_width) {
    // LLVM unrolls short loops of known trip count before it vectorises; the vector loop it may
    // unroll.
    properties.push_back(as_it_is);
    properties.push_back(afterwards(context, "llvm.loop.vectorize.followup_vectorized", {}));
  }
  if (plan.rows > 1) {
    properties.push_back(number(context, "llvm.loop.vectorize.width", plan.vector_elements));
    properties.push_back(number(context, "llvm.loop.interleave.count", plan.vectors));
  } else {
    // LLVM would interleave four vectors. Of a row of 32 threads all would be left for the loop
    // behind, and in long rows the processor looks that far ahead by itself.
    properties.push_back(number(context, "llvm.loop.interleave.count", 1));
  }
  return loop_node(context, properties);
}

/// One of the three loops: blocks and counter.
struct Counter {
  BasicBlock* header;
  BasicBlock* latch;
  BasicBlock* after;
  llvm::PHINode* value;
};

Counter open_loop(llvm::IRBuilder<>& builder, const char* name, Value* from) {
  llvm::Function* function = builder.GetInsertBlock()->getParent();
  llvm::LLVMContext& context = builder.getContext();
  BasicBlock* before = builder.GetInsertBlock();
  Counter counter{BasicBlock::Create(context, name, function),
                  BasicBlock::Create(context, llvm::Twine(name) + ".next", function),
                  BasicBlock::Create(context, llvm::Twine(name) + ".end", function), nullptr};
  builder.CreateBr(counter.header);
  builder.SetInsertPoint(counter.header);
  counter.value = builder.CreatePHI(builder.getInt32Ty(), 2, name);
  counter.value->addIncoming(from, before);
  return counter;
}

/// `extent` is a multiple of `step`.
void close_loop(llvm::IRBuilder<>& builder, const Counter& counter, Value* extent,
                llvm::MDNode* properties, unsigned step = 1) {
  builder.CreateBr(counter.latch);
  builder.SetInsertPoint(counter.latch);
  Value* next = builder.CreateAdd(counter.value, builder.getInt32(step), "", true, true);
  counter.value->addIncoming(next, counter.latch);
  // Known to be long, the loop of whole vectors comes first in memory, not what is left of them.
  // There debuggers look first for a line.
  llvm::MDNode* weights = llvm::MDBuilder(builder.getContext()).createLikelyBranchWeights();
  Value* more = builder.CreateICmpULT(next, extent);
  builder.CreateCondBr(more, counter.header, counter.after, weights)
      ->setMetadata(llvm::LLVMContext::MD_loop, properties);
  builder.SetInsertPoint(counter.after);
}

/// Arrays of a thread: an access that may reach one must not be called independent of the same
/// access by another thread.
class ThreadMemory {
 public:
  explicit ThreadMemory(const llvm::Function& function) {
    for (const llvm::Instruction& instruction : llvm::instructions(function))
      if (llvm::isa<llvm::AllocaInst>(instruction)) {
        any_ = true;
        captured_ |= llvm::PointerMayBeCaptured(&instruction, true, false);
      }
  }

  bool may_reach(const llvm::Instruction& access) const {
    if (!any_) return false;
    const Value* pointer = llvm::getLoadStorePointerOperand(&access);
    if (!pointer) return true;
    llvm::SmallVector<const Value*, 4> objects;
    llvm::getUnderlyingObjects(pointer, objects, nullptr, 0);
    for (const Value* object : objects) {
      if (llvm::isa<llvm::AllocaInst>(object)) return true;
      const bool foreign = llvm::isa<llvm::Argument, llvm::GlobalValue>(object);
      if (!foreign && captured_) return true;
      if (!foreign && !llvm::isa<llvm::LoadInst, llvm::CallBase>(object)) return true;
    }
    return false;
  }

 private:
  bool any_ = false, captured_ = false;
};

}  // namespace

llvm::SmallVector<Value*, 24> BlockEntry::values_at(const KernelBody& body,
                                                    const ThreadPosition& at) const {
  llvm::SmallVector<Value*, 24> own(values);
  own[body.user_parameters] = at.x;
  own[body.user_parameters + 1] = at.y;
  own[body.user_parameters + 2] = at.z;
  return own;
}

Value* invariant(Value* load) {
  llvm::cast<llvm::LoadInst>(load)->setMetadata(llvm::LLVMContext::MD_invariant_load,
                                                llvm::MDNode::get(load->getContext(), {}));
  return load;
}

BlockEntry create_block_entry(const KernelBody& body, const std::string& name,
                              const llvm::TargetMachine& machine, llvm::IRBuilder<>& builder) {
  llvm::LLVMContext& context = builder.getContext();
  BlockEntry entry;
  auto* type =
      llvm::FunctionType::get(builder.getVoidTy(), {builder.getPtrTy(), builder.getPtrTy()}, false);
  entry.function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name,
                                          body.function->getParent());
  set_host_attributes(*entry.function, machine);
  entry.function->addFnAttr(
      llvm::Attribute::getWithStackAlignment(context, llvm::Align(spill_alignment)));
  Value* arguments = entry.function->getArg(0);
  entry.context = entry.function->getArg(1);
  builder.SetInsertPoint(BasicBlock::Create(context, "entry", entry.function));

  for (unsigned i = 0; i < body.user_parameters; ++i) {
    Value* storage = invariant(builder.CreateLoad(
        builder.getPtrTy(), builder.CreateConstInBoundsGEP1_64(builder.getPtrTy(), arguments, i)));
    llvm::Type* value_type = body.value_types[i];
    llvm::Type* parameter_type = body.function->getArg(i)->getType();
    entry.values.push_back(value_type ? invariant(builder.CreateLoad(value_type, storage))
                                      : builder.CreateAddrSpaceCast(storage, parameter_type));
  }
  entry.values.append(3, nullptr);
  for (Marker marker : {Marker::block_index, Marker::block_size, Marker::grid_size})
    for (unsigned dimension = 0; dimension < 3; ++dimension)
      entry.values.push_back(
          invariant(load_context_u32(builder, entry.context, index_offset(marker, dimension))));
  entry.values.push_back(
      invariant(load_context_pointer(builder, entry.context, offsetof(BlockContext, shared))));
  entry.values.push_back(entry.context);
  return entry;
}

void emit_thread_loop(llvm::IRBuilder<>& builder, const KernelBody& body, const BlockEntry& entry,
                      const ThreadLoop& loop) {
  Value* size_x = entry.block_size(body, 0);
  Value* size_y = entry.block_size(body, 1);
  const Counter z = open_loop(builder, "z", builder.getInt32(0));
  Value* const zero = builder.getInt32(0);
  // A block has at most 1024 threads: nothing here wraps.
  Value* const rows_before = builder.CreateMul(z.value, size_y, "", true, true);
  const auto number_of_row = [&](Value* own_y) {
    Value* const number = builder.CreateAdd(own_y, rows_before, "", true, true);
    return builder.CreateMul(number, size_x, "", true, true);
  };
  const auto enter_rows = [&](Value* own_y, Value* first) {
    if (loop.before_rows) loop.before_rows({zero, own_y, z.value, first});
  };
  if (!loop.blocks) enter_rows(zero, number_of_row(zero));
  const Counter y = open_loop(builder, "y", zero);
  Value* const row = number_of_row(y.value);
  if (loop.blocks) enter_rows(y.value, row);
  std::optional<Counter> block;
  if (loop.blocks) {
    block = open_loop(builder, "block", zero);
    loop.before_block(block->value);
  }
  if (loop.before_row) loop.before_row(row);
  const auto thread_at = [&](unsigned row_of_plan, Value* own_x) -> ThreadPosition {
    Value* own_y = builder.CreateAdd(y.value, builder.getInt32(row_of_plan), "", true, true);
    Value* before = builder.CreateMul(size_x, builder.getInt32(row_of_plan), "", true, true);
    Value* first = builder.CreateAdd(row, before, "", true, true);
    return {own_x, own_y, z.value, builder.CreateAdd(first, own_x, "thread", true, true)};
  };
  llvm::LLVMContext& context = builder.getContext();
  const auto run_part = [&](const RowPart& part) {
    const Counter x = open_loop(builder, "x", part.begin);
    llvm::SmallVector<ThreadPosition, 2> threads;
    for (unsigned i = 0; i < loop.plan.rows; ++i) threads.push_back(thread_at(i, x.value));
    for (const ThreadPosition& thread : threads) part.emit(thread);
    close_loop(builder, x, part.end,
               part.kind == LoopKind::serial
                   ? plain_loop(context)
                   : parallel_loop(context, loop, part.kind, llvm::isa<llvm::ConstantInt>(size_x)));
  };
  if (loop.emit_row)
    loop.emit_row(thread_at(0, zero), run_part);
  else
    run_part({zero, size_x, loop.kind, loop.emit});
  if (block) close_loop(builder, *block, loop.blocks, plain_loop(context));
  close_loop(builder, y, size_y,
             loop.plan.rows > 1 ? loop_that_keeps_loads(context) : plain_loop(context),
             loop.plan.rows);
  close_loop(builder, z, entry.block_size(body, 2), plain_loop(context));
}

void join_access_group(llvm::Function& function, llvm::MDNode* group) {
  const ThreadMemory own(function);
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (!instruction.mayReadOrWriteMemory() || instruction.isAtomic()) continue;
    if (own.may_reach(instruction)) continue;
    llvm::MDNode* before = instruction.getMetadata(llvm::LLVMContext::MD_access_group);
    instruction.setMetadata(llvm::LLVMContext::MD_access_group,
                            llvm::uniteAccessGroups(before, group));
  }
}

llvm::Function* copy_with_groups(llvm::Function& function, llvm::ValueToValueMapTy& copies) {
  // Of functions with debug information LLVM copies what is distinct, too.
  const auto keep = [&](llvm::Metadata* group) { copies.MD()[group].reset(group); };
  for (const llvm::Instruction& instruction : llvm::instructions(function))
    if (llvm::MDNode* groups = instruction.getMetadata(llvm::LLVMContext::MD_access_group)) {
      if (groups->getNumOperands() == 0) keep(groups);
      for (const llvm::MDOperand& group : groups->operands()) keep(group.get());
    }
  return llvm::CloneFunction(&function, copies);
}

}  // namespace treadle::cuda_cpu
