// SPDX-License-Identifier: MIT
// Thread loops of regions: each region, a function for one thread, gets loops over the threads of a
// block. `run_all` is called while all threads of the block go the same way. Where a branch depends
// on the thread they may not; each thread then leaves a note in `state`, and the scheduler runs
// those that it has released. Mostly they are neighbours: the same loops run from the first to the
// last of each run of them, and nothing is compiled twice. An interchanged loop that each thread
// leaves in an iteration of its own has other gaps in every iteration; there `run_selected` runs
// all threads under masks, unless it has indices that are consecutive (consecutive_indices): then
// the threads that are left are neighbours, too.
//
//   define i8 @region.1(..., i32 %thread, ...)   =>   void @all.1.k(...)
//                                                       for each run of a row, or all of the row:
//                                                         for all x of it: region.1
//   of a scheduling barrier:                          void @selected.1.k(...)  for x if selected[x]
#include "cuda_cpu/compiler/passes/regions/region_entries.hpp"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "cuda_cpu/compiler/passes/lowering/block_context.hpp"
#include "cuda_cpu/compiler/passes/lowering/retarget.hpp"
#include "cuda_cpu/compiler/passes/lowering/thread_loop.hpp"
#include "cuda_cpu/compiler/passes/pass_context.hpp"
#include "cuda_cpu/compiler/passes/regions/frame_scopes.hpp"
#include "cuda_cpu/compiler/passes/speed/software_prefetch.hpp"

namespace treadle::cuda_cpu {
namespace {

using llvm::Value;

constexpr unsigned narrow_row = 16;  // threads: a vector of most types

/// Makes `run_all` and `run_selected` of one region.
class RegionEntries {
 public:
  /// `part`: threads of the kernel may go different ways.
  RegionEntries(const KernelPlan& kernel, const SplitKernel& split,
                const llvm::TargetMachine& machine, unsigned number, Counters counters, bool part)
      : kernel_(kernel),
        body_(split.body),
        machine_(machine),
        work_(split.regions[number]),
        region_(work_.function),
        number_(number),
        exits_(split.exits[number]),
        counters_(counters) {
    if (!part) return;
    if (split.graph->regions()[number].barrier == BarrierKind::scheduling &&
        region_.indices.empty())
      selected_ = make("selected.", Threads::selected);
    else
      any_threads_ = Threads::in_runs;
  }

  /// Null if `run_all` does for the selected ones, too, or nobody needs it.
  llvm::Function* selected() const { return selected_; }

  /// `likely_width`: see row_width.hpp.
  llvm::Function* make_all(unsigned likely_width) const {
    if (!region_.indices.empty()) return make_step();
    if (likely_width == 0) return make("all.", any_threads_);
    const UnrollAndJamPlan& plan = work_.rows;
    llvm::Function* rows = make("rows.", Threads::all, likely_width, plan);
    llvm::Function* any = make_any("any.");
    // Rarely taken, by odd heights too where rows go in pairs: one loop of vectors under masks, and
    // little time to compile it.
    any->addFnAttr(llvm::Attribute::OptimizeForSize);
    any->addFnAttr(llvm::Attribute::NoInline);
    return make_choice("all.", *rows, *any, [&](auto& builder, const BlockEntry& entry) {
      Value* fits =
          builder.CreateICmpEQ(entry.block_size(body_, 0), builder.getInt32(likely_width));
      if (any_threads_ == Threads::in_runs)
        fits = builder.CreateAnd(fits, builder.CreateIsNull(runs_of_rows(builder, entry)));
      if (plan.rows == 1) return fits;
      Value* rest = builder.CreateURem(entry.block_size(body_, 1), builder.getInt32(plan.rows));
      return builder.CreateAnd(fits, builder.CreateICmpEQ(rest, builder.getInt32(0)));
    });
  }

 private:
  /// Who runs: all; those selected, under masks; or either, the selected in runs of neighbours.
  enum class Threads { all, selected, in_runs };

  /// Two versions: for runs of consecutive indices, and for strips of whole rows of them in which
  /// no thread leaves the loop.
  llvm::Function* make_step() const;
  /// For blocks of any shape and any indices.
  llvm::Function* make_any(const char* prefix) const;
  static Value* runs_of_rows(llvm::IRBuilder<>& builder, const BlockEntry& entry);
  void run_in_runs(llvm::IRBuilder<>& builder, const BlockEntry& entry, Value* number,
                   const ThreadPosition& first, llvm::ArrayRef<const Slot*> indices,
                   llvm::function_ref<void(Value* begin, Value* end)> run) const;
  void run_checked(llvm::IRBuilder<>& builder, const BlockEntry& entry, const ThreadPosition& first,
                   Value* count, Value* all_pass, llvm::function_ref<void(bool is_free)> run) const;
  Value* next_run(llvm::IRBuilder<>& builder, const BlockEntry& entry, Value* number, Value* row,
                  Value* from, const Slot* in_order) const;

  llvm::LLVMContext& context() const { return region_.function->getContext(); }
  BlockEntry open(const char* prefix, llvm::IRBuilder<>& builder) const;
  /// `width`: of the rows of all blocks it will run; 0 for any. `step`: in place of the region.
  /// Indices are those of the first thread of a run, and on from there.
  llvm::Function* make(const char* prefix, Threads threads, unsigned width = 0,
                       const UnrollAndJamPlan& plan = {}, const FullStrip* step = nullptr) const;
  void branch_if_selected(llvm::IRBuilder<>& builder, Value* selected, Value* thread,
                          llvm::BasicBlock* skip) const;
  /// `first` for blocks of which `asks` is true.
  llvm::Function* make_choice(
      const char* prefix, llvm::Function& first, llvm::Function& second,
      llvm::function_ref<Value*(llvm::IRBuilder<>&, const BlockEntry&)> asks) const;
  llvm::Function* apart_function(llvm::Type* type) const;
  Value* any_apart(llvm::IRBuilder<>& builder, const BlockEntry& entry) const;
  llvm::SmallVector<Value*, 24> of_first(const BlockEntry& entry, Value* thread,
                                         llvm::ArrayRef<Value*> indices) const;
  Value* all_stay(llvm::IRBuilder<>& builder, const BlockEntry& entry, const FullStrip& step) const;
  void append_frames(llvm::IRBuilder<>& builder, BlockEntry& entry) const;
  /// The indices of one thread.
  llvm::SmallVector<Value*, 2> load_indices(llvm::IRBuilder<>& builder, const BlockEntry& entry,
                                            Value* thread) const;
  /// Where append_frames put them: behind the parameters of the body, thread and thread count.
  Value* uniform_frame(const BlockEntry& entry) const {
    return entry.values[body_.function->arg_size() + 2];
  }
  Value* varying_frame(const BlockEntry& entry) const {
    return entry.values[body_.function->arg_size() + 3];
  }
  Value* padded_count(const BlockEntry& entry) const {
    return entry.values[body_.function->arg_size() + 1];
  }
  void store_state(llvm::IRBuilder<>& builder, Value* next, Value* state, Value* thread,
                   llvm::MDNode* group) const;

  const KernelPlan& kernel_;
  const KernelBody& body_;
  const llvm::TargetMachine& machine_;
  const RegionWork& work_;
  const RegionFunction& region_;
  const unsigned number_;
  const RegionExits& exits_;
  const Counters counters_;
  Threads any_threads_ = Threads::all;
  llvm::Function* selected_ = nullptr;
};

/// The parameters of a region function behind those of the body; `thread` is still null.
void RegionEntries::append_frames(llvm::IRBuilder<>& builder, BlockEntry& entry) const {
  Value* count =
      invariant(load_context_u32(builder, entry.context, offsetof(BlockContext, thread_count)));
  entry.values.push_back(nullptr);
  entry.values.push_back(
      builder.CreateAnd(builder.CreateAdd(count, builder.getInt32(63)), builder.getInt32(~63u)));
  for (std::size_t offset :
       {offsetof(BlockContext, uniform_frame), offsetof(BlockContext, varying_frame),
        offsetof(BlockContext, local_memory)})
    entry.values.push_back(invariant(load_context_pointer(builder, entry.context, offset)));
  // Read before the first thread runs: threads write the values of their next iteration there.
  for (const Slot* slot : region_.uniform_values) {
    auto* load = builder.CreateLoad(slot->memory_type,
                                    context_field(builder, uniform_frame(entry), slot->offset));
    if (counters_ == Counters::marked) mark_counter(*load, *slot->value);
    entry.values.push_back(load);
  }
}

void RegionEntries::store_state(llvm::IRBuilder<>& builder, Value* next, Value* state,
                                Value* thread, llvm::MDNode* group) const {
  auto* store = builder.CreateStore(
      next, builder.CreateInBoundsGEP(builder.getInt8Ty(), state,
                                      builder.CreateZExt(thread, builder.getInt64Ty())));
  if (group) store->setMetadata(llvm::LLVMContext::MD_access_group, group);
}

llvm::SmallVector<Value*, 2> RegionEntries::load_indices(llvm::IRBuilder<>& builder,
                                                         const BlockEntry& entry,
                                                         Value* thread) const {
  llvm::SmallVector<Value*, 2> values;
  for (const Slot* slot : region_.indices) {
    auto* load = builder.CreateLoad(
        slot->memory_type,
        varying_address(builder, *slot, varying_frame(entry), padded_count(entry), thread));
    values.push_back(load);
  }
  return values;
}

BlockEntry RegionEntries::open(const char* prefix, llvm::IRBuilder<>& builder) const {
  BlockEntry entry = create_block_entry(
      body_, prefix + std::to_string(number_) + "." + kernel_.name, machine_, builder);
  append_frames(builder, entry);
  return entry;
}

/// `i64 @treadle.apart(ptr %context, ptr %indices, i32 %region)`: not 0 if a thread's index is not
/// that of the row's first one, or of the first of its run, plus the distance from there, or if
/// that sum wraps, whichever sign the index is meant to have. One for all steps of a module, or two
/// where threads of some kernel part.
llvm::Function* RegionEntries::apart_function(llvm::Type* type) const {
  const bool in_runs = any_threads_ == Threads::in_runs;
  llvm::Module& module = *body_.function->getParent();
  const std::string name = std::string(in_runs ? "treadle.runs_apart." : "treadle.apart.") +
                           std::to_string(type->getIntegerBitWidth());
  if (llvm::Function* known = module.getFunction(name)) return known;
  llvm::IRBuilder<> builder(context());
  BlockEntry entry;
  entry.function = llvm::Function::Create(
      llvm::FunctionType::get(builder.getInt64Ty(),
                              {builder.getPtrTy(), builder.getPtrTy(), builder.getInt32Ty()},
                              /*isVarArg=*/false),
      llvm::GlobalValue::InternalLinkage, name, module);
  set_host_attributes(*entry.function, machine_);
  entry.function->addFnAttr(llvm::Attribute::NoInline);
  entry.context = entry.function->getArg(0);
  builder.SetInsertPoint(llvm::BasicBlock::Create(context(), "entry", entry.function));
  entry.values.assign(body_.function->arg_size(), nullptr);
  for (unsigned dimension = 0; dimension < 3; ++dimension)
    entry.values[body_.user_parameters + 6 + dimension] = invariant(
        load_context_u32(builder, entry.context, index_offset(Marker::block_size, dimension)));
  Value* apart = builder.CreateAlloca(type);
  builder.CreateStore(llvm::Constant::getNullValue(type), apart);
  const auto note = [&](Value* difference) {
    builder.CreateStore(builder.CreateOr(builder.CreateLoad(type, apart), difference), apart);
  };
  const auto index_of = [&](Value* thread) {
    Value* place = builder.CreateZExt(thread, builder.getInt64Ty());
    return builder.CreateLoad(type,
                              builder.CreateInBoundsGEP(type, entry.function->getArg(1), place));
  };
  Value *begin_x = nullptr, *begin = nullptr;
  const auto look_at_run = [&](Value* row, Value* from, Value* to) {
    begin_x = from;
    begin = index_of(builder.CreateAdd(row, from));
    Value* distance = builder.CreateSub(builder.CreateSub(to, builder.getInt32(1)), from);
    Value* last = builder.CreateAdd(begin, builder.CreateZExt(distance, type));
    note(builder.CreateZExt(
        builder.CreateOr(builder.CreateICmpSLT(last, begin), builder.CreateICmpULT(last, begin)),
        type));
  };
  llvm::MDNode* group = llvm::MDNode::getDistinct(context(), {});
  const auto compare = [&](const ThreadPosition& at) {
    llvm::LoadInst* own = index_of(at.linear);
    own->setMetadata(llvm::LLVMContext::MD_access_group, group);
    Value* distance = builder.CreateZExt(builder.CreateSub(at.x, begin_x), type);
    note(builder.CreateXor(own, builder.CreateAdd(begin, distance)));
  };
  const auto compare_row = [&](const ThreadPosition& of_row, auto run_part) {
    const auto run = [&](Value* from, Value* to) {
      look_at_run(of_row.linear, from, to);
      run_part({from, to, LoopKind::parallel, compare});
    };
    if (in_runs)
      run_in_runs(builder, entry, entry.function->getArg(2), of_row, {}, run);
    else
      run(builder.getInt32(0), entry.block_size(body_, 0));
  };
  ThreadLoop loop{LoopKind::parallel, group, compare};
  loop.emit_row = compare_row;
  emit_thread_loop(builder, body_, entry, loop);
  builder.CreateRet(builder.CreateZExt(builder.CreateLoad(type, apart), builder.getInt64Ty()));
  return entry.function;
}

/// Whether the indices of some row are not consecutive.
Value* RegionEntries::any_apart(llvm::IRBuilder<>& builder, const BlockEntry& entry) const {
  Value* any = builder.getInt64(0);
  for (const Slot* slot : region_.indices) {
    Value* indices = varying_address(builder, *slot, varying_frame(entry), padded_count(entry),
                                     builder.getInt32(0));
    any = builder.CreateOr(any,
                           builder.CreateCall(apart_function(slot->memory_type),
                                              {entry.context, indices, builder.getInt32(number_)}));
  }
  return builder.CreateICmpNE(any, builder.getInt64(0));
}

/// What the first thread of a row gives the region's parameters, but for y and z.
llvm::SmallVector<Value*, 24> RegionEntries::of_first(const BlockEntry& entry, Value* thread,
                                                      llvm::ArrayRef<Value*> indices) const {
  llvm::SmallVector<Value*, 24> values(entry.values);
  llvm::Value*& x = values[body_.user_parameters];
  x = llvm::ConstantInt::get(thread->getType(), 0);
  values[body_.function->arg_size()] = thread;
  values.append(indices.begin(), indices.end());
  return values;
}

/// i1, for rows whose indices are consecutive. Narrow ones are not worth the test.
Value* RegionEntries::all_stay(llvm::IRBuilder<>& builder, const BlockEntry& entry,
                               const FullStrip& step) const {
  auto* ask = llvm::BasicBlock::Create(context(), "ask", entry.function);
  auto* asked = llvm::BasicBlock::Create(context(), "asked", entry.function);
  Value* all = builder.CreateAlloca(builder.getInt1Ty());
  Value* wide = builder.CreateICmpUGE(entry.block_size(body_, 0), builder.getInt32(narrow_row));
  wide = builder.CreateAnd(wide, builder.CreateIsNull(runs_of_rows(builder, entry)));
  builder.CreateStore(wide, all);
  builder.CreateCondBr(wide, ask, asked);
  builder.SetInsertPoint(ask);
  Value* last_x = builder.CreateSub(entry.block_size(body_, 0), builder.getInt32(1));
  const auto look_at_ends = [&](Value* thread) {
    const auto first = of_first(entry, thread, load_indices(builder, entry, thread));
    llvm::SmallVector<Value*, 24> last(first);
    last[body_.user_parameters] = last_x;
    last[body_.function->arg_size()] = builder.CreateAdd(thread, last_x);
    for (std::size_t i = entry.values.size(); i < last.size(); ++i)
      last[i] = builder.CreateAdd(first[i], builder.CreateZExt(last_x, first[i]->getType()));
    Value* before = builder.CreateLoad(builder.getInt1Ty(), all);
    builder.CreateStore(
        builder.CreateAnd(before, step.conditions().hold(builder, first, last, last_x)), all);
  };
  const auto nothing = [](const ThreadPosition&) {};
  emit_thread_loop(builder, body_, entry, {LoopKind::serial, nullptr, nothing, look_at_ends});
  builder.CreateBr(asked);
  builder.SetInsertPoint(asked);
  return builder.CreateLoad(builder.getInt1Ty(), all);
}

llvm::Function* RegionEntries::make_any(const char* prefix) const {
  if (!selected_) return make(prefix, any_threads_);
  llvm::IRBuilder<> builder(context());
  const BlockEntry entry = open(prefix, builder);
  Value* selected = load_context_pointer(builder, entry.context, offsetof(BlockContext, selected));
  Value* count = load_context_u32(builder, entry.context, offsetof(BlockContext, thread_count));
  builder.CreateMemSet(selected, builder.getInt8(static_cast<std::uint8_t>(number_)), count, {});
  builder.CreateCall(selected_, {entry.function->getArg(0), entry.context});
  builder.CreateRetVoid();
  return entry.function;
}

llvm::Function* RegionEntries::make_step() const {
  llvm::Function* step = make("consecutive.", Threads::in_runs);
  if (work_.full_strip && work_.full_strip->function()) {
    const FullStrip& strip = *work_.full_strip;
    llvm::Function* full_strip = make("full.", Threads::all, 0, {}, &strip);
    strip.function()->eraseFromParent();
    // Inlined, the loads of the tests would replace the index that is marked for the prefetch.
    full_strip->addFnAttr(llvm::Attribute::NoInline);
    step = make_choice(
        "in_order.", *full_strip, *step,
        [&](auto& builder, const BlockEntry& entry) { return all_stay(builder, entry, strip); });
  }
  llvm::IRBuilder<> builder(context());
  const BlockEntry entry = open("all.", builder);
  Value* flag = context_field(builder, entry.context, offsetof(BlockContext, runs_of_rows));
  Value* before = runs_of_rows(builder, entry);
  Value* apart = builder.CreateSelect(any_apart(builder, entry), builder.getInt32(runs_in_order),
                                      builder.getInt32(0));
  builder.CreateStore(builder.CreateOr(before, apart), flag);
  builder.CreateCall(step, {entry.function->getArg(0), entry.function->getArg(1)});
  builder.CreateStore(before, flag);
  builder.CreateRetVoid();
  return entry.function;
}

llvm::Function* RegionEntries::make_choice(
    const char* prefix, llvm::Function& first, llvm::Function& second,
    llvm::function_ref<Value*(llvm::IRBuilder<>&, const BlockEntry&)> asks) const {
  llvm::IRBuilder<> builder(context());
  const BlockEntry entry = open(prefix, builder);
  Value* answer = asks(builder, entry);
  auto* yes = llvm::BasicBlock::Create(context(), "yes", entry.function);
  auto* no = llvm::BasicBlock::Create(context(), "no", entry.function);
  builder.CreateCondBr(answer, yes, no);
  for (const auto& [block, function] : {std::pair{yes, &first}, {no, &second}}) {
    builder.SetInsertPoint(block);
    builder.CreateCall(function, {entry.function->getArg(0), entry.function->getArg(1)});
    builder.CreateRetVoid();
  }
  return entry.function;
}

void RegionEntries::branch_if_selected(llvm::IRBuilder<>& builder, Value* selected, Value* thread,
                                       llvm::BasicBlock* skip) const {
  auto* run = llvm::BasicBlock::Create(context(), "run", skip->getParent());
  auto* mine = builder.CreateLoad(
      builder.getInt8Ty(),
      builder.CreateInBoundsGEP(builder.getInt8Ty(), selected,
                                builder.CreateZExt(thread, builder.getInt64Ty())));
  mine->setMetadata(llvm::LLVMContext::MD_access_group, work_.group);
  builder.CreateCondBr(
      builder.CreateICmpEQ(mine, builder.getInt8(static_cast<std::uint8_t>(number_))), run, skip);
  builder.SetInsertPoint(run);
}

/// RunsOfRows.
Value* RegionEntries::runs_of_rows(llvm::IRBuilder<>& builder, const BlockEntry& entry) {
  return load_context_u32(builder, entry.context, offsetof(BlockContext, runs_of_rows));
}

/// The next run of a row, as Services::next_run has it; with `in_order`, of consecutive indices.
Value* RegionEntries::next_run(llvm::IRBuilder<>& builder, const BlockEntry& entry, Value* number,
                               Value* row, Value* from, const Slot* in_order) const {
  llvm::Type *i32 = builder.getInt32Ty(), *pointer = builder.getPtrTy();
  Value* indices = llvm::ConstantPointerNull::get(builder.getPtrTy());
  unsigned index_bytes = 0;
  if (in_order) {
    indices = varying_address(builder, *in_order, varying_frame(entry), padded_count(entry), row);
    index_bytes = in_order->memory_type->getIntegerBitWidth() / 8;
  }
  auto* type = llvm::FunctionType::get(builder.getInt64Ty(), {pointer, i32, i32, i32, pointer, i32},
                                       /*isVarArg=*/false);
  llvm::CallInst* next = builder.CreateCall(
      type, load_service(builder, *entry.function->getParent(), offsetof(Services, next_run)),
      {entry.context, number, row, from, indices, builder.getInt32(index_bytes)});
  next->setDoesNotThrow();
  next->setOnlyReadsMemory();
  next->addFnAttr(llvm::Attribute::WillReturn);
  return next;
}

/// Calls `run` for the code that runs a whole row, or each run of threads in it that are selected
/// for the region of this i32 `number`, and have consecutive `indices`.
///
///   find:  from = 0, or `end` of the run before       whole rows: begin = 0, end = blockDim.x
///   ask:   begin, end = next_run(from)                none left: done
///   run:   for x from begin to end: ...               end < blockDim.x: find
void RegionEntries::run_in_runs(llvm::IRBuilder<>& builder, const BlockEntry& entry, Value* number,
                                const ThreadPosition& first, llvm::ArrayRef<const Slot*> indices,
                                llvm::function_ref<void(Value* begin, Value* end)> run) const {
  Value* size = entry.block_size(body_, 0);
  const auto block = [&](const char* name) {
    return llvm::BasicBlock::Create(context(), name, entry.function);
  };
  llvm::BasicBlock *before = builder.GetInsertBlock(), *find = block("find"), *ask = block("ask"),
                   *found = block("found"), *done = block("row.done");
  builder.CreateBr(find);
  builder.SetInsertPoint(find);
  llvm::PHINode* from = builder.CreatePHI(builder.getInt32Ty(), 2, "from");
  from->addIncoming(builder.getInt32(0), before);
  // Volatile, or LLVM would compile the loop over threads once for each answer.
  auto* in_runs = llvm::cast<llvm::LoadInst>(runs_of_rows(builder, entry));
  in_runs->setVolatile(true);
  builder.CreateCondBr(builder.CreateIsNull(in_runs), found, ask);
  builder.SetInsertPoint(ask);
  llvm::Type* i32 = builder.getInt32Ty();
  const auto ask_for = [&](const Slot* in_order) {
    return next_run(builder, entry, number, first.linear, from, in_order);
  };
  const auto end_of = [&](Value* next) {
    return builder.CreateTrunc(builder.CreateLShr(next, 32), i32);
  };
  Value* next = ask_for(indices.empty() ? nullptr : indices.front());
  Value *next_begin = builder.CreateTrunc(next, i32), *next_end = end_of(next);
  for (const Slot* slot : indices.drop_front(indices.empty() ? 0 : 1))
    next_end =
        builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, next_end, end_of(ask_for(slot)));
  builder.CreateCondBr(builder.CreateICmpULT(next_begin, size), found, done);
  builder.SetInsertPoint(found);
  llvm::PHINode* begin = builder.CreatePHI(i32, 2, "begin");
  begin->addIncoming(builder.getInt32(0), find);
  begin->addIncoming(next_begin, ask);
  llvm::PHINode* end = builder.CreatePHI(i32, 2, "end");
  end->addIncoming(size, find);
  end->addIncoming(next_end, ask);
  run(begin, end);
  from->addIncoming(end, builder.GetInsertBlock());
  builder.CreateCondBr(builder.CreateICmpULT(end, size), find, done);
  builder.SetInsertPoint(done);
}

/// Calls `run` for the code of `count` neighbours that pass their checks, and for that of others.
void RegionEntries::run_checked(llvm::IRBuilder<>& builder, const BlockEntry& entry,
                                const ThreadPosition& first, Value* count, Value* all_pass,
                                llvm::function_ref<void(bool is_free)> run) const {
  llvm::SmallVector<Value*, 24> values = entry.values_at(body_, first);
  values[body_.function->arg_size()] = first.linear;
  Value* passes =
      work_.checks->pass(builder, {values, count, first.linear, entry.context}, all_pass);
  const auto block = [&](const char* name) {
    return llvm::BasicBlock::Create(context(), name, entry.function);
  };
  llvm::BasicBlock *free = block("free"), *checked = block("checked"), *done = block("some.done");
  builder.CreateCondBr(passes, free, checked);
  for (llvm::BasicBlock* part : {checked, free}) {
    builder.SetInsertPoint(part);
    run(part == free);
    builder.CreateBr(done);
  }
  builder.SetInsertPoint(done);
}

llvm::Function* RegionEntries::make(const char* prefix, Threads threads, unsigned width,
                                    const UnrollAndJamPlan& plan, const FullStrip* step) const {
  llvm::IRBuilder<> builder(context());
  BlockEntry entry = open(prefix, builder);
  if (width != 0) entry.fix_width(body_, width);
  llvm::MDNode* const group = work_.group;
  Value* state = load_context_pointer(builder, entry.context, offsetof(BlockContext, state));
  Value* selected = load_context_pointer(builder, entry.context, offsetof(BlockContext, selected));
  llvm::SmallVector<llvm::CallInst*, 2> calls;
  llvm::SmallVector<Value*, 2> first;
  Value* first_x = builder.getInt32(0);
  const auto look_at_first = [&](Value* thread) {
    first = load_indices(builder, entry, thread);
    if (!step || counters_ == Counters::unmarked) return;
    if (Value* distance = step->index_distance(builder, of_first(entry, thread, first)))
      mark_counter(builder, *llvm::cast<llvm::LoadInst>(first[0]), *distance);
  };
  llvm::Function* function = step ? step->function() : region_.function;
  const auto run_thread = [&](const ThreadPosition& at) {
    llvm::BasicBlock* skip = nullptr;
    if (threads == Threads::selected) {
      skip = llvm::BasicBlock::Create(context(), "skip", entry.function);
      branch_if_selected(builder, selected, at.linear, skip);
    }
    if (body_.stores_thread_index) store_thread_index(builder, entry.context, {at.x, at.y, at.z});
    llvm::SmallVector<Value*, 24> values = entry.values_at(body_, at);
    values[body_.function->arg_size()] = at.linear;
    for (Value* begin : first) {
      Value* distance = builder.CreateSub(at.x, first_x, "", /*HasNUW=*/true, /*HasNSW=*/true);
      values.push_back(builder.CreateAdd(begin, builder.CreateZExt(distance, begin->getType()), "",
                                         /*HasNUW=*/true, /*HasNSW=*/true));
    }
    llvm::CallInst* call = builder.CreateCall(function, values);
    calls.push_back(call);
    if (threads == Threads::selected)
      store_state(builder, call, state, at.linear, group);
    else if (exits_.only_successor() < 0)
      // Where all threads go the same way, the scheduler asks the first only.
      store_state(builder, call, state, exits_.uniform ? builder.getInt32(0) : at.linear, group);
    if (skip) {
      builder.CreateBr(skip);
      builder.SetInsertPoint(skip);
    }
  };
  // Threads that are not selected, or have left the loop of a strip.
  const bool masks = threads == Threads::selected || (!region_.indices.empty() && step == nullptr);
  const auto kind = masks ? LoopKind::masked : step ? LoopKind::estimated : LoopKind::parallel;
  Value* all_pass = nullptr;
  const bool by_rows = work_.checks != nullptr && step == nullptr && threads != Threads::selected;
  const auto run_some = [&](const ThreadPosition& of_row, Value* begin, Value* end, auto run_part) {
    const auto run = [&](LoopKind how) { run_part({begin, end, how, run_thread}); };
    if (!by_rows) return run(kind);
    ThreadPosition first_one = of_row;
    first_one.x = begin;
    first_one.linear = builder.CreateAdd(of_row.linear, begin);
    Value* const count = builder.CreateSub(end, begin);
    run_checked(builder, entry, first_one, count, all_pass, [&](bool is_free) {
      function = is_free ? work_.checks->unchecked() : region_.function;
      run(is_free ? kind : LoopKind::serial);
    });
  };
  const auto ask_all = [&](const ThreadPosition& of_first) {
    llvm::SmallVector<Value*, 24> values = entry.values_at(body_, of_first);
    values[body_.function->arg_size()] = of_first.linear;
    all_pass = work_.checks->all_pass(
        builder, {values, entry.block_size(body_, 0), of_first.linear, entry.context},
        entry.block_size(body_, 1));
  };
  const auto run_row = [&](const ThreadPosition& of_row, auto run_part) {
    if (threads != Threads::in_runs)
      return run_some(of_row, builder.getInt32(0), entry.block_size(body_, 0), run_part);
    run_in_runs(builder, entry, builder.getInt32(number_), of_row, region_.indices,
                [&](Value* begin, Value* end) {
                  first_x = begin;
                  look_at_first(builder.CreateAdd(of_row.linear, begin));
                  run_some(of_row, begin, end, run_part);
                });
  };
  ThreadLoop loop{kind, group, run_thread};
  if (threads == Threads::in_runs || by_rows)
    loop.emit_row = run_row;
  else
    loop.before_row = look_at_first;
  if (by_rows && threads == Threads::all) loop.before_rows = ask_all;
  loop.plan = plan;
  emit_thread_loop(builder, body_, entry, loop);
  builder.CreateRetVoid();
  if (by_rows)
    for (llvm::CallInst* call : calls) inline_threads({call});
  else
    inline_threads(calls);
  separate_frames(*entry.function, {state, uniform_frame(entry), varying_frame(entry)});
  return entry.function;
}

}  // namespace

void make_region_entries(KernelPlan& kernel, const SplitKernel& split,
                         const llvm::TargetMachine& machine, Counters counters) {
  const bool part =
      llvm::any_of(split.exits, [](const RegionExits& region) { return !region.uniform; });
  for (unsigned i = 0; i < split.regions.size(); ++i) {
    const RegionEntries entries(kernel, split, machine, i, counters, part);
    RegionPlan plan;
    plan.run_selected = entries.selected();
    plan.run_all = entries.make_all(split.row_width);
    plan.only_successor = split.exits[i].only_successor();
    plan.barrier = split.graph->regions()[i].barrier;
    plan.uniform_exit = split.exits[i].uniform;
    kernel.regions.push_back(plan);
    if (split.regions[i].checks) split.regions[i].checks->unchecked()->eraseFromParent();
    split.regions[i].function.function->eraseFromParent();
  }
  kernel.uniform_frame_size = split.live->uniform_size();
  kernel.varying_frame_size = split.live->varying_size();
  kernel.local_size = split.local.size;
  split.body.function->eraseFromParent();
}

}  // namespace treadle::cuda_cpu
