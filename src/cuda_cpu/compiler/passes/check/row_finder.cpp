// SPDX-License-Identifier: MIT
// Analysis: what a row of threads, or several rows, will access: addresses that grow by a constant
// from thread to thread, and conditions that hold for neighbours. Nothing is told where a check is
// in a loop, or of an address that memory decides.
#include "cuda_cpu/compiler/passes/check/row_finder.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>

#include "cuda_cpu/compiler/passes/lowering/markers.hpp"
#include "cuda_cpu/module_abi.h"

namespace treadle::cuda_cpu {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;
using Stride = std::optional<std::int64_t>;

/// Between threads, so that what 1023 of them add to an int of 32 bits tells whether it wraps.
constexpr std::int64_t largest_stride = 1 << 20;

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

/// Strides in bytes along a row, of values that may be computed before it runs.
class Finder {
 public:
  Finder(const KernelBody& body, Rows rows, bool alone)
      : body_(body),
        function_(*body.function),
        row_(body),
        plane_(body, rows),
        layout_(function_.getParent()->getDataLayout()),
        dominators_(function_),
        post_dominators_(function_),
        loops_(dominators_),
        alone_(alone) {
    for (const llvm::Argument* index : {x(), linear()})
      if (index != nullptr) row_.set(index->getArgNo(), RowValues::Kind::consecutive);
  }
  /// False where some check is not to be told for a row.
  bool find();
  RowEntries take() { return std::move(found_); }

 private:
  const llvm::Argument* x() const { return body_.thread_index(0); }
  /// The number in the block, which regions have.
  const llvm::Argument* linear() const {
    const unsigned behind = body_.user_parameters + KernelBody::hidden_parameters;
    return behind < function_.arg_size() ? function_.getArg(behind) : nullptr;
  }
  bool add(const llvm::CallInst& call);
  bool add_access(const llvm::CallInst& call, RowEntry entry);
  bool add_conditions(RowEntry& entry, const BasicBlock* block);
  bool add_condition(RowEntry& entry, const Value* condition, bool answer);
  void add_everywhere(RowEntry& entry, const llvm::ICmpInst& compare, bool answer);
  bool join(const RowEntry& entry);
  void ignore_races_of_reads();
  bool may_be_shared(const RowEntry& entry) const;

  Stride stride(const Value* value);
  Stride compute(const Instruction& value);
  Stride of_pointer(const llvm::GetElementPtrInst& pointer);
  Stride zero_if_uniform(const Instruction& value);
  using Seen = llvm::SmallPtrSetImpl<const Value*>;
  bool note_widened(Value* value, Seen& seen, RowEntry::Widened& widened);

  const KernelBody& body_;
  llvm::Function& function_;
  RowEntries found_;
  RowValues row_;
  PlaneValues plane_;
  const llvm::DataLayout& layout_;
  llvm::DominatorTree dominators_;
  llvm::PostDominatorTree post_dominators_;
  llvm::LoopInfo loops_;
  const bool alone_;
  llvm::DenseMap<const Value*, Stride> known_;
};

Stride Finder::stride(const Value* value) {
  if (llvm::isa<llvm::Constant>(value)) return 0;
  if (llvm::isa<llvm::Argument>(value)) return value == x() || value == linear() ? 1 : 0;
  const auto [found, is_new] = known_.try_emplace(value, std::nullopt);
  if (!is_new) return found->second;
  Stride result = compute(llvm::cast<Instruction>(*value));
  if (result && std::abs(*result) > largest_stride) result = std::nullopt;
  return known_[value] = result;
}

Stride Finder::compute(const Instruction& value) {
  if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(&value))
    return phi->hasConstantValue() ? stride(phi->hasConstantValue()) : std::nullopt;
  // What is there, whoever asks, and whatever the program would have asked before.
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&value))
    return body_.reads_block_field(*load) || body_.reads_member(*load) ? Stride(0) : std::nullopt;
  if (const auto* pointer = llvm::dyn_cast<llvm::GetElementPtrInst>(&value))
    return of_pointer(*pointer);
  if (llvm::isa<llvm::IntToPtrInst>(value) && !value.getOperand(0)->getType()->isIntegerTy(64))
    return zero_if_uniform(value);
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

Stride Finder::of_pointer(const llvm::GetElementPtrInst& pointer) {
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
Stride Finder::zero_if_uniform(const Instruction& value) {
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

/// Integers that differ between threads or rows and become wider: on the way to `value`. False if
/// the stride of one is not known.
bool Finder::note_widened(Value* value, Seen& seen, RowEntry::Widened& widened) {
  auto* const instruction = llvm::dyn_cast<Instruction>(value);
  if (instruction == nullptr || !seen.insert(value).second) return true;
  const Stride own = stride(value);
  if (own == Stride(0) && plane_.uniform(value)) return true;
  bool are_known = true;
  if (llvm::isa<llvm::SExtInst, llvm::ZExtInst>(instruction)) {
    are_known = own.has_value();
    if (own) widened.push_back({value, *own});
  }
  for (Value* operand : instruction->operand_values())
    are_known &= note_widened(operand, seen, widened);
  return are_known;
}

/// What has to hold for a thread to come to `block`.
bool Finder::add_conditions(RowEntry& entry, const BasicBlock* block) {
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

bool Finder::add_condition(RowEntry& entry, const Value* condition, bool answer) {
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
  const bool is_varying = !plane_.uniform(left) || !plane_.uniform(right);
  if (is_varying) add_everywhere(entry, *compare, answer);
  if (!compare->isEquality()) {
    (is_varying ? entry.varying : entry.conditions).add(compare, answer, row_);
    return true;
  }
  const bool must_be_equal = (compare->getPredicate() == llvm::CmpInst::ICMP_EQ) == answer;
  if (is_split && row_.consecutive(right)) std::swap(left, right);
  entry.equalities.push_back(
      {const_cast<Value*>(left), const_cast<Value*>(right), must_be_equal, is_split, is_varying});
  entry.has_gap |= entry.equalities.back().may_leave_gap();
  return true;
}

/// What is not the same in all rows has to hold in all of them.
void Finder::add_everywhere(RowEntry& entry, const llvm::ICmpInst& compare, bool answer) {
  auto predicate = answer ? compare.getPredicate() : compare.getInversePredicate();
  Value *value = compare.getOperand(0), *limit = compare.getOperand(1);
  const auto is_limit = [&](const Value* v) { return row_.uniform(v) && plane_.uniform(v); };
  if (!is_limit(limit)) {
    std::swap(value, limit);
    predicate = llvm::CmpInst::getSwappedPredicate(predicate);
  }
  const Stride own = stride(value);
  entry.is_planar &= is_limit(limit) && own.has_value() &&
                     plane_.kind(value) == PlaneValues::Kind::affine &&
                     predicate != llvm::CmpInst::ICMP_EQ;
  if (!entry.is_planar) return;
  entry.everywhere.push_back({predicate, value, *own, limit, {}});
  llvm::SmallPtrSet<const Value*, 8> seen;
  entry.is_planar = note_widened(value, seen, entry.everywhere.back().widened);
}

bool Finder::may_be_shared(const RowEntry& entry) const {
  if ((entry.flags & (object_shared | object_local)) != 0)
    return (entry.flags & object_shared) != 0;
  if (!llvm::isa<llvm::ConstantPointerNull>(entry.base)) return false;  // another variable
  const Value* object = llvm::getUnderlyingObject(entry.address, 0);
  const auto* parameter = llvm::dyn_cast<llvm::Argument>(object);
  return parameter == nullptr || parameter->getArgNo() >= body_.user_parameters;
}

/// Who only reads shared memory between two barriers races with nobody.
void Finder::ignore_races_of_reads() {
  if (!alone_) return;
  for (const RowEntry& entry : found_.all)
    if (entry.address != nullptr && (entry.flags & check_writes) != 0 && may_be_shared(entry))
      return;
  for (RowEntry& entry : found_.all)
    if ((entry.flags & (object_shared | check_race)) == (object_shared | check_race)) {
      entry.ignore |= check_race;
      found_.ignores_races = true;
    }
}

/// Whether an entry before it now asks for both. What lies between them is asked for as well: if
/// that fails, each thread asks.
bool Finder::join(const RowEntry& entry) {
  const auto asks_for = [&](std::uint32_t check) {
    return (entry.flags & check) != 0 && (entry.ignore & check) == 0;
  };
  const bool writes = (entry.flags & check_writes) != 0;
  if (entry.address == nullptr || asks_for(check_race) || (writes && asks_for(check_init)))
    return false;
  const Sum sum = sum_of(entry.address, layout_);
  for (RowEntry& before : found_.all) {
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

bool Finder::add_access(const llvm::CallInst& call, RowEntry entry) {
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
  entry.is_planar &= note_widened(entry.address, seen, entry.widened) &&
                     plane_.kind(entry.address) != PlaneValues::Kind::other &&
                     plane_.uniform(entry.base);
  found_.all.push_back(std::move(entry));
  return true;
}

bool Finder::add(const llvm::CallInst& call) {
  RowEntry entry;
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
  found_.all.push_back(std::move(entry));
  return true;
}

bool Finder::find() {
  for (const Instruction& instruction : llvm::instructions(function_))
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
      if (!may_call(*call)) return false;
  const llvm::ReversePostOrderTraversal<llvm::Function*> order(&function_);
  for (const BasicBlock* block : order)
    for (const Instruction& instruction : *block)
      if (is_check(marker_of(instruction)) && !add(llvm::cast<llvm::CallInst>(instruction)))
        return false;
  ignore_races_of_reads();
  llvm::SmallVector<RowEntry, 8> found = std::move(found_.all);
  found_.all.clear();
  for (RowEntry& entry : found)
    if (!join(entry)) found_.all.push_back(std::move(entry));
  // Nothing is asked of what only races could make wrong, and they cannot.
  llvm::erase_if(found_.all, [](const RowEntry& entry) {
    constexpr std::uint32_t checks = check_memory | check_race | check_init | check_order;
    return entry.address != nullptr && (entry.flags & checks & ~entry.ignore) == 0;
  });
  const auto places = llvm::count_if(found_.all, [](const RowEntry& e) { return e.has_gap; });
  found_.are_planar = llvm::all_of(found_.all, [](const RowEntry& e) { return e.is_planar; });
  return found_.all.size() + static_cast<std::size_t>(places) <= most_row_accesses;
}

}  // namespace

std::optional<std::uint32_t> flags_of_check(const llvm::CallInst& check) {
  const auto* access = llvm::dyn_cast<llvm::GlobalVariable>(check.getArgOperand(3));
  if (access == nullptr) return {};
  return static_cast<std::uint32_t>(field(*access, 3));
}

std::optional<RowEntries> find_row_entries(const KernelBody& body, Rows rows, bool alone) {
  Finder finder(body, rows, alone);
  if (!finder.find()) return {};
  return finder.take();
}

}  // namespace treadle::cuda_cpu
