// SPDX-License-Identifier: MIT
// Row checks: most accesses of a row of threads are neighbours, and then one question is enough for
// all of them. Where every check of a body or region is of an address that grows by a constant from
// thread to thread, under conditions that hold for neighbours, the run-time is told first, middle
// and end, before the row runs. A row that passes runs a copy without checks, in vectors; any other
// runs as ever, thread by thread, and so the first fault is found at the same place.
//
//   if (%i < %n) {                           %begin, %end = threads with %i < %n
//     check(%p + 4 * %i, 4)           =>     %pass = check_row({%p + 4 * %begin, stride 4,
//     %v = load (%p + 4 * %i)                                   %begin, %end}, ...)
//                                            if (%pass) for x: copy, else for x: checked
#include "cuda_cpu/compiler/passes/check/row_checks.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>

#include <optional>

#include "cuda_cpu/compiler/passes/address_spaces.hpp"
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
using Stride = std::optional<std::int64_t>;

/// Between threads, so that what 1023 of them add to an int of 32 bits tells whether it wraps.
constexpr std::int64_t largest_stride = 1 << 20;

KernelBody with_function(const KernelBody& body, llvm::Function& function) {
  KernelBody changed = body;
  changed.function = &function;
  return changed;
}

/// Of a CheckedAccess.
std::uint64_t field(const llvm::GlobalVariable& access, unsigned number) {
  const auto* value = access.getInitializer()->getAggregateElement(number);
  return llvm::cast<llvm::ConstantInt>(value)->getZExtValue();
}

/// Whether the call is no code of the program's, and touches no memory that others see.
bool may_call(const llvm::CallBase& call) {
  return llvm::isa<llvm::IntrinsicInst>(call) || is_check(marker_of(call)) ||
         call.doesNotAccessMemory();
}

/// An address as a sum: the same terms, and the constants that are added to them.
struct Sum {
  llvm::SmallVector<std::pair<const Value*, std::int64_t>, 3> terms;
  std::int64_t constant = 0;
};
Sum sum_of(const Value* address, const llvm::DataLayout& layout) {
  Sum sum;
  for (;;) {
    if (const auto* cast = llvm::dyn_cast<llvm::AddrSpaceCastOperator>(address)) {
      address = cast->getOperand(0);
      continue;
    }
    const auto* pointer = llvm::dyn_cast<llvm::GEPOperator>(address);
    if (pointer == nullptr) break;
    llvm::MapVector<Value*, llvm::APInt> terms;
    llvm::APInt constant(64, 0);
    if (!pointer->collectOffset(layout, 64, terms, constant)) break;
    for (const auto& [value, scale] : terms) sum.terms.push_back({value, scale.getSExtValue()});
    sum.constant += constant.getSExtValue();
    address = pointer->getPointerOperand();
  }
  sum.terms.push_back({address, 1});
  llvm::sort(sum.terms);
  return sum;
}

}  // namespace

/// Strides in bytes along a row, of values that may be computed before it runs.
class RowChecks::Finder {
 public:
  Finder(RowChecks& checks, bool alone)
      : checks_(checks),
        row_(checks.body_),
        layout_(checks.function_.getParent()->getDataLayout()),
        dominators_(checks.function_),
        post_dominators_(checks.function_),
        loops_(dominators_),
        alone_(alone) {
    for (const llvm::Argument* index : {x(), linear()})
      if (index != nullptr) row_.set(index->getArgNo(), RowValues::Kind::consecutive);
  }
  /// False where some check is not to be told for a row.
  bool find();

 private:
  const llvm::Argument* x() const { return checks_.body_.thread_index(0); }
  /// The number in the block, which regions have.
  const llvm::Argument* linear() const {
    const unsigned behind = checks_.body_.user_parameters + KernelBody::hidden_parameters;
    return behind < checks_.function_.arg_size() ? checks_.function_.getArg(behind) : nullptr;
  }
  bool add(const llvm::CallInst& call);
  bool add_access(const llvm::CallInst& call, Entry entry);
  bool add_conditions(Entry& entry, const BasicBlock* block);
  bool add_condition(Entry& entry, const Value* condition, bool answer);
  bool join(const Entry& entry);
  void ignore_races_of_reads();
  bool may_be_shared(const Entry& entry) const;

  Stride stride(const Value* value);
  Stride compute(const Instruction& value);
  Stride of_pointer(const llvm::GetElementPtrInst& pointer);
  Stride zero_if_uniform(const Instruction& value);
  void note_widened(Value* value, llvm::SmallPtrSetImpl<const Value*>& seen, Entry& entry);

  RowChecks& checks_;
  RowValues row_;
  const llvm::DataLayout& layout_;
  llvm::DominatorTree dominators_;
  llvm::PostDominatorTree post_dominators_;
  llvm::LoopInfo loops_;
  const bool alone_;
  llvm::DenseMap<const Value*, Stride> known_;
};

Stride RowChecks::Finder::stride(const Value* value) {
  if (llvm::isa<llvm::Constant>(value)) return 0;
  if (llvm::isa<llvm::Argument>(value)) return value == x() || value == linear() ? 1 : 0;
  const auto [found, is_new] = known_.try_emplace(value, std::nullopt);
  if (!is_new) return found->second;
  Stride result = compute(llvm::cast<Instruction>(*value));
  if (result && std::abs(*result) > largest_stride) result = std::nullopt;
  return known_[value] = result;
}

Stride RowChecks::Finder::compute(const Instruction& value) {
  if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(&value))
    return phi->hasConstantValue() ? stride(phi->hasConstantValue()) : std::nullopt;
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&value)) {
    // What is there, whoever asks, and whatever the program would have asked before.
    const Value* from = load->getPointerOperand()->stripInBoundsConstantOffsets();
    const bool is_field =
        from == checks_.body_.context() && load->hasMetadata(llvm::LLVMContext::MD_invariant_load);
    const bool is_member =
        llvm::isa<llvm::Argument>(from) && checks_.body_.reads_launch_arguments(*load);
    return is_field || is_member ? Stride(0) : std::nullopt;
  }
  if (const auto* pointer = llvm::dyn_cast<llvm::GetElementPtrInst>(&value))
    return of_pointer(*pointer);
  if (llvm::isa<llvm::SExtInst, llvm::ZExtInst, llvm::TruncInst, llvm::AddrSpaceCastInst,
                llvm::PtrToIntInst, llvm::IntToPtrInst, llvm::FreezeInst>(value)) {
    const Stride own = stride(value.getOperand(0));
    const bool is_short_and_widened = llvm::isa<llvm::SExtInst, llvm::ZExtInst>(value) &&
                                      value.getType()->getScalarSizeInBits() < 32;
    return is_short_and_widened && own != Stride(0) ? std::nullopt : own;
  }
  const auto* disjoint = llvm::dyn_cast<llvm::PossiblyDisjointInst>(&value);
  const unsigned operation =
      disjoint && disjoint->isDisjoint() ? unsigned{Instruction::Add} : value.getOpcode();
  if (operation != Instruction::Add && operation != Instruction::Sub &&
      operation != Instruction::Mul && operation != Instruction::Shl)
    return zero_if_uniform(value);
  const Stride left = stride(value.getOperand(0)), right = stride(value.getOperand(1));
  if (!left || !right) return std::nullopt;
  if (operation == Instruction::Add) return *left + *right;
  if (operation == Instruction::Sub) return *left - *right;
  if (*left == 0 && *right == 0) return 0;
  const auto* factor = llvm::dyn_cast<llvm::ConstantInt>(value.getOperand(1));
  if (!factor || factor->getBitWidth() > 64) return std::nullopt;
  if (operation == Instruction::Shl) return *left << factor->getLimitedValue(31);
  const std::int64_t times = factor->getSExtValue();
  return std::abs(times) > largest_stride ? std::nullopt : Stride(*left * times);
}

Stride RowChecks::Finder::of_pointer(const llvm::GetElementPtrInst& pointer) {
  Stride total = stride(pointer.getPointerOperand());
  for (auto index = llvm::gep_type_begin(pointer); index != llvm::gep_type_end(pointer); ++index) {
    const Stride own = stride(index.getOperand());
    if (!own || !total) return std::nullopt;
    if (*own == 0) continue;
    if (index.isStruct() || !index.getOperand()->getType()->isIntegerTy(64)) return std::nullopt;
    const std::uint64_t size = index.getSequentialElementStride(layout_).getFixedValue();
    if (size > largest_stride) return std::nullopt;
    total = *total + *own * static_cast<std::int64_t>(size);
  }
  return total;
}

/// Computed where the program may not: nothing that may trap, and nothing that memory decides.
Stride RowChecks::Finder::zero_if_uniform(const Instruction& value) {
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&value);
  const bool is_pure =
      llvm::isa<llvm::CmpInst, llvm::SelectInst>(value) ||
      (value.isBinaryOp() && !value.isIntDivRem()) ||
      (call && call->doesNotAccessMemory() && llvm::isSafeToSpeculativelyExecute(call));
  if (!is_pure) return std::nullopt;
  for (const llvm::Use& operand : value.operands())
    if (!llvm::isa<llvm::Function>(operand) && stride(operand.get()) != Stride(0))
      return std::nullopt;
  return 0;
}

/// Integers that differ between threads and become wider: on the way to `value`.
void RowChecks::Finder::note_widened(Value* value, llvm::SmallPtrSetImpl<const Value*>& seen,
                                     Entry& entry) {
  auto* const instruction = llvm::dyn_cast<Instruction>(value);
  if (instruction == nullptr || stride(value) == Stride(0) || !seen.insert(value).second) return;
  if (llvm::isa<llvm::SExtInst, llvm::ZExtInst>(instruction))
    entry.widened.push_back({value, *stride(value)});
  for (Value* operand : instruction->operand_values()) note_widened(operand, seen, entry);
}

/// What has to hold for a thread to come to `block`.
bool RowChecks::Finder::add_conditions(Entry& entry, const BasicBlock* block) {
  for (const BasicBlock* at = block;;) {
    const auto* node = dominators_.getNode(at)->getIDom();
    if (node == nullptr) return true;
    const BasicBlock* above = node->getBlock();
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(above->getTerminator());
    if (!post_dominators_.dominates(at, above)) {
      if (branch == nullptr || branch->isUnconditional()) return false;
      const auto leads = [&](unsigned successor) {
        const llvm::BasicBlockEdge edge(above, branch->getSuccessor(successor));
        return dominators_.dominates(edge, at);
      };
      const bool if_true = leads(0);
      if (if_true == leads(1)) return false;
      if (!add_condition(entry, branch->getCondition(), if_true)) return false;
    }
    at = above;
  }
}

bool RowChecks::Finder::add_condition(Entry& entry, const Value* condition, bool answer) {
  using namespace llvm::PatternMatch;  // NOLINT(google-build-using-namespace)
  const Value *left = nullptr, *right = nullptr;
  if (answer ? match(condition, m_LogicalAnd(m_Value(left), m_Value(right)))
             : match(condition, m_LogicalOr(m_Value(left), m_Value(right))))
    return add_condition(entry, left, answer) && add_condition(entry, right, answer);
  const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(condition);
  if (compare == nullptr) return false;
  left = compare->getOperand(0);
  right = compare->getOperand(1);
  if (!left->getType()->isIntegerTy() || left->getType()->getIntegerBitWidth() < 32) return false;
  const bool is_uniform = row_.uniform(left) && row_.uniform(right);
  const bool is_split = (row_.consecutive(left) && row_.uniform(right)) ||
                        (row_.uniform(left) && row_.consecutive(right));
  if (!is_uniform && !is_split) return false;
  entry.has_conditions = true;
  if (!compare->isEquality()) {
    entry.conditions.add(compare, answer, row_);
    return true;
  }
  const bool must_be_equal = (compare->getPredicate() == llvm::CmpInst::ICMP_EQ) == answer;
  if (!must_be_equal && !is_uniform) return false;
  if (is_split && row_.consecutive(right)) std::swap(left, right);
  entry.equalities.push_back(
      {const_cast<Value*>(left), const_cast<Value*>(right), must_be_equal, is_split});
  return true;
}

bool RowChecks::Finder::may_be_shared(const Entry& entry) const {
  if ((entry.flags & (object_shared | object_local)) != 0)
    return (entry.flags & object_shared) != 0;
  if (!llvm::isa<llvm::ConstantPointerNull>(entry.base)) return false;  // another variable
  const Value* object = llvm::getUnderlyingObject(entry.address, 0);
  const auto* parameter = llvm::dyn_cast<llvm::Argument>(object);
  return parameter == nullptr || parameter->getArgNo() >= checks_.body_.user_parameters;
}

/// Who only reads shared memory between two barriers races with nobody.
void RowChecks::Finder::ignore_races_of_reads() {
  if (!alone_) return;
  for (const Entry& entry : checks_.entries_)
    if (entry.address != nullptr && (entry.flags & check_writes) != 0 && may_be_shared(entry))
      return;
  for (Entry& entry : checks_.entries_)
    if ((entry.flags & (object_shared | check_race)) == (object_shared | check_race)) {
      entry.ignore |= check_race;
      checks_.ignores_races_ = true;
    }
}

/// Whether an entry before it now asks for both. What lies between them is asked for as well: if
/// that fails, each thread asks.
bool RowChecks::Finder::join(const Entry& entry) {
  const auto asks_for = [&](std::uint32_t check) {
    return (entry.flags & check) != 0 && (entry.ignore & check) == 0;
  };
  const bool writes = (entry.flags & check_writes) != 0;
  if (entry.address == nullptr || asks_for(check_race) || (writes && asks_for(check_init)))
    return false;
  const Sum sum = sum_of(entry.address, layout_);
  for (Entry& before : checks_.entries_) {
    if (before.address == nullptr || before.flags != entry.flags || before.ignore != entry.ignore ||
        before.stride != entry.stride || before.base != entry.base || before.align != entry.align ||
        before.block != entry.block)
      continue;
    const Sum other = sum_of(before.address, layout_);
    const std::int64_t distance = sum.constant - (other.constant + before.offset);
    if (other.terms != sum.terms || distance % static_cast<std::int64_t>(entry.align) != 0 ||
        std::abs(distance) > largest_stride)
      continue;
    const auto end = std::max(distance + static_cast<std::int64_t>(entry.size),
                              static_cast<std::int64_t>(before.size));
    const std::int64_t begin = std::min<std::int64_t>(distance, 0);
    before.offset += begin;
    before.size = static_cast<std::uint64_t>(end - begin);
    return true;
  }
  return false;
}

bool RowChecks::Finder::add_access(const llvm::CallInst& call, Entry entry) {
  const auto* size = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(1));
  if (!size) return false;
  entry.address = call.getArgOperand(0);
  entry.base = call.getArgOperand(2);
  entry.size = size->getZExtValue();
  entry.flags = static_cast<std::uint32_t>(field(*entry.access, 3));
  entry.align = std::max<std::uint64_t>(1, field(*entry.access, 4));
  if (entry.size == 0 || (entry.flags & check_is_stored) != 0) return true;
  const bool is_strong = (entry.flags & (check_atomic | check_volatile | check_acquires)) != 0;
  if ((entry.flags & object_local) != 0 || (is_strong && (entry.flags & check_race) != 0))
    return false;
  const Stride own = stride(entry.address), of_base = stride(entry.base);
  if (!own || of_base != Stride(0)) return false;
  entry.stride = *own;
  llvm::SmallPtrSet<const Value*, 8> seen;
  note_widened(entry.address, seen, entry);
  checks_.entries_.push_back(std::move(entry));
  return true;
}

bool RowChecks::Finder::add(const llvm::CallInst& call) {
  Entry entry;
  const bool is_access = marker_of(call) == Marker::check_access;
  // LLVM may have made one call of two, which tells them apart by a value.
  entry.access = llvm::dyn_cast<llvm::GlobalVariable>(call.getArgOperand(is_access ? 3 : 1));
  entry.block = call.getParent();
  if (entry.access == nullptr || loops_.getLoopFor(call.getParent()) != nullptr ||
      !add_conditions(entry, call.getParent()))
    return false;
  if (is_access) return add_access(call, std::move(entry));
  const auto* step = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(0));
  if (step == nullptr) return false;
  entry.step = static_cast<std::uint32_t>(step->getZExtValue());
  const auto kind = static_cast<CheckedStep>(entry.step);
  if (kind != CheckedStep::start && kind != CheckedStep::arrive &&
      kind != CheckedStep::behind_block_barrier)
    return false;
  checks_.entries_.push_back(std::move(entry));
  return true;
}

bool RowChecks::Finder::find() {
  for (const Instruction& instruction : llvm::instructions(checks_.function_))
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
      if (!may_call(*call)) return false;
  const llvm::ReversePostOrderTraversal<llvm::Function*> order(&checks_.function_);
  for (const BasicBlock* block : order)
    for (const Instruction& instruction : *block)
      if (is_check(marker_of(instruction)) && !add(llvm::cast<llvm::CallInst>(instruction)))
        return false;
  ignore_races_of_reads();
  llvm::SmallVector<Entry, 8> found = std::move(checks_.entries_);
  checks_.entries_.clear();
  for (Entry& entry : found)
    if (!join(entry)) checks_.entries_.push_back(std::move(entry));
  // Nothing is asked of what only races could make wrong, and they cannot.
  llvm::erase_if(checks_.entries_, [](const Entry& entry) {
    constexpr std::uint32_t checks = check_memory | check_race | check_init | check_order;
    return entry.address != nullptr && (entry.flags & checks & ~entry.ignore) == 0;
  });
  return checks_.entries_.size() <= most_row_accesses;
}

RowChecks::RowChecks(const KernelBody& body, llvm::Function& function, bool alone)
    : body_(with_function(body, function)), function_(function) {
  const bool is_checked = llvm::any_of(llvm::instructions(function),
                                       [](const Instruction& i) { return is_check(marker_of(i)); });
  if (!is_checked || body.stores_thread_index || !Finder(*this, alone).find()) return;
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

RowConditions::Range RowChecks::threads_of(llvm::IRBuilder<>& builder, const Row& row,
                                           const Entry& entry) const {
  Value *const zero = builder.getInt32(0), *const one = builder.getInt32(1);
  if (!entry.has_conditions) return {zero, row.count, builder.getTrue()};
  Value* const last_x = builder.CreateSub(row.count, one);
  const auto of_last = parameters_of(builder, row, last_x);
  auto [begin, end, is_told] = entry.conditions.range(builder, row.of_first, of_last, last_x);
  Rematerializer of_first(builder, row.of_first), behind(builder, of_last);
  for (const Equality& equality : entry.equalities) {
    Value* const value = builder.CreateFreeze(of_first.compute(equality.value));
    Value* const limit = builder.CreateFreeze(of_first.compute(equality.limit));
    Value *from = zero, *to = row.count;
    if (equality.is_split) {
      // The one thread for which the value, which grows by one, is the limit.
      Value* const to_value = builder.CreateFreeze(behind.compute(equality.value));
      is_told = builder.CreateAnd(is_told, RowConditions::apart(builder, value, to_value, last_x));
      Value* const distance = builder.CreateSub(limit, value);
      Value* const is_there =
          builder.CreateICmpULT(distance, builder.CreateZExt(row.count, distance->getType()));
      from = builder.CreateSelect(is_there, builder.CreateTrunc(distance, zero->getType()), zero);
      to = builder.CreateSelect(is_there, builder.CreateAdd(from, one), zero);
    } else {
      Value* const are_equal = builder.CreateICmpEQ(value, limit);
      to = equality.answer ? builder.CreateSelect(are_equal, to, zero)
                           : builder.CreateSelect(are_equal, zero, to);
    }
    begin = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umax, begin, from);
    end = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, end, to);
  }
  return {begin, builder.CreateBinaryIntrinsic(llvm::Intrinsic::umax, begin, end), is_told};
}

/// Writes the entry's RowPlace; i1: who does it is known, and its address is what the stride says.
Value* RowChecks::emit_place(llvm::IRBuilder<>& builder, const Row& row, const Entry& entry,
                             Value* place) const {
  const auto store = [&](Value* value, std::size_t offset) {
    builder.CreateStore(value, context_field(builder, place, offset));
  };
  const RowConditions::Range threads = threads_of(builder, row, entry);
  store(threads.begin, offsetof(RowPlace, begin));
  store(threads.end, offsetof(RowPlace, end));
  if (entry.address == nullptr) return threads.is_told;
  const auto of_begin = parameters_of(builder, row, threads.begin);
  Value* const count = builder.CreateSub(threads.end, threads.begin);
  Value* const last = builder.CreateSub(threads.end, builder.getInt32(1));
  Rematerializer first(builder, of_begin);
  Value* const address = builder.CreatePtrToInt(first.compute(entry.address), builder.getInt64Ty());
  store(builder.CreateAdd(address, builder.getInt64(static_cast<std::uint64_t>(entry.offset))),
        offsetof(RowPlace, address));
  store(builder.CreatePtrToInt(first.compute(entry.base), builder.getInt64Ty()),
        offsetof(RowPlace, base));
  Value* fits = builder.getTrue();
  if (entry.widened.empty()) return threads.is_told;
  const auto of_last = parameters_of(builder, row, last);
  Rematerializer behind(builder, of_last);
  for (const auto& [value, stride] : entry.widened) {
    Value* const from = first.compute(value);
    Value* const way = builder.CreateSub(behind.compute(value), from);
    Value* const steps =
        builder.CreateZExt(builder.CreateSub(last, threads.begin), from->getType());
    auto* const step = llvm::ConstantInt::getSigned(from->getType(), stride);
    fits = builder.CreateAnd(fits, builder.CreateICmpEQ(way, builder.CreateMul(steps, step)));
  }
  fits = builder.CreateOr(builder.CreateFreeze(fits), builder.CreateIsNull(count));
  return builder.CreateAnd(threads.is_told, fits);
}

/// RowAccess of each entry.
llvm::Constant* RowChecks::table(llvm::Module& module) const {
  llvm::IRBuilder<> builder(module.getContext());
  llvm::SmallVector<llvm::Constant*, 8> rows;
  for (const Entry& entry : entries_) {
    rows.push_back(llvm::ConstantStruct::getAnon(
        {entry.access, builder.getInt64(entry.size),
         builder.getInt64(static_cast<std::uint64_t>(entry.stride)), builder.getInt32(entry.step),
         builder.getInt32(entry.ignore)}));
  }
  auto* value =
      llvm::ConstantArray::get(llvm::ArrayType::get(rows.front()->getType(), rows.size()), rows);
  return new llvm::GlobalVariable(module, value->getType(), true, llvm::GlobalValue::PrivateLinkage,
                                  value, "treadle.row");
}

Value* RowChecks::pass(llvm::IRBuilder<>& builder, const Row& row) const {
  if (entries_.empty()) return builder.getTrue();
  llvm::Function& caller = *builder.GetInsertBlock()->getParent();
  llvm::Module& module = *caller.getParent();
  auto* const type = llvm::ArrayType::get(builder.getInt8Ty(), sizeof(RowPlace) * entries_.size());
  llvm::IRBuilder<> at_entry(&*caller.getEntryBlock().getFirstInsertionPt());
  llvm::AllocaInst* const places = at_entry.CreateAlloca(type, nullptr, "places");
  places->setAlignment(llvm::Align(alignof(RowPlace)));
  Value* fits = builder.getTrue();
  if (ignores_races_) {
    // While all threads of the block run here.
    auto* const runs = llvm::cast<llvm::LoadInst>(
        load_context_u32(builder, row.context, offsetof(BlockContext, runs_of_rows)));
    fits = builder.CreateIsNull(runs);
  }
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Value* const place = context_field(builder, places, i * sizeof(RowPlace));
    fits = builder.CreateAnd(fits, emit_place(builder, row, entries_[i], place));
  }
  BasicBlock* const before = builder.GetInsertBlock();
  auto* const ask = BasicBlock::Create(caller.getContext(), "ask.row", &caller);
  auto* const asked = BasicBlock::Create(caller.getContext(), "asked.row", &caller);
  builder.CreateCondBr(fits, ask, asked);
  builder.SetInsertPoint(ask);
  llvm::Type *const i32 = builder.getInt32Ty(), *const pointer = builder.getPtrTy();
  auto* const service =
      llvm::FunctionType::get(i32, {pointer, pointer, pointer, i32, i32}, /*isVarArg=*/false);
  llvm::CallInst* const answer = builder.CreateCall(
      service, load_service(builder, module, offsetof(Services, check_row)),
      {row.context, table(module), places,
       builder.getInt32(static_cast<std::uint32_t>(entries_.size())), row.thread});
  answer->setDoesNotThrow();
  Value* const is_good = builder.CreateICmpNE(answer, builder.getInt32(0));
  builder.CreateBr(asked);
  builder.SetInsertPoint(asked);
  llvm::PHINode* const passes = builder.CreatePHI(builder.getInt1Ty(), 2, "passes");
  passes->addIncoming(builder.getFalse(), before);
  passes->addIncoming(is_good, ask);
  return passes;
}

}  // namespace treadle::cuda_cpu
