// SPDX-License-Identifier: MIT
// Analysis: loops of kernels without barriers that are worth cutting into steps. LLVM vectorises
// innermost loops; in `for x { for k { sum += a[k] * b[k * n + x]; } }` that is the loop over k,
// whose loads are far apart. Run in step the loop over x is the inner one.
//
//   sum += b[k * n + x]            side by side in x                        steps
//   z = z * z + c, while |z| < 2   no memory at all                         steps
//   sum += a[x * n + k]            each thread has a row of its own         as it is written
//   sum += p[index[x]]             anywhere                                 as it is written
#include "cuda_cpu/compiler/passes/step_loops.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include <cstdlib>
#include <optional>

#include "cuda_cpu/compiler/passes/kernel_body.hpp"
#include "cuda_cpu/compiler/passes/pass_runner.hpp"

namespace treadle::cuda_cpu {
namespace {

using llvm::Instruction;
using llvm::Value;

constexpr unsigned largest_loop = 200;  // instructions
constexpr const char* mark = "treadle.loop.steps";

/// How much a value grows from one thread to the next along x, where that is a known number. Not a
/// proof, what wraps or changes in a loop is not looked at: only speed depends on it.
class Slopes {
 public:
  Slopes(const KernelBody& body, const llvm::LoopInfo& loops)
      : body_(body), loops_(loops), layout_(body.function->getParent()->getDataLayout()) {}

  std::optional<std::int64_t> of(const Value* value) {
    if (llvm::isa<llvm::Argument>(value)) return value == body_.thread_index(0) ? 1 : 0;
    const auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (!instruction) return 0;
    if (const auto found = known_.find(value); found != known_.end()) return found->second;
    const auto slope = compute(*instruction);
    known_[value] = slope;
    return slope;
  }

 private:
  using Slope = std::optional<std::int64_t>;

  Slope compute(const Instruction& value) {
    if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(&value)) return where_it_begins(*phi);
    if (const auto* pointer = llvm::dyn_cast<llvm::GetElementPtrInst>(&value))
      return address(*pointer);
    if (llvm::isa<llvm::CastInst>(value)) return of(value.getOperand(0));
    const unsigned operation = value.getOpcode();
    if (operation != Instruction::Add && operation != Instruction::Sub &&
        operation != Instruction::Mul && operation != Instruction::Shl)
      return zero_if_all_are(value);
    const Slope left = of(value.getOperand(0)), right = of(value.getOperand(1));
    if (!left || !right) return std::nullopt;
    if (operation == Instruction::Add) return *left + *right;
    if (operation == Instruction::Sub) return *left - *right;
    if (*left == 0 && *right == 0) return 0;
    const auto* factor = llvm::dyn_cast<llvm::ConstantInt>(value.getOperand(1));
    if (!factor || factor->getBitWidth() > 64) return std::nullopt;
    return operation == Instruction::Mul ? *left * factor->getSExtValue()
                                         : *left << factor->getLimitedValue(31);
  }

  Slope where_it_begins(const llvm::PHINode& phi) {
    const llvm::Loop* loop = loops_.getLoopFor(phi.getParent());
    const bool at_head = loop && loop->getHeader() == phi.getParent();
    Slope common;
    for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
      if (at_head && loop->contains(phi.getIncomingBlock(i))) continue;
      const Slope slope = of(phi.getIncomingValue(i));
      if (!slope || (common && *common != *slope)) return std::nullopt;
      common = slope;
    }
    return common;
  }

  Slope address(const llvm::GetElementPtrInst& pointer) {
    Slope total = of(pointer.getPointerOperand());
    for (auto index = llvm::gep_type_begin(pointer); index != llvm::gep_type_end(pointer);
         ++index) {
      const Slope slope = of(index.getOperand());
      if (!slope || !total) return std::nullopt;
      if (*slope == 0) continue;
      if (index.isStruct()) return std::nullopt;
      total = *total + *slope * static_cast<std::int64_t>(
                                    index.getSequentialElementStride(layout_).getFixedValue());
    }
    return total;
  }

  Slope zero_if_all_are(const Instruction& value) {
    for (const llvm::Use& operand : value.operands())
      if (of(operand.get()) != Slope(0)) return std::nullopt;
    return 0;
  }

  const KernelBody& body_;
  const llvm::LoopInfo& loops_;
  const llvm::DataLayout& layout_;
  llvm::DenseMap<const Value*, Slope> known_;
};

/// Touches no memory, or memory that lies side by side or is the same for all threads.
bool suits(const Instruction& instruction, Slopes& slopes) {
  if (!instruction.mayReadOrWriteMemory()) return true;
  const Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
  if (!pointer || instruction.isVolatile() || instruction.isAtomic()) return false;
  const auto slope = slopes.of(pointer);
  const llvm::DataLayout& layout = instruction.getModule()->getDataLayout();
  const auto size =
      layout.getTypeStoreSize(llvm::getLoadStoreType(const_cast<Instruction*>(&instruction)))
          .getFixedValue();
  return slope && (*slope == 0 || std::abs(*slope) == static_cast<std::int64_t>(size));
}

bool suits(const llvm::Loop& loop, Slopes& slopes) {
  if (!loop.isInnermost() || !loop.getLoopLatch()) return false;
  unsigned size = 0;
  for (const llvm::BasicBlock* block : loop.blocks())
    for (const Instruction& instruction : *block)
      if (++size > largest_loop || !suits(instruction, slopes)) return false;
  return true;
}

}  // namespace

bool mark_step_loops(const KernelBody& body, PassRunner& runner) {
  const auto& loops = runner.fresh_analyses().getResult<llvm::LoopAnalysis>(*body.function);
  Slopes slopes(body, loops);
  bool any = false;
  for (llvm::Loop* outer : loops)
    for (llvm::Loop* loop : outer->getLoopsInPreorder()) {
      const bool steps = suits(*loop, slopes);
      llvm::addStringMetadataToLoop(loop, mark, steps ? 1 : 0);
      any |= steps;
    }
  return any;
}

std::optional<bool> step_loop_mark(const llvm::Loop& loop) {
  const auto value = llvm::getOptionalIntLoopAttribute(&loop, mark);
  return value ? std::optional(*value != 0) : std::nullopt;
}

}  // namespace treadle::cuda_cpu
