// SPDX-License-Identifier: MIT
// Software prefetch, after LLVM's optimiser: a loop with barriers, `for m { tile = a[m]; barrier;
// compute; barrier; }`, reads memory in one region and computes in another. The processor sees the
// addresses of the next iteration only when it is there, and rows of a matrix lie too far apart for
// its own prefetcher. Where an address is affine in the loop's counter, the region prefetches it
// one iteration ahead, and memory answers while the threads compute.
//
//   %v = load <16 x float>, (%b + 4 * %n * %m)   =>   prefetch (%b + 4 * %n * %m) + 4 * %n * step
//                                                     %v = load ...
//
// The last iteration prefetches addresses that may not exist, which is no fault.
#include "cuda_cpu/compiler/passes/speed/software_prefetch.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

namespace treadle::cuda_cpu {
namespace {

using llvm::SCEV;

constexpr const char* counter_mark = "treadle.counter";
constexpr std::uint64_t line_bytes = 64;
// Rows that lie a power of two apart share a set of the first cache and would push each other out.
constexpr unsigned keep_in_second_cache = 2;
constexpr unsigned largest_address = 64;  // operations

/// The stride of an address from one iteration to the next. Wrapping is left out of account: a
/// prefetch in vain costs little.
class IterationStride {
 public:
  IterationStride(llvm::ScalarEvolution& evolution,
                  llvm::DenseMap<const llvm::Value*, const SCEV*> counters)
      : evolution_(evolution), counters_(std::move(counters)) {}

  /// Null where it is not the same for all of the region's threads; a zero where nothing changes.
  const SCEV* of(const SCEV* value) {
    llvm::Type* type = evolution_.getEffectiveSCEVType(value->getType());
    const SCEV* none = evolution_.getZero(type);
    switch (value->getSCEVType()) {
      case llvm::scConstant:
      case llvm::scVScale:
        return none;
      case llvm::scUnknown: {
        const auto found = counters_.find(llvm::cast<llvm::SCEVUnknown>(value)->getValue());
        return found == counters_.end() ? none
                                        : evolution_.getTruncateOrSignExtend(found->second, type);
      }
      case llvm::scTruncate:
      case llvm::scSignExtend:
      case llvm::scZeroExtend:
      case llvm::scPtrToInt: {
        const SCEV* step = of(llvm::cast<llvm::SCEVCastExpr>(value)->getOperand());
        return step ? evolution_.getTruncateOrSignExtend(step, type) : nullptr;
      }
      case llvm::scAddExpr: {
        const SCEV* sum = none;
        for (const SCEV* operand : value->operands()) {
          const SCEV* step = of(operand);
          if (!step) return nullptr;
          sum = evolution_.getAddExpr(sum, step);
        }
        return sum;
      }
      case llvm::scMulExpr:
        return of_product(*llvm::cast<llvm::SCEVMulExpr>(value));
      case llvm::scAddRecExpr: {
        const auto* line = llvm::cast<llvm::SCEVAddRecExpr>(value);
        for (const SCEV* operand : llvm::drop_begin(line->operands())) {
          const SCEV* step = of(operand);
          if (!step || !step->isZero()) return nullptr;
        }
        return of(line->getStart());
      }
      default:
        for (const SCEV* operand : value->operands()) {
          const SCEV* step = of(operand);
          if (!step || !step->isZero()) return nullptr;
        }
        return none;
    }
  }

 private:
  /// One factor may change.
  const SCEV* of_product(const llvm::SCEVMulExpr& product) {
    const SCEV* changes = nullptr;
    llvm::SmallVector<const SCEV*, 4> factors;
    for (const SCEV* operand : product.operands()) {
      const SCEV* step = of(operand);
      if (!step || (!step->isZero() && changes)) return nullptr;
      if (!step->isZero()) changes = step;
      factors.push_back(step->isZero() ? operand : step);
    }
    return changes ? evolution_.getMulExpr(factors) : evolution_.getZero(product.getType());
  }

  llvm::ScalarEvolution& evolution_;
  const llvm::DenseMap<const llvm::Value*, const SCEV*> counters_;
};

llvm::CallInst* fetch(llvm::IRBuilder<>& builder, llvm::Value* address) {
  return builder.CreateIntrinsic(
      llvm::Intrinsic::prefetch, {address->getType()},
      {address, builder.getInt32(0), builder.getInt32(keep_in_second_cache), builder.getInt32(1)});
}

/// The loads that are marked, with their steps. Removes the prefetches that only carried a step.
llvm::DenseMap<const llvm::Value*, const SCEV*> take_counters(llvm::Function& function,
                                                              llvm::ScalarEvolution& evolution) {
  using llvm::PatternMatch::match, llvm::PatternMatch::m_Value;
  llvm::DenseMap<const llvm::MDNode*, const SCEV*> carried;
  llvm::SmallVector<std::pair<const llvm::Instruction*, const llvm::MDNode*>, 4> loads;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    const llvm::MDNode* mark = instruction.getMetadata(counter_mark);
    if (!mark) continue;
    if (auto* fetch = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
      llvm::Value* step = nullptr;
      if (match(fetch->getArgOperand(0), llvm::PatternMatch::m_IntToPtr(m_Value(step))))
        carried[mark] = evolution.getSCEV(step);
      fetch->eraseFromParent();
    } else {
      loads.push_back({&instruction, mark});
    }
  }
  llvm::DenseMap<const llvm::Value*, const SCEV*> counters;
  for (const auto& [load, mark] : loads)
    if (mark->getNumOperands() > 0)
      counters[load] =
          evolution.getConstant(llvm::mdconst::extract<llvm::ConstantInt>(mark->getOperand(0)));
    else if (const SCEV* step = carried.lookup(mark))
      counters[load] = step;
  return counters;
}

/// The loads of whole vectors inside of loops: each reads about a cache line, worth one prefetch.
llvm::SmallVector<llvm::LoadInst*, 8> vector_loads(llvm::Function& function,
                                                   const llvm::LoopInfo& loops) {
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  llvm::SmallVector<llvm::LoadInst*, 8> loads;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (load && load->isSimple() && load->getType()->isVectorTy() &&
        layout.getTypeStoreSize(load->getType()) * 2 >= line_bytes &&
        loops.getLoopFor(load->getParent()))
      loads.push_back(load);
  }
  return loads;
}

}  // namespace

void mark_counter(llvm::Instruction& load, const llvm::Instruction& counter) {
  const auto* phi = llvm::dyn_cast<llvm::PHINode>(&counter);
  if (!phi || !phi->getType()->isIntegerTy()) return;
  for (const llvm::Value* from : phi->incoming_values()) {
    const auto* next = llvm::dyn_cast<llvm::BinaryOperator>(from);
    if (!next || next->getOpcode() != llvm::Instruction::Add || next->getOperand(0) != phi)
      continue;
    auto* step = llvm::dyn_cast<llvm::ConstantInt>(next->getOperand(1));
    if (!step || step->getBitWidth() > 64) continue;
    llvm::LLVMContext& context = load.getContext();
    llvm::Metadata* constant = llvm::ConstantAsMetadata::get(
        llvm::ConstantInt::getSigned(llvm::Type::getInt64Ty(context), step->getSExtValue()));
    load.setMetadata(counter_mark, llvm::MDNode::get(context, constant));
    return;
  }
}

void mark_counter(llvm::IRBuilder<>& builder, llvm::Instruction& load, llvm::Value& step) {
  // No operand of a load can name the step, so another instruction of the same mark does.
  llvm::MDNode* mark = llvm::MDNode::getDistinct(load.getContext(), {});
  load.setMetadata(counter_mark, mark);
  llvm::Value* number = builder.CreateSExt(&step, builder.getInt64Ty());
  llvm::Value* address = builder.CreateIntToPtr(number, builder.getPtrTy());
  fetch(builder, address)->setMetadata(counter_mark, mark);
}

llvm::PreservedAnalyses SoftwarePrefetch::run(llvm::Function& function,
                                              llvm::FunctionAnalysisManager& analyses) {
  if (llvm::none_of(llvm::instructions(function), [](const llvm::Instruction& instruction) {
        return instruction.hasMetadata(counter_mark);
      }))
    return llvm::PreservedAnalyses::all();
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  auto counters = take_counters(function, evolution);
  const auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  llvm::Module& module = *function.getParent();
  IterationStride steps(evolution, std::move(counters));
  llvm::SCEVExpander expander(evolution, module.getDataLayout(), "turn");
  for (llvm::LoadInst* load : vector_loads(function, loops)) {
    // Sums are graphs, and are walked as trees.
    if (evolution.getSCEV(load->getPointerOperand())->getExpressionSize() > largest_address)
      continue;
    const SCEV* step = steps.of(evolution.getSCEV(load->getPointerOperand()));
    if (!step || step->isZero() ||
        !evolution.isLoopInvariant(step, loops.getLoopFor(load->getParent())) ||
        !expander.isSafeToExpandAt(step, load))
      continue;
    llvm::Value* distance = expander.expandCodeFor(step, step->getType(), load);
    llvm::IRBuilder<> builder(load);
    llvm::Value* next = builder.CreateGEP(builder.getInt8Ty(), load->getPointerOperand(), distance);
    fetch(builder, next);
  }
  return llvm::PreservedAnalyses::none();
}

}  // namespace treadle::cuda_cpu
