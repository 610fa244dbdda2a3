// SPDX-License-Identifier: MIT
// Analysis: loops of kernels without barriers that are worth cutting into steps. LLVM vectorises
// innermost loops; in `for x { for k { sum += a[k] * b[k * n + x]; } }` that is the loop over k,
// whose loads are far apart. Run in step the loop over x is the inner one.
//
//   sum += b[k * n + x]            side by side in x                        steps
//   z = z * z + c, while |z| < 2   no memory at all                         steps
//   sum += a[x * n + k]            each thread has a row of its own         as it is written
//   sum += p[index[x]]             anywhere                                 as it is written
//
// In kernels with barriers, loops that read what is a thread's own run in step anyway
// (implied_barriers). There it is decided for those that do not, and have arithmetic to share:
//
//   sum += 1 / (tile[k] - own)     the same in x                            steps
#include "cuda_cpu/compiler/passes/speed/step_loops.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include <optional>

#include "cuda_cpu/compiler/passes/analysis/slopes.hpp"
#include "cuda_cpu/compiler/passes/lowering/kernel_body.hpp"
#include "cuda_cpu/compiler/passes/pass_runner.hpp"

namespace treadle::cuda_cpu {
namespace {

using llvm::Instruction;

constexpr unsigned largest_loop = 200;  // instructions
constexpr const char* mark = "treadle.loop.steps";

bool suits(const llvm::Loop& loop, Slopes& slopes) {
  if (!loop.isInnermost() || !loop.getLoopLatch()) return false;
  unsigned size = 0;
  for (const llvm::BasicBlock* block : loop.blocks())
    for (const Instruction& instruction : *block)
      if (++size > largest_loop || !slopes.side_by_side(instruction)) return false;
  return true;
}

bool carries_floats(const llvm::Loop& loop) {
  return llvm::any_of(loop.getHeader()->phis(),
                      [](const llvm::PHINode& phi) { return phi.getType()->isFloatingPointTy(); });
}

}  // namespace

bool mark_step_loops(const KernelBody& body, PassRunner& runner) {
  const auto& loops = runner.fresh_analyses().getResult<llvm::LoopAnalysis>(*body.function);
  Slopes slopes(body, loops, 0);
  bool any = false;
  for (llvm::Loop* outer : loops)
    for (llvm::Loop* loop : outer->getLoopsInPreorder()) {
      const bool steps = suits(*loop, slopes);
      llvm::addStringMetadataToLoop(loop, mark, steps ? 1 : 0);
      any |= steps;
    }
  return any;
}

void mark_arithmetic_loops(const KernelBody& body, PassRunner& runner) {
  const auto& loops = runner.fresh_analyses().getResult<llvm::LoopAnalysis>(*body.function);
  Slopes slopes(body, loops, 0);
  for (llvm::Loop* loop : loops.getLoopsInPreorder())
    if (!step_loop_mark(*loop) && carries_floats(*loop) && suits(*loop, slopes))
      llvm::addStringMetadataToLoop(loop, mark, 1);
}

std::optional<bool> step_loop_mark(const llvm::Loop& loop) {
  const auto value = llvm::getOptionalIntLoopAttribute(&loop, mark);
  return value ? std::optional(*value != 0) : std::nullopt;
}

}  // namespace treadle::cuda_cpu
