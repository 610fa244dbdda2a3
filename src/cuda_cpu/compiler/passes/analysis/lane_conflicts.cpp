// SPDX-License-Identifier: MIT
// Analysis: may two lanes of a warp meet in an element of shared memory? Their addresses are
// subtracted. Values that are the same in a warp cancel, thread indices are two unknowns:
//
//   s[t] and s[t + 16]           4 (t - t') - 64            0 for t = t' + 16: they may
//   s[t] and s[t + 16], t < 16   4 (t - t') - 64 <= -4      no
//   s[2 * t] and s[2 * t + 1]    8 (t - t') - 4             no: 4 is no multiple of 8
//   m[t][i] and m[t][j]          t - t' in the rows         only if t = t', which is one lane
//   s[i * 64 + t], any i         256 (i - i') + 4 (t - t')  no: lanes are 31 apart at most
#include "cuda_cpu/compiler/passes/analysis/lane_conflicts.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Support/KnownBits.h>

#include <numeric>

#include "cuda_cpu/compiler/passes/lowering/kernel_body.hpp"

namespace treadle::cuda_cpu {
namespace {

using llvm::CmpInst;
using llvm::Instruction;
using llvm::Value;
using namespace llvm::PatternMatch;

constexpr std::int64_t warp_threads = 32, most_threads = 1024;
constexpr std::int64_t unlimited = std::int64_t{1} << 40;

/// All `extern` variables begin at one address; a pointer that is chosen at run time leads
/// anywhere.
bool may_be_one_variable(const Value& one, const Value& other, const KernelBody& body) {
  const auto *first = llvm::dyn_cast<llvm::GetElementPtrInst>(&one),
             *second = llvm::dyn_cast<llvm::GetElementPtrInst>(&other);
  const bool both_variables = first && second && first->getPointerOperand() == body.shared() &&
                              second->getPointerOperand() == body.shared();
  return !both_variables || first->getOperand(1) == second->getOperand(1);
}

/// The residue classes that `value` numbers: 2 for `i % 2` and `i & 1`; of what.
std::int64_t modulus_of(const Value& value, const Value*& of) {
  const llvm::APInt* number = nullptr;
  if (match(&value, m_And(m_Value(of), m_LowBitMask(number)))) return number->getSExtValue() + 1;
  if (match(&value, m_IRem(m_Value(of), m_APInt(number)))) return number->getSExtValue();
  return 0;
}

bool never_equal(const Value& one, const Value& other, const llvm::DataLayout& layout) {
  if (one.getType() != other.getType()) return false;
  if (llvm::isKnownNonEqual(&one, &other, layout)) return true;
  const Value *left = nullptr, *right = nullptr;
  const std::int64_t modulus = modulus_of(one, left);
  if (modulus < 2 || modulus_of(other, right) != modulus) return false;
  LinearForm difference;
  difference.add(*left, 1);
  difference.add(*right, -1);
  return difference.terms.empty() && difference.constant % modulus != 0;
}

/// `form` divided by `divisor`, where it is a multiple but for its constant.
std::optional<LinearForm> quotient(const LinearForm& form, const Value& divisor) {
  LinearForm found;
  for (const LinearForm::Term& term : form.terms) {
    const Value* factor = nullptr;
    if (same_value(*term.symbol, divisor))
      found.constant += term.factor;
    else if (match(term.symbol, m_c_Mul(m_Specific(&divisor), m_Value(factor))))
      found.add(*factor, term.factor);
    else
      return std::nullopt;
  }
  return found;
}

}  // namespace

/// Of the first address and the second: rest + sum of factor * (index - other thread's index).
struct LaneConflicts::Difference {
  Range rest{0, 0};               ///< what is no thread index, and the constant
  std::int64_t constant = 0;      ///< of rest
  std::int64_t rest_divisor = 0;  ///< of rest without its constant; 0: there is no more
  std::int64_t divisor = 0;       ///< of all but the constant
  Range all{0, 0};
  unsigned parts = none;    ///< Thread bits that both have, with one factor
  bool parts_alike = true;  ///< and nothing else tells threads apart
  std::int64_t least_factor = unlimited, most_factor = -unlimited;
  bool only_grows = true;                            ///< rest: sums of what is the same in a warp
  bool by_rows_of_threads = true;                    ///< rest: multiples of blockDim.x
  llvm::SmallVector<LinearForm::Term, 2> cancelled;  ///< rest: those that both could see
  bool other = false;                                ///< rest: there are others
};

llvm::CmpInst::Predicate LaneConflicts::Guard::predicate() const {
  return holds ? condition->getPredicate() : condition->getInversePredicate();
}
llvm::CmpInst::Predicate LaneConflicts::Guard::swapped() const {
  return llvm::CmpInst::getSwappedPredicate(predicate());
}

LaneConflicts::LaneConflicts(const KernelBody& body, const Uniformity& uniformity,
                             llvm::FunctionAnalysisManager& analyses)
    : body_(body),
      dominators_(analyses.getResult<llvm::DominatorTreeAnalysis>(*body.function)),
      loops_(analyses.getResult<llvm::LoopAnalysis>(*body.function)),
      evolution_(analyses.getResult<llvm::ScalarEvolutionAnalysis>(*body.function)),
      uniformity_(uniformity),
      one_dimensional_(!used_by_itself(1) && !used_by_itself(2)),
      two_dimensional_(!used_by_itself(2)) {}

/// blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z), or without the z.
bool LaneConflicts::is_rows(const Value& value) const {
  const Value* row = nullptr;
  if (!match(&value, m_c_Mul(m_Value(row), m_Specific(body_.block_size(0))))) return false;
  return row == body_.thread_index(1) ||
         match(row, m_c_Add(m_Specific(body_.thread_index(1)),
                            m_c_Mul(m_Specific(body_.thread_index(2)),
                                    m_Specific(body_.block_size(1)))));
}

/// Whether the index is used but to number the threads of a block.
bool LaneConflicts::used_by_itself(unsigned dimension) const {
  const auto numbers = [&](const llvm::User* user) {
    return is_rows(*user) || llvm::all_of(user->users(), [&](const llvm::User* next) {
             return is_rows(*next) || (next->hasOneUse() && is_rows(**next->user_begin()));
           });
  };
  return !llvm::all_of(body_.thread_index(dimension)->users(), numbers);
}

bool LaneConflicts::is_linear_thread(const Value& value) const {
  LinearForm form;
  form.add(value, 1);
  unsigned parts = none;
  for (const LinearForm::Term& term : form.terms) {
    if (term.factor != 1) return false;
    if (term.symbol == body_.thread_index(0))
      parts |= x;
    else if (is_rows(*term.symbol))
      parts |= rows;
    else
      return false;
  }
  return form.constant == 0 && (parts == (x | rows) || (parts == x && one_dimensional_));
}

LaneConflicts::Thread LaneConflicts::thread_part(const Value& symbol) const {
  for (unsigned dimension = 0; dimension < 3; ++dimension)
    if (&symbol == body_.thread_index(dimension)) return static_cast<Thread>(1u << dimension);
  if (is_rows(symbol)) return rows;
  const Value* of = nullptr;
  const bool is_lane = (match(&symbol, m_And(m_Value(of), m_SpecificInt(warp_threads - 1))) ||
                        match(&symbol, m_URem(m_Value(of), m_SpecificInt(warp_threads))) ||
                        match(&symbol, m_SRem(m_Value(of), m_SpecificInt(warp_threads)))) &&
                       is_linear_thread(*of);
  return is_lane ? lane : none;
}

/// What all lanes of a warp have in common: what the block has, the warp's number, and what is
/// computed of these.
bool LaneConflicts::same_in_warp(const Value& value) const {
  if (!uniformity_.varies(&value)) return true;
  const auto* instruction = llvm::dyn_cast<Instruction>(&value);
  if (!instruction || instruction->mayReadOrWriteMemory() ||
      llvm::isa<llvm::PHINode, llvm::AllocaInst>(instruction))
    return false;
  const llvm::APInt* number = nullptr;
  const Value* of = nullptr;
  const bool whole_warps =
      (match(instruction, m_Shr(m_Value(of), m_APInt(number))) && number->uge(5)) ||
      (match(instruction, m_IDiv(m_Value(of), m_APInt(number))) && number->urem(32) == 0) ||
      (match(instruction, m_And(m_Value(of), m_APInt(number))) && number->countr_zero() >= 5);
  if (whole_warps && is_linear_thread(*of)) return true;
  return llvm::all_of(instruction->operands(),
                      [&](const llvm::Use& use) { return same_in_warp(*use.get()); });
}

bool LaneConflicts::keeps_warps_together(const Value& condition) const {
  if (same_in_warp(condition)) return true;
  CmpInst::Predicate predicate{};
  const llvm::APInt* limit = nullptr;
  const Value* thread = nullptr;
  if (!match(&condition, m_ICmp(predicate, m_Value(thread), m_APInt(limit))) ||
      !is_linear_thread(*thread))
    return false;
  const auto number = limit->getSExtValue();
  switch (predicate) {
    case CmpInst::ICMP_ULT:
    case CmpInst::ICMP_SLT:
    case CmpInst::ICMP_UGE:
    case CmpInst::ICMP_SGE:
      return number % 32 == 0;
    case CmpInst::ICMP_UGT:
    case CmpInst::ICMP_SGT:
    case CmpInst::ICMP_ULE:
    case CmpInst::ICMP_SLE:
      return (number + 1) % 32 == 0;
    default:
      return false;
  }
}

bool LaneConflicts::tells_lanes_apart(unsigned parts) const {
  if ((parts & lane) != 0 || (parts & (x | rows)) == (x | rows)) return true;
  const unsigned needed = one_dimensional_ ? x : two_dimensional_ ? x | y : x | y | z;
  return (parts & needed) == needed;
}

/// Comparisons that hold wherever `block` runs.
const llvm::SmallVector<LaneConflicts::Guard, 4>& LaneConflicts::guards_of(
    const llvm::BasicBlock& block) {
  const auto [entry, is_new] = guards_.try_emplace(&block);
  auto& found = entry->second;
  if (!is_new) return found;
  for (const auto* node = dominators_.getNode(&block); node && node->getIDom();
       node = node->getIDom()) {
    const llvm::BasicBlock* above = node->getIDom()->getBlock();
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(above->getTerminator());
    if (!branch || !branch->isConditional()) continue;
    for (const bool holds : {true, false}) {
      const llvm::BasicBlockEdge edge(above, branch->getSuccessor(holds ? 0 : 1));
      if (!dominators_.dominates(edge, &block)) continue;
      llvm::SmallVector<const Value*, 4> pending{branch->getCondition()};
      while (!pending.empty()) {
        const Value* condition = pending.pop_back_val();
        const Value *left = nullptr, *right = nullptr;
        if (const auto* compared = llvm::dyn_cast<llvm::ICmpInst>(condition))
          found.push_back({compared, holds});
        else if (holds ? match(condition, m_LogicalAnd(m_Value(left), m_Value(right)))
                       : match(condition, m_LogicalOr(m_Value(left), m_Value(right))))
          pending.append({left, right});
      }
    }
  }
  return found;
}

/// The thread indices that the guard leaves one value.
unsigned LaneConflicts::pinned_by(const Guard& guard) const {
  const auto predicate =
      guard.holds ? guard.condition->getPredicate() : guard.condition->getInversePredicate();
  if (predicate != llvm::ICmpInst::ICMP_EQ) return none;
  const Value* left = guard.condition->getOperand(0);
  const Value *one = nullptr, *other = nullptr;
  if (match(left, m_Or(m_Value(one), m_Value(other))) &&
      match(guard.condition->getOperand(1), m_Zero()))
    return thread_part(*one) | thread_part(*other);
  LinearForm form;
  form.add(*left, 1);
  form.add(*guard.condition->getOperand(1), -1);
  unsigned parts = none;
  for (const LinearForm::Term& term : form.terms) {
    const Thread part = thread_part(*term.symbol);
    if (part == none && !same_in_warp(*term.symbol)) return none;
    parts |= part;
  }
  return parts;
}

/// `if (t == 0)` around both.
bool LaneConflicts::by_one_lane_only(const llvm::BasicBlock& first,
                                     const llvm::BasicBlock& second) {
  const auto guards = guards_of(first);
  unsigned parts = none;
  for (const Guard& guard : guards)
    for (const Guard& same : guards_of(second))
      if (guard.holds == same.holds && same_value(*guard.condition, *same.condition))
        parts |= pinned_by(guard);
  return tells_lanes_apart(parts);
}

LaneConflicts::Range LaneConflicts::range_of(const Value& symbol, const llvm::BasicBlock& at) {
  if (!symbol.getType()->isIntegerTy()) return {-unlimited, unlimited};
  const unsigned bits = symbol.getType()->getIntegerBitWidth();
  const Thread part = thread_part(symbol);
  llvm::ConstantRange range(bits, /*isFullSet=*/true);
  if (part != none && bits > 10)
    range = {
        llvm::APInt(bits, 0),
        llvm::APInt(bits, static_cast<std::uint64_t>(part == lane ? warp_threads : most_threads))};
  else if (evolution_.isSCEVable(symbol.getType()))
    range = evolution_.getUnsignedRange(evolution_.getSCEV(const_cast<Value*>(&symbol)));
  for (const Guard& guard : guards_of(at)) {
    const llvm::APInt* limit = nullptr;
    if (match(guard.condition->getOperand(1), m_APInt(limit)) &&
        same_value(*guard.condition->getOperand(0), symbol))
      range =
          range.intersectWith(llvm::ConstantRange::makeExactICmpRegion(guard.predicate(), *limit));
  }
  const llvm::APInt low = range.getUnsignedMin(), high = range.getUnsignedMax();
  if (range.isEmptySet() || high.ugt(static_cast<std::uint64_t>(most_threads * most_threads)))
    return {-unlimited, unlimited};
  return {static_cast<std::int64_t>(low.getZExtValue()),
          static_cast<std::int64_t>(high.getZExtValue())};
}

/// Whether a value that is the same in a warp is so, too, at both accesses.
bool LaneConflicts::keeps_its_value(const Value& symbol, const llvm::BasicBlock& first,
                                    const llvm::BasicBlock& second,
                                    const llvm::Loop* around) const {
  const auto* instruction = llvm::dyn_cast<Instruction>(&symbol);
  if (!instruction) return true;
  if (!llvm::isa<llvm::PHINode>(instruction) && !instruction->mayReadOrWriteMemory())
    return llvm::all_of(instruction->operands(), [&](const llvm::Use& use) {
      return keeps_its_value(*use.get(), first, second, around);
    });
  for (const llvm::Loop* loop = loops_.getLoopFor(instruction->getParent()); loop;
       loop = loop->getParentLoop())
    if (loop == around || loop->contains(&first) != loop->contains(&second)) return false;
  return true;
}

LaneConflicts::Difference LaneConflicts::difference(const LinearForm& first,
                                                    const LinearForm& second,
                                                    const SharedAccess& of_first,
                                                    const SharedAccess& of_second,
                                                    const llvm::Loop* around) {
  Difference found;
  const llvm::BasicBlock &here = *of_first.instruction->getParent(),
                         &there = *of_second.instruction->getParent();
  const auto widen = [](Range& range, Range by, std::int64_t factor) {
    const std::int64_t one = by.low * factor, other = by.high * factor;
    range.low = std::max(-unlimited, range.low + std::min(one, other));
    range.high = std::min(unlimited, range.high + std::max(one, other));
  };
  const auto add_rest = [&](const Value& symbol, const llvm::BasicBlock& at, std::int64_t factor) {
    widen(found.rest, range_of(symbol, at), factor);
    const llvm::KnownBits bits =
        llvm::computeKnownBits(&symbol, body_.function->getParent()->getDataLayout());
    found.rest_divisor =
        std::gcd(found.rest_divisor, factor << std::min(bits.countMinTrailingZeros(), 20u));
    found.by_rows_of_threads &=
        match(&symbol, m_c_Mul(m_Value(), m_Specific(body_.block_size(0)))) && !is_rows(symbol);
  };
  LinearForm rest;  // of what cancels, as far as it does
  found.constant = first.constant - second.constant;
  found.rest = found.all = {found.constant, found.constant};
  LinearForm threads[2];
  for (const bool is_first : {true, false})
    for (const LinearForm::Term& term : (is_first ? first : second).terms) {
      const std::int64_t factor = is_first ? term.factor : -term.factor;
      if (thread_part(*term.symbol) != none) {
        threads[is_first ? 0 : 1].add_symbol(*term.symbol, term.factor);
      } else if (same_in_warp(*term.symbol) && keeps_its_value(*term.symbol, here, there, around)) {
        rest.add_symbol(*term.symbol, factor);
      } else {
        found.only_grows = false;
        found.other = true;
        add_rest(*term.symbol, is_first ? here : there, factor);
      }
    }
  for (const LinearForm::Term& term : rest.terms) {
    add_rest(*term.symbol, here, term.factor);
    found.only_grows &= term.factor > 0;
    found.cancelled.push_back(term);
  }
  found.all = found.rest;
  found.divisor = found.rest_divisor;
  for (const bool is_first : {true, false})
    for (const LinearForm::Term& term : threads[is_first ? 0 : 1].terms) {
      const std::int64_t factor = is_first ? term.factor : -term.factor;
      widen(found.all, range_of(*term.symbol, is_first ? here : there), factor);
      found.divisor = std::gcd(found.divisor, factor);
      const auto& others = threads[is_first ? 1 : 0].terms;
      const auto* other = llvm::find_if(others, [&](const LinearForm::Term& candidate) {
        return same_value(*candidate.symbol, *term.symbol) && candidate.factor == term.factor;
      });
      if (other == others.end()) {
        found.parts_alike = false;
        continue;
      }
      found.parts |= thread_part(*term.symbol);
      found.least_factor = std::min(found.least_factor, std::abs(term.factor));
      found.most_factor = std::max(found.most_factor, term.factor);
      found.only_grows &= term.factor > 0;
    }
  return found;
}

/// Nothing where the addresses differ for any two lanes; else the thread indices that lanes share
/// if they are equal.
std::optional<unsigned> LaneConflicts::equal_only_if(const Difference& difference,
                                                     std::int64_t first_size,
                                                     std::int64_t second_size) const {
  const auto& all = difference.all;
  if (all.low >= second_size || all.high <= -first_size) return std::nullopt;
  if (difference.divisor != 0) {
    const std::int64_t divisor = std::abs(difference.divisor);
    const std::int64_t above = (difference.constant % divisor + divisor) % divisor;
    if (above >= second_size && divisor - above >= first_size) return std::nullopt;
  }
  if (difference.parts == none && difference.parts_alike && !difference.other &&
      difference.constant == 0 && difference.cancelled.size() == 2) {
    const auto &one = difference.cancelled[0], &other = difference.cancelled[1];
    if (one.factor == -other.factor && std::abs(one.factor) >= std::max(first_size, second_size) &&
        never_equal(*one.symbol, *other.symbol, body_.function->getParent()->getDataLayout()))
      return std::nullopt;
  }
  if (!difference.parts_alike || difference.parts == none) return none;
  const std::int64_t size = std::max(first_size, second_size);
  const std::int64_t apart =
      std::max(std::abs(difference.rest.low), std::abs(difference.rest.high));
  if (apart + size <= difference.least_factor) return difference.parts;
  if (difference.least_factor < size || !tells_lanes_apart(difference.parts)) return none;
  const std::int64_t divisor = std::gcd(difference.rest_divisor, difference.constant);
  const bool one_index = difference.least_factor == difference.most_factor;
  const std::int64_t farthest = (warp_threads - 1) * difference.most_factor + size;
  if (one_index &&
      (divisor >= farthest || (difference.constant == 0 && difference.by_rows_of_threads &&
                               difference.parts == x && divisor % difference.least_factor == 0)))
    return difference.parts;
  return none;
}

/// Whether the first address is greater wherever its thread's number is.
bool LaneConflicts::ascends(const Difference& difference, std::int64_t size) const {
  return difference.parts_alike && tells_lanes_apart(difference.parts) && difference.only_grows &&
         difference.constant >= 0 && difference.least_factor >= size;
}

/// Bounds of `form` that comparisons around `block` give: itself, and what stands where one of its
/// symbols did. Below it, or above.
llvm::SmallVector<LinearForm, 4> LaneConflicts::bounds(const LinearForm& form,
                                                       const llvm::BasicBlock& block, bool below) {
  llvm::SmallVector<LinearForm, 4> found{form};
  for (const Guard& guard : guards_of(block))
    for (const bool swapped : {false, true}) {
      const auto predicate = swapped ? guard.swapped() : guard.predicate();
      const Value &bounded = *guard.condition->getOperand(swapped ? 1 : 0),
                  &bound = *guard.condition->getOperand(swapped ? 0 : 1);
      for (const LinearForm::Term& term : form.terms) {
        const bool greater = llvm::ICmpInst::isGT(predicate) || llvm::ICmpInst::isGE(predicate);
        const bool less = llvm::ICmpInst::isLT(predicate) || llvm::ICmpInst::isLE(predicate);
        const bool wanted = below == (term.factor > 0) ? greater : less;
        LinearForm symbol;
        symbol.add(bounded, 1);
        if (!wanted || symbol.terms.size() != 1 || symbol.terms[0].factor != 1 ||
            !same_value(*symbol.terms[0].symbol, *term.symbol))
          continue;
        LinearForm replaced = form;
        replaced.add_symbol(*term.symbol, -term.factor);
        replaced.add(bound, term.factor);
        const bool strict = llvm::ICmpInst::isGT(predicate) || llvm::ICmpInst::isLT(predicate);
        replaced.constant +=
            term.factor * ((greater ? 1 : -1) * (strict ? 1 : 0) - symbol.constant);
        found.push_back(std::move(replaced));
      }
    }
  return found;
}

/// `t > i` around the one and `j < i` around the other.
bool LaneConflicts::apart_by_guards(const LinearForm& greater, const SharedAccess& of_greater,
                                    const LinearForm& less, const SharedAccess& of_less,
                                    std::int64_t size, const llvm::Loop* around) {
  const llvm::BasicBlock &here = *of_greater.instruction->getParent(),
                         &there = *of_less.instruction->getParent();
  const auto upper = bounds(less, there, /*below=*/false);
  for (const LinearForm& low : bounds(greater, here, /*below=*/true))
    for (const LinearForm& high : upper) {
      LinearForm gap = low;
      gap.subtract(high);
      const auto cancels = [&](const LinearForm::Term& term) {
        return thread_part(*term.symbol) == none && same_in_warp(*term.symbol) &&
               keeps_its_value(*term.symbol, here, there, around);
      };
      if (gap.terms.empty() && gap.constant >= size && llvm::all_of(low.terms, cancels))
        return true;
    }
  return false;
}

std::optional<unsigned> LaneConflicts::compare(const LinearForm& first,
                                               const SharedAccess& of_first,
                                               const LinearForm& second,
                                               const SharedAccess& of_second,
                                               const llvm::Loop* around, Sizes sizes) {
  if (first.padding != second.padding) return none;
  const auto parts = equal_only_if(difference(first, second, of_first, of_second, around),
                                   sizes.first, sizes.second);
  if (!parts || tells_lanes_apart(*parts)) return parts;
  if (apart_by_guards(first, of_first, second, of_second, sizes.second, around) ||
      apart_by_guards(second, of_second, first, of_first, sizes.first, around))
    return std::nullopt;
  if (first.constant != second.constant) return parts;
  for (const LinearForm::Term& term : first.terms) {
    const Value *one = nullptr, *other = nullptr;
    if (!match(term.symbol, m_Mul(m_Value(one), m_Value(other)))) continue;
    for (const Value* divisor : {one, other}) {
      if (thread_part(*divisor) != none || !same_in_warp(*divisor) ||
          !keeps_its_value(*divisor, *of_first.instruction->getParent(),
                           *of_second.instruction->getParent(), around))
        continue;
      const auto left = quotient(first, *divisor), right = quotient(second, *divisor);
      if (left && right)
        return equal_only_if(difference(*left, *right, of_first, of_second, around), sizes.first,
                             sizes.second);
    }
  }
  return parts;
}

/// Pieces of one variable, taken apart by a distance that only the launch knows.
bool LaneConflicts::are_different_arrays(const SharedAccess& first, const SharedAccess& second,
                                         const llvm::Loop* around) const {
  LinearForm distance = first.array;
  distance.subtract(second.array);
  const auto is_known_at_launch = [&](const LinearForm::Term& term) {
    return !uniformity_.varies(term.symbol) &&
           keeps_its_value(*term.symbol, *first.instruction->getParent(),
                           *second.instruction->getParent(), around);
  };
  return !distance.terms.empty() && llvm::all_of(distance.terms, is_known_at_launch);
}

bool LaneConflicts::may_meet(const SharedAccess& first, const SharedAccess& second,
                             const llvm::Loop* around) {
  const llvm::BasicBlock &here = *first.instruction->getParent(),
                         &there = *second.instruction->getParent();
  if (by_one_lane_only(here, there)) return false;
  if (first.base != second.base) return may_be_one_variable(*first.base, *second.base, body_);
  if (are_different_arrays(first, second, around)) return false;
  auto parts = compare(first.bytes, first, second.bytes, second, around, {first.size, second.size});
  if (!parts || tells_lanes_apart(*parts)) return false;
  if (!first.shape || first.shape != second.shape || first.indices.size() != second.indices.size())
    return true;
  unsigned all = *parts;
  for (std::size_t i = 0; i < first.indices.size(); ++i) {
    const bool last = i + 1 == first.indices.size();
    parts = compare(first.indices[i], first, second.indices[i], second, around,
                    last ? Sizes{first.size, second.size} : Sizes{1, 1});
    if (!parts) return false;
    all |= *parts;
  }
  return !tells_lanes_apart(all);
}

bool LaneConflicts::higher_first_may_meet(const SharedAccess& first, const SharedAccess& second,
                                          const llvm::Loop* around) {
  if (!may_meet(first, second, around)) return false;
  return first.base != second.base || first.bytes.padding != second.bytes.padding ||
         !ascends(difference(first.bytes, second.bytes, first, second, around),
                  std::max(first.size, second.size));
}

}  // namespace treadle::cuda_cpu
