// SPDX-License-Identifier: MIT
// Pass 8, thread loop: a kernel without barriers becomes a function that runs a whole block, its
// threads one after the other in a loop LLVM may vectorise: CUDA promises no order between them,
// so accesses of different threads are declared independent.
//
//   define void @body.k(...)      =>    define void @run.k(ptr %arguments, ptr %context) {
//                                         for z, for y: [for each block of a row of blocks:]
//                                         x: %x = phi i32 ...
//                                            call void @body.k(..., i32 %x, ...)     ; inlined
//                                            br i1 %more, label %x, ..., !llvm.loop !0
//   !0 = distinct !{!0, !{!"llvm.loop.parallel_accesses", !1}, !{!"llvm.loop.vectorize.enable", i1
//   true}}
#include "cuda_cpu/compiler/passes/thread_loop.hpp"

#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <optional>

#include "cuda_cpu/compiler/passes/block_context.hpp"
#include "cuda_cpu/compiler/passes/retarget.hpp"
#include "cuda_cpu/compiler/passes/shared_atomics.hpp"

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
  llvm::SmallVector<llvm::Metadata*, 5> operands{nullptr};  // becomes the node itself
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

llvm::MDNode* parallel_loop(llvm::LLVMContext& context, llvm::MDNode* group, bool constant_width,
                            const RowPlan& plan) {
  llvm::MDNode* as_it_is = string_property(context, "llvm.loop.unroll.disable");
  // What is left when a block is no multiple of the vector's width: too few threads to unroll.
  llvm::MDNode* rest = afterwards(context, "llvm.loop.vectorize.followup_epilogue", {as_it_is});
  llvm::SmallVector<llvm::Metadata*, 5> properties{
      string_property(context, "llvm.loop.parallel_accesses", group),
      flag(context, "llvm.loop.vectorize.enable", true), rest};
  if (constant_width) {
    // LLVM unrolls few known steps before it looks for vectors; of those it may.
    properties.push_back(as_it_is);
    properties.push_back(afterwards(context, "llvm.loop.vectorize.followup_vectorized", {}));
  }
  if (plan.rows > 1) {
    properties.push_back(number(context, "llvm.loop.vectorize.width", plan.vector_elements));
    properties.push_back(number(context, "llvm.loop.interleave.count", plan.vectors));
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

Counter open_loop(llvm::IRBuilder<>& builder, const char* name) {
  llvm::Function* function = builder.GetInsertBlock()->getParent();
  llvm::LLVMContext& context = builder.getContext();
  BasicBlock* before = builder.GetInsertBlock();
  Counter counter{BasicBlock::Create(context, name, function),
                  BasicBlock::Create(context, llvm::Twine(name) + ".next", function),
                  BasicBlock::Create(context, llvm::Twine(name) + ".end", function), nullptr};
  builder.CreateBr(counter.header);
  builder.SetInsertPoint(counter.header);
  counter.value = builder.CreatePHI(builder.getInt32Ty(), 2, name);
  counter.value->addIncoming(builder.getInt32(0), before);
  return counter;
}

/// `extent` is a multiple of `step`.
void close_loop(llvm::IRBuilder<>& builder, const Counter& counter, Value* extent,
                llvm::MDNode* properties, unsigned step = 1) {
  builder.CreateBr(counter.latch);
  builder.SetInsertPoint(counter.latch);
  Value* next = builder.CreateAdd(counter.value, builder.getInt32(step), "", true, true);
  counter.value->addIncoming(next, counter.latch);
  builder.CreateCondBr(builder.CreateICmpULT(next, extent), counter.header, counter.after)
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
  const Counter z = open_loop(builder, "z");
  const Counter y = open_loop(builder, "y");
  // A block has at most 1024 threads: nothing here wraps.
  Value* row = builder.CreateMul(z.value, size_y, "", true, true);
  row = builder.CreateMul(builder.CreateAdd(y.value, row, "", true, true), size_x, "", true, true);
  std::optional<Counter> block;
  if (loop.blocks) {
    block = open_loop(builder, "block");
    loop.before_block(block->value);
  }
  if (loop.before_row) loop.before_row(row);
  const Counter x = open_loop(builder, "x");
  llvm::SmallVector<ThreadPosition, 2> threads;
  for (unsigned i = 0; i < loop.plan.rows; ++i) {
    Value* own_y = builder.CreateAdd(y.value, builder.getInt32(i), "", true, true);
    Value* rows_before = builder.CreateMul(size_x, builder.getInt32(i), "", true, true);
    Value* first = builder.CreateAdd(row, rows_before, "", true, true);
    Value* linear = builder.CreateAdd(first, x.value, "thread", true, true);
    threads.push_back({x.value, own_y, z.value, linear});
  }
  for (const ThreadPosition& thread : threads) loop.emit(thread);
  llvm::LLVMContext& context = builder.getContext();
  close_loop(
      builder, x, size_x,
      loop.kind == LoopKind::parallel
          ? parallel_loop(context, loop.group, llvm::isa<llvm::ConstantInt>(size_x), loop.plan)
          : plain_loop(context));
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

void make_block_function(KernelPlan& kernel, const KernelBody& body,
                         const llvm::TargetMachine& machine) {
  llvm::LLVMContext& context = body.function->getContext();
  llvm::IRBuilder<> builder(context);
  BlockEntry entry = create_block_entry(body, "run." + kernel.name, machine, builder);
  llvm::MDNode* group = llvm::MDNode::getDistinct(context, {});
  join_access_group(*body.function, group);
  make_shared_atomics_plain(*body.function);
  llvm::CallInst* call = nullptr;
  const auto run_thread = [&](const ThreadPosition& at) {
    if (body.stores_thread_index) store_thread_index(builder, entry.context, {at.x, at.y, at.z});
    entry.values[body.user_parameters] = at.x;
    entry.values[body.user_parameters + 1] = at.y;
    entry.values[body.user_parameters + 2] = at.z;
    call = builder.CreateCall(body.function, entry.values);
  };
  ThreadLoop loop{LoopKind::parallel, group, run_thread};
  Value* const first = entry.values[body.user_parameters + 3];
  const auto enter_block = [&](Value* number) {
    Value*& index = entry.values[body.user_parameters + 3];
    index = builder.CreateAdd(first, number, "", true, true);
    builder.CreateStore(
        index, context_field(builder, entry.context, index_offset(Marker::block_index, 0)));
  };
  if (kernel.runs_block_rows) {
    // The index of the block changes while the function runs.
    llvm::cast<llvm::LoadInst>(first)->setMetadata(llvm::LLVMContext::MD_invariant_load, nullptr);
    loop.blocks = load_context_u32(builder, entry.context, offsetof(BlockContext, blocks_in_row));
    loop.before_block = enter_block;
  }
  emit_thread_loop(builder, body, entry, loop);
  builder.CreateRetVoid();
  inline_threads({call});
  body.function->eraseFromParent();
  kernel.run = entry.function;
}

}  // namespace treadle::cuda_cpu
