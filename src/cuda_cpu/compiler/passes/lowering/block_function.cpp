// SPDX-License-Identifier: MIT
// Block functions: a kernel without barriers becomes a function that runs a whole block, or
// several neighbouring ones, with a loop over the threads of each row. Where the kernel's guards
// were split off (index_set_splitting), the threads of a row that pass them run a copy without the
// guards, in a vector loop without masks. The others follow one after the other: all they do is
// evaluate the guards.
//
//   void @body.k(...) {              =>   void @run.k(ptr %arguments, ptr %context) {
//     br (%i < %n), %work, %end             for z, for y: [for each block of a row of blocks:]
//     work: ...                               for x from %begin to %end { work }
//                                             for x from 0 to %begin, from %end to %size { body.k }
#include "cuda_cpu/compiler/passes/lowering/block_function.hpp"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>

#include "cuda_cpu/compiler/passes/lowering/block_context.hpp"
#include "cuda_cpu/compiler/passes/lowering/thread_loop.hpp"
#include "cuda_cpu/compiler/passes/pass_context.hpp"

namespace treadle::cuda_cpu {
namespace {

using llvm::BasicBlock;
using llvm::Value;

class BlockBuilder {
 public:
  BlockBuilder(const KernelWork& work, const llvm::TargetMachine& machine)
      : work_(work),
        kernel_(work.plan),
        body_(*work.body),
        unchecked_(work.checks ? work.checks->unchecked() : body_.function),
        builder_(body_.function->getContext()),
        entry_(create_block_entry(body_, "run." + kernel_.name, machine, builder_)) {}

  llvm::Function* build();

 private:
  using RunPart = llvm::function_ref<void(const RowPart&)>;

  void emit_thread(llvm::Function* function, const ThreadPosition& at);
  void emit_row(const ThreadPosition& first, RunPart run_part);
  void emit_guarded(const IndexSetSplit& guards, const ThreadPosition& first, RunPart run_part);
  RowConditions::Range who_passes(const IndexSetSplit& guards, const ThreadPosition& first);
  void emit_others(const RowConditions::Range& passing, RunPart run_part);

  llvm::LLVMContext& context() const { return builder_.getContext(); }
  const IndexSetSplit* guards() const {
    return work_.guards && work_.guards->function() ? &*work_.guards : nullptr;
  }
  Value* size() const { return entry_.block_size(body_, 0); }
  BasicBlock* new_block(const char* name) const {
    return BasicBlock::Create(context(), name, entry_.function);
  }
  /// Goes on in a new block if `condition` holds.
  void enter_if(Value* condition, BasicBlock* otherwise, llvm::MDNode* weights = nullptr) {
    BasicBlock* block = new_block("if");
    builder_.CreateCondBr(condition, block, otherwise, weights);
    builder_.SetInsertPoint(block);
  }
  void go_on_in(BasicBlock* block) {
    builder_.CreateBr(block);
    builder_.SetInsertPoint(block);
  }

  const KernelWork& work_;
  const KernelPlan& kernel_;
  const KernelBody& body_;
  llvm::Function* const unchecked_;  ///< the body's function if nothing is checked
  llvm::IRBuilder<> builder_;
  BlockEntry entry_;
  llvm::SmallVector<llvm::CallInst*, 2> calls_;
  Value* all_pass_ = nullptr;  ///< i1: all rows together have passed their checks
};

void BlockBuilder::emit_thread(llvm::Function* function, const ThreadPosition& at) {
  if (body_.stores_thread_index) store_thread_index(builder_, entry_.context, {at.x, at.y, at.z});
  calls_.push_back(builder_.CreateCall(function, entry_.values_at(body_, at)));
}

/// Most rows pass as a whole: that is tested first, at less cost.
RowConditions::Range BlockBuilder::who_passes(const IndexSetSplit& guards,
                                              const ThreadPosition& first) {
  Value *const zero = builder_.getInt32(0), *const one = builder_.getInt32(1);
  Value* const last_x = builder_.CreateSub(size(), one);
  const auto of_first = entry_.values_at(body_, first);
  const auto of_last = entry_.values_at(body_, {last_x, first.y, first.z, nullptr});
  Value* const all = guards.conditions().hold(builder_, of_first, of_last, last_x);
  BasicBlock *const asked = builder_.GetInsertBlock(), *const known = new_block("known");
  BasicBlock* const some = new_block("some");
  builder_.CreateCondBr(all, known, some, llvm::MDBuilder(context()).createLikelyBranchWeights());
  builder_.SetInsertPoint(some);
  const auto range = guards.conditions().range(builder_, of_first, of_last, last_x);
  go_on_in(known);
  const auto either = [&](Value* if_all, Value* if_some) {
    llvm::PHINode* phi = builder_.CreatePHI(builder_.getInt32Ty(), 2);
    phi->addIncoming(if_all, asked);
    phi->addIncoming(if_some, some);
    return phi;
  };
  return {either(zero, range.begin), either(size(), range.end), builder_.getTrue()};
}

/// Before and behind those that pass: a loop of two iterations, so that the code is there once.
void BlockBuilder::emit_others(const RowConditions::Range& passing, RunPart run_part) {
  Value* const zero = builder_.getInt32(0);
  const auto run = [&](const ThreadPosition& at) { emit_thread(unchecked_, at); };
  BasicBlock *const side = new_block("side"), *const next = new_block("next");
  BasicBlock *const before = builder_.GetInsertBlock(), *const done = new_block("done");
  go_on_in(side);
  llvm::PHINode* behind = builder_.CreatePHI(builder_.getInt1Ty(), 2);
  behind->addIncoming(builder_.getFalse(), before);
  behind->addIncoming(builder_.getTrue(), next);
  Value* const begin = builder_.CreateSelect(behind, passing.end, zero);
  Value* const end = builder_.CreateSelect(behind, size(), passing.begin);
  enter_if(builder_.CreateICmpULT(begin, end), next);
  run_part({begin, end, LoopKind::serial, run});
  go_on_in(next);
  builder_.CreateCondBr(behind, done, side);
  builder_.SetInsertPoint(done);
}

void BlockBuilder::emit_guarded(const IndexSetSplit& guards, const ThreadPosition& first,
                                RunPart run_part) {
  const auto run = [&](const ThreadPosition& at) { emit_thread(guards.function(), at); };
  const auto passing = who_passes(guards, first);
  BasicBlock *const around = new_block("around"), *const done = new_block("done");
  enter_if(builder_.CreateICmpULT(passing.begin, passing.end), around);
  run_part({passing.begin, passing.end, LoopKind::parallel, run});
  go_on_in(around);
  Value* const count = builder_.CreateSub(passing.end, passing.begin);
  enter_if(builder_.CreateICmpNE(count, size()), done,
           llvm::MDBuilder(context()).createUnlikelyBranchWeights());
  emit_others(passing, run_part);
  go_on_in(done);
}

/// A row that passes its checks runs without them.
void BlockBuilder::emit_row(const ThreadPosition& first, RunPart run_part) {
  BasicBlock* done = nullptr;
  if (work_.checks) {
    const auto run = [&](const ThreadPosition& at) { emit_thread(body_.function, at); };
    Value* const passes = work_.checks->pass(
        builder_, {entry_.values_at(body_, first), size(), first.linear, entry_.context},
        all_pass_);
    BasicBlock *const checked = new_block("checked"), *const free = new_block("free");
    done = new_block("row.done");
    builder_.CreateCondBr(passes, free, checked);
    builder_.SetInsertPoint(checked);
    run_part({builder_.getInt32(0), size(), LoopKind::serial, run});
    builder_.CreateBr(done);
    builder_.SetInsertPoint(free);
  }
  if (const IndexSetSplit* guards = this->guards()) {
    emit_guarded(*guards, first, run_part);
  } else {
    const auto run = [&](const ThreadPosition& at) { emit_thread(unchecked_, at); };
    run_part({builder_.getInt32(0), size(), LoopKind::parallel, run});
  }
  if (done) go_on_in(done);
}

llvm::Function* BlockBuilder::build() {
  const auto run_thread = [&](const ThreadPosition& at) { emit_thread(body_.function, at); };
  const auto run_row = [&](const ThreadPosition& of_row, RunPart run_part) {
    emit_row(of_row, run_part);
  };
  ThreadLoop loop{LoopKind::parallel, work_.group, run_thread};
  if (guards() || work_.checks) loop.emit_row = run_row;
  const auto ask_all = [&](const ThreadPosition& of_first) {
    all_pass_ = work_.checks->all_pass(
        builder_, {entry_.values_at(body_, of_first), size(), of_first.linear, entry_.context},
        loop.blocks ? loop.blocks : entry_.block_size(body_, 1));
  };
  if (work_.checks) loop.before_rows = ask_all;
  Value* const first = entry_.values[body_.user_parameters + 3];
  const auto enter_block = [&](Value* number) {
    Value*& index = entry_.values[body_.user_parameters + 3];
    index = builder_.CreateAdd(first, number, "", true, true);
    builder_.CreateStore(
        index, context_field(builder_, entry_.context, index_offset(Marker::block_index, 0)));
  };
  if (kernel_.runs_block_rows) {
    // The index of the block changes while the function runs.
    llvm::cast<llvm::LoadInst>(first)->setMetadata(llvm::LLVMContext::MD_invariant_load, nullptr);
    loop.blocks = load_context_u32(builder_, entry_.context, offsetof(BlockContext, blocks_in_row));
    loop.before_block = enter_block;
  }
  emit_thread_loop(builder_, body_, entry_, loop);
  builder_.CreateRetVoid();
  for (llvm::CallInst* call : calls_) inline_threads({call});
  if (work_.checks) unchecked_->eraseFromParent();
  body_.function->eraseFromParent();
  if (guards()) guards()->function()->eraseFromParent();
  return entry_.function;
}

}  // namespace

void make_block_function(KernelWork& kernel, const llvm::TargetMachine& machine) {
  kernel.plan.run = BlockBuilder(kernel, machine).build();
}

}  // namespace treadle::cuda_cpu
