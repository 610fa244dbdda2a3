// SPDX-License-Identifier: MIT
// Row checks: most accesses of a row of threads are neighbours, and then one question is enough for
// all of them. Where every check of a body or region is of an address that grows by a constant from
// thread to thread, under conditions that hold for neighbours, the run-time is told first, middle
// and end, before the row runs. A row that passes runs a copy without checks, in vectors; any other
// runs as ever, thread by thread, and so the first fault is found at the same place. Where also the
// rows of a block, or the same row of several blocks, grow by constants, they are all asked for at
// once: then `pitch` bytes lie between the first threads of two rows.
//
//   if (%i < %n) {                           %begin, %end = threads with %i < %n
//     check(%p + 4 * %i, 4)           =>     %pass = check_row({%p + 4 * %begin, stride 4,
//     %v = load (%p + 4 * %i)                                   %begin, %end}, ...)
//                                            if (%pass) for x: copy, else for x: checked
#include "cuda_cpu/compiler/passes/check/row_checks.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "cuda_cpu/compiler/passes/lowering/block_context.hpp"
#include "cuda_cpu/compiler/passes/lowering/kernel_body.hpp"
#include "cuda_cpu/compiler/passes/lowering/markers.hpp"
#include "cuda_cpu/compiler/passes/lowering/thread_loop.hpp"
#include "cuda_cpu/module_abi.h"

namespace treadle::cuda_cpu {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

KernelBody with_function(const KernelBody& body, llvm::Function& function) {
  KernelBody changed = body;
  changed.function = &function;
  return changed;
}

/// i1: none of what becomes wider on the way has wrapped anywhere.
Value* all_fit(llvm::IRBuilder<>& builder, const PlaneCorners& corners,
               const RowEntry::Widened& widened) {
  Value* fits = builder.getTrue();
  for (const auto& [value, stride] : widened)
    fits =
        builder.CreateAnd(fits, corners.fit(builder, llvm::cast<Instruction>(value)->getOperand(0),
                                            stride, llvm::isa<llvm::SExtInst>(value)));
  return fits;
}

}  // namespace

RowChecks::RowChecks(const KernelBody& body, llvm::Function& function, Rows rows, bool alone)
    : body_(with_function(body, function)), rows_(rows) {
  const bool is_checked = llvm::any_of(llvm::instructions(function),
                                       [](const Instruction& i) { return is_check(marker_of(i)); });
  if (!is_checked || body.stores_thread_index) return;
  auto found = find_row_entries(body_, rows, alone);
  if (!found) return;
  entries_ = *std::move(found);
  llvm::ValueToValueMapTy copies;
  unchecked_ = copy_with_groups(function, copies);
  for (Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(*unchecked_)))
    if (is_check(marker_of(instruction))) instruction.eraseFromParent();
}

KernelBody RowChecks::unchecked_body() const { return with_function(body_, *unchecked_); }

/// Of the thread so far from the row's first.
llvm::SmallVector<Value*, 24> RowChecks::parameters_of(llvm::IRBuilder<>& builder, const Row& row,
                                                       Value* distance) const {
  llvm::SmallVector<Value*, 24> values(row.of_first);
  const unsigned linear = body_.user_parameters + KernelBody::hidden_parameters;
  for (const unsigned index : {body_.user_parameters, linear})
    if (index < values.size()) values[index] = builder.CreateAdd(values[index], distance);
  return values;
}

/// Where `equality.value`, which grows by one along the row, is the limit.
struct RowChecks::Meeting {
  Value *is_there, *at;  ///< i1: some thread is there; i32: which, if so
  Value* is_told;        ///< i1
};
RowChecks::Meeting RowChecks::meeting(llvm::IRBuilder<>& builder, const Row& row,
                                      const RowEntry::Equality& equality) const {
  Value* const last_x = builder.CreateSub(row.count, builder.getInt32(1));
  const auto of_last = parameters_of(builder, row, last_x);
  Rematerializer first(builder, row.of_first), last(builder, of_last);
  Value* const value = builder.CreateFreeze(first.compute(equality.value));
  Value* const limit = builder.CreateFreeze(first.compute(equality.limit));
  Value* const to = builder.CreateFreeze(last.compute(equality.value));
  Value* const distance = builder.CreateSub(limit, value);
  return {builder.CreateICmpULT(distance, builder.CreateZExt(row.count, distance->getType())),
          builder.CreateTrunc(distance, builder.getInt32Ty()),
          RowConditions::apart(builder, value, to, last_x)};
}

RowConditions::Range RowChecks::by_equality(llvm::IRBuilder<>& builder, const Row& row,
                                            const RowEntry::Equality& equality) const {
  Value *const zero = builder.getInt32(0), *const one = builder.getInt32(1);
  if (equality.is_split) {
    const auto [is_there, at, is_told] = meeting(builder, row, equality);
    Value* const from = builder.CreateSelect(is_there, at, zero);
    return {from, builder.CreateSelect(is_there, builder.CreateAdd(from, one), zero), is_told};
  }
  Rematerializer first(builder, row.of_first);
  Value* const value = builder.CreateFreeze(first.compute(equality.value));
  Value* const limit = builder.CreateFreeze(first.compute(equality.limit));
  const auto predicate = equality.answer ? llvm::CmpInst::ICMP_EQ : llvm::CmpInst::ICMP_NE;
  Value* const holds = builder.CreateICmp(predicate, value, limit);
  return {zero, builder.CreateSelect(holds, row.count, zero), builder.getTrue()};
}

/// [begin, gap) and [behind, end) of the row.
struct RowChecks::Threads {
  Value *begin, *end, *is_told;
  Value *gap = nullptr, *behind = nullptr;  ///< null: there is none
};

/// Without threads that meet a limit: at an end there is one less, elsewhere is a gap. Of two gaps
/// each thread has to ask.
void RowChecks::leave_gaps(llvm::IRBuilder<>& builder, const Row& row, const RowEntry& entry,
                           Threads& threads, bool is_planar) const {
  const auto least = [&](Value* a, Value* b) {
    return builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, a, b);
  };
  const auto most = [&](Value* a, Value* b) {
    return builder.CreateBinaryIntrinsic(llvm::Intrinsic::umax, a, b);
  };
  Value *const one = builder.getInt32(1), *const nowhere = row.count;
  auto& [begin, end, is_told, gap, behind] = threads;
  gap = nowhere;
  for (const RowEntry::Equality& equality : entry.equalities) {
    if (!equality.may_leave_gap() || (is_planar && equality.is_varying)) continue;
    const auto [is_there, where, is_known] = meeting(builder, row, equality);
    Value* const at = builder.CreateSelect(is_there, where, nowhere);
    Value* const next = builder.CreateAdd(at, one);
    begin = builder.CreateSelect(builder.CreateICmpEQ(at, begin), next, begin);
    end = builder.CreateSelect(builder.CreateICmpEQ(next, end), at, end);
    end = most(begin, end);
    Value* const is_inside =
        builder.CreateAnd(builder.CreateICmpUGT(at, begin), builder.CreateICmpULT(at, end));
    Value* const is_only =
        builder.CreateOr(builder.CreateICmpEQ(gap, nowhere), builder.CreateICmpEQ(gap, at));
    is_told = builder.CreateAnd(is_told, is_known);
    is_told = builder.CreateAnd(is_told, builder.CreateOr(builder.CreateNot(is_inside), is_only));
    gap = builder.CreateSelect(is_inside, at, gap);
  }
  behind = least(most(builder.CreateAdd(gap, one), begin), end);
  gap = most(least(gap, end), begin);
}

RowChecks::Threads RowChecks::threads_of(llvm::IRBuilder<>& builder, const Row& row,
                                         const RowEntry& entry, bool is_planar) const {
  Threads threads{builder.getInt32(0), row.count, builder.getTrue()};
  if (!entry.has_conditions) return threads;
  const auto keep = [&](const RowConditions::Range& part) {
    threads.begin = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umax, threads.begin, part.begin);
    threads.end = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, threads.end, part.end);
    threads.is_told = builder.CreateAnd(threads.is_told, part.is_told);
  };
  Value* const last_x = builder.CreateSub(row.count, builder.getInt32(1));
  const auto of_last = parameters_of(builder, row, last_x);
  keep(entry.conditions.range(builder, row.of_first, of_last, last_x));
  if (!is_planar) keep(entry.varying.range(builder, row.of_first, of_last, last_x));
  for (const RowEntry::Equality& equality : entry.equalities)
    if (!equality.may_leave_gap() && !(is_planar && equality.is_varying))
      keep(by_equality(builder, row, equality));
  threads.end = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umax, threads.begin, threads.end);
  if (entry.has_gap) leave_gaps(builder, row, entry, threads, is_planar);
  return threads;
}

struct RowChecks::Place {
  const RowEntry& entry;
  Value *begin, *end;
  Value* storage;  ///< RowPlace
};

/// i1: the address is what the strides say.
Value* RowChecks::emit_place(llvm::IRBuilder<>& builder, const Row& row, const Place& place,
                             const Following* following) const {
  const auto& [entry, begin, end, storage] = place;
  const auto store = [&](Value* value, std::size_t offset) {
    builder.CreateStore(value, context_field(builder, storage, offset));
  };
  store(begin, offsetof(RowPlace, begin));
  store(end, offsetof(RowPlace, end));
  if (entry.address == nullptr) return builder.getTrue();
  const auto address_by = [&](Rematerializer& thread) {
    return builder.CreatePtrToInt(thread.compute(entry.address), builder.getInt64Ty());
  };
  const auto of_begin = parameters_of(builder, row, begin);
  Rematerializer first(builder, of_begin);
  Value* const address = address_by(first);
  store(builder.CreateAdd(address, builder.getInt64(static_cast<std::uint64_t>(entry.offset))),
        offsetof(RowPlace, address));
  store(builder.CreatePtrToInt(first.compute(entry.base), builder.getInt64Ty()),
        offsetof(RowPlace, base));
  Value* const count = builder.CreateSub(end, begin);
  Value* const steps = builder.CreateSub(count, builder.getInt32(1));
  Value* fits = builder.getTrue();
  if (following != nullptr) {
    Row next_row = row;
    next_row.of_first = following->of_next;
    const auto of_next = parameters_of(builder, next_row, begin);
    Rematerializer next(builder, of_next);
    store(builder.CreateSub(address_by(next), address), offsetof(RowPlace, pitch));
    const PlaneCorners corners{first, next, steps,
                               builder.CreateSub(following->rows, builder.getInt32(1))};
    fits = all_fit(builder, corners, entry.widened);
  } else {
    store(builder.getInt64(0), offsetof(RowPlace, pitch));
    const auto of_last = parameters_of(builder, row, builder.CreateAdd(begin, steps));
    Rematerializer last(builder, of_last);
    for (const auto& [value, stride] : entry.widened) {
      if (stride == 0) continue;
      Value* const from = first.compute(value);
      Value* const way = builder.CreateSub(last.compute(value), from);
      auto* const step = llvm::ConstantInt::getSigned(from->getType(), stride);
      Value* const told = builder.CreateMul(builder.CreateZExt(steps, from->getType()), step);
      fits = builder.CreateAnd(fits, builder.CreateICmpEQ(way, told));
    }
  }
  return builder.CreateOr(builder.CreateFreeze(fits), builder.CreateIsNull(count));
}

/// Writes RowPlaces, as many as there are in the table; i1: they are told.
Value* RowChecks::emit_places(llvm::IRBuilder<>& builder, const Row& row, Value* places,
                              const Following* following) const {
  Value *told = builder.getTrue(), *const zero = builder.getInt32(0);
  const auto require = [&](Value* answer) { told = builder.CreateAnd(told, answer); };
  std::size_t number = 0;
  for (const RowEntry& entry : entries_.all) {
    const auto emit = [&](Value* begin, Value* end) {
      Value* const storage = context_field(builder, places, number++ * sizeof(RowPlace));
      require(emit_place(builder, row, {entry, begin, end, storage}, following));
    };
    if (entry.address == nullptr && rows_ == Rows::of_blocks && following != nullptr) {
      emit(zero, zero);  // nothing of these blocks is remembered
      if (entry.has_gap) emit(zero, zero);
      continue;
    }
    const Threads threads = threads_of(builder, row, entry, following != nullptr);
    require(threads.is_told);
    emit(threads.begin, entry.has_gap ? threads.gap : threads.end);
    if (entry.has_gap) emit(threads.behind, threads.end);
    if (following == nullptr || entry.everywhere.empty()) continue;
    Rematerializer first(builder, row.of_first), next(builder, following->of_next);
    Value* const one = builder.getInt32(1);
    const PlaneCorners corners{first, next, builder.CreateSub(row.count, one),
                               builder.CreateSub(following->rows, one)};
    for (const auto& [predicate, value, stride, limit, widened] : entry.everywhere) {
      require(builder.CreateFreeze(all_fit(builder, corners, widened)));
      require(builder.CreateFreeze(corners.hold(builder, predicate, value, stride, limit)));
    }
  }
  return told;
}

/// RowAccess of each place.
llvm::Constant* RowChecks::table(llvm::Module& module) const {
  llvm::IRBuilder<> builder(module.getContext());
  llvm::SmallVector<llvm::Constant*, 8> rows;
  for (const RowEntry& entry : entries_.all) {
    auto* const row = llvm::ConstantStruct::getAnon(
        {entry.access, builder.getInt64(entry.size),
         builder.getInt64(static_cast<std::uint64_t>(entry.stride)), builder.getInt32(entry.step),
         builder.getInt32(entry.ignore)});
    rows.append(entry.has_gap ? 2 : 1, row);
  }
  auto* value =
      llvm::ConstantArray::get(llvm::ArrayType::get(rows.front()->getType(), rows.size()), rows);
  return new llvm::GlobalVariable(module, value->getType(), true, llvm::GlobalValue::PrivateLinkage,
                                  value, "treadle.row");
}

/// i1: `answer` if that `is_known`, else what `ask` says.
Value* RowChecks::ask_unless(llvm::IRBuilder<>& builder, Value* is_known, bool answer,
                             llvm::function_ref<Value*()> ask) {
  BasicBlock* const before = builder.GetInsertBlock();
  llvm::Function* const caller = before->getParent();
  auto* const unknown = BasicBlock::Create(caller->getContext(), "ask", caller);
  auto* const asked = BasicBlock::Create(caller->getContext(), "asked", caller);
  builder.CreateCondBr(is_known, asked, unknown);
  builder.SetInsertPoint(unknown);
  Value* const said = ask();
  BasicBlock* const behind = builder.GetInsertBlock();
  builder.CreateBr(asked);
  builder.SetInsertPoint(asked);
  llvm::PHINode* const passes = builder.CreatePHI(builder.getInt1Ty(), 2, "passes");
  passes->addIncoming(builder.getInt1(answer), before);
  passes->addIncoming(said, behind);
  return passes;
}

Value* RowChecks::pass(llvm::IRBuilder<>& builder, const Row& row, Value* is_noted) const {
  const auto ask_alone = [&] { return ask(builder, row, nullptr); };
  return is_noted == nullptr ? ask_alone() : ask_unless(builder, is_noted, true, ask_alone);
}

Value* RowChecks::all_pass(llvm::IRBuilder<>& builder, const Row& row, Value* rows) const {
  if (!entries_.are_planar) return builder.getFalse();
  Value* const one = builder.getInt32(1);
  return ask_unless(builder, builder.CreateICmpULE(rows, one), false, [&] {
    llvm::SmallVector<Value*, 24> of_next(row.of_first);
    const unsigned linear = body_.user_parameters + KernelBody::hidden_parameters;
    if (rows_ == Rows::of_blocks) {
      Value*& block = of_next[body_.user_parameters + 3];
      block = builder.CreateAdd(block, one);
    } else {
      Value*& y = of_next[body_.user_parameters + 1];
      y = builder.CreateAdd(y, one);
      if (linear < of_next.size()) of_next[linear] = builder.CreateAdd(of_next[linear], row.count);
    }
    const Following following{of_next, rows};
    return ask(builder, row, &following);
  });
}

Value* RowChecks::ask(llvm::IRBuilder<>& builder, const Row& row,
                      const Following* following) const {
  if (entries_.all.empty()) return builder.getTrue();
  llvm::Function& caller = *builder.GetInsertBlock()->getParent();
  llvm::Module& module = *caller.getParent();
  llvm::Constant* const accesses = table(module);
  const auto count =
      llvm::cast<llvm::ArrayType>(llvm::cast<llvm::GlobalVariable>(accesses)->getValueType())
          ->getNumElements();
  auto* const type = llvm::ArrayType::get(builder.getInt8Ty(), sizeof(RowPlace) * count);
  llvm::IRBuilder<> at_entry(&*caller.getEntryBlock().getFirstInsertionPt());
  llvm::AllocaInst* const places = at_entry.CreateAlloca(type, nullptr, "places");
  places->setAlignment(llvm::Align(alignof(RowPlace)));
  Value* fits = emit_places(builder, row, places, following);
  if (entries_.ignores_races) {
    // While all threads of the block run here.
    auto* const runs = llvm::cast<llvm::LoadInst>(
        load_context_u32(builder, row.context, offsetof(BlockContext, runs_of_rows)));
    fits = builder.CreateAnd(fits, builder.CreateIsNull(runs));
  }
  return ask_unless(builder, builder.CreateNot(fits), false, [&] {
    llvm::Type *const i32 = builder.getInt32Ty(), *const pointer = builder.getPtrTy();
    auto* const service = llvm::FunctionType::get(i32, {pointer, pointer, pointer, i32, i32, i32},
                                                  /*isVarArg=*/false);
    const bool is_of_blocks = following != nullptr && rows_ == Rows::of_blocks;
    llvm::CallInst* const answer = builder.CreateCall(
        service, load_service(builder, module, offsetof(Services, check_row)),
        {row.context, accesses, places, builder.getInt32(static_cast<std::uint32_t>(count)),
         is_of_blocks ? builder.getInt32(thread_unknown) : row.thread,
         following != nullptr ? following->rows : builder.getInt32(1)});
    answer->setDoesNotThrow();
    return builder.CreateICmpNE(answer, builder.getInt32(0));
  });
}

}  // namespace treadle::cuda_cpu
