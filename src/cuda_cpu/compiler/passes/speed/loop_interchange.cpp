// SPDX-License-Identifier: MIT
// Loop interchange: which loops of a thread are exchanged with the loop over threads around them.
// LLVM vectorises innermost loops; in `for x { for k { sum += a[k] * b[k * n + x]; } }` that is the
// loop over k, whose loads are far apart. Interchanged, the loop over x is the innermost: a
// scheduling barrier at the head of the loop over k makes each of its iterations a region of its
// own (implied_barriers), which all threads run before the next.
//
//   sum += b[k * n + x]            coalesced along x                        interchanged
//   z = z * z + c, while |z| < 2   no memory at all                         interchanged
//   sum += a[x * n + k]            each thread has a row of its own         as it is written
//   sum += p[index[x]]             anywhere                                 as it is written
//
// In kernels with barriers, loops that load from addresses that vary between threads are
// interchanged anyway (implied_barriers). There the decision is about loops with uniform addresses
// that carry floating-point values, which LLVM may not reorder:
//
//   sum += 1 / (tile[k] - own)     uniform along x                          interchanged
#include "cuda_cpu/compiler/passes/speed/loop_interchange.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include <optional>

#include "cuda_cpu/compiler/passes/analysis/affine_strides.hpp"
#include "cuda_cpu/compiler/passes/lowering/kernel_body.hpp"
#include "cuda_cpu/compiler/passes/pass_runner.hpp"

namespace treadle::cuda_cpu {
namespace {

using llvm::Instruction;

constexpr unsigned largest_loop = 200;  // instructions
constexpr const char* mark = "treadle.loop.interchange";

bool suits(const llvm::Loop& loop, AffineStrides& strides) {
  if (!loop.isInnermost() || !loop.getLoopLatch()) return false;
  unsigned size = 0;
  for (const llvm::BasicBlock* block : loop.blocks())
    for (const Instruction& instruction : *block)
      if (++size > largest_loop || !strides.coalesced(instruction)) return false;
  return true;
}

bool carries_floats(const llvm::Loop& loop) {
  return llvm::any_of(loop.getHeader()->phis(),
                      [](const llvm::PHINode& phi) { return phi.getType()->isFloatingPointTy(); });
}

}  // namespace

bool mark_interchanged_loops(const KernelBody& body, PassRunner& runner) {
  const auto& loops = runner.fresh_analyses().getResult<llvm::LoopAnalysis>(*body.function);
  AffineStrides strides(body, loops, 0);
  bool any = false;
  for (llvm::Loop* outer : loops)
    for (llvm::Loop* loop : outer->getLoopsInPreorder()) {
      const bool steps = suits(*loop, strides);
      llvm::addStringMetadataToLoop(loop, mark, steps ? 1 : 0);
      any |= steps;
    }
  return any;
}

void mark_float_loops(const KernelBody& body, PassRunner& runner) {
  const auto& loops = runner.fresh_analyses().getResult<llvm::LoopAnalysis>(*body.function);
  AffineStrides strides(body, loops, 0);
  for (llvm::Loop* loop : loops.getLoopsInPreorder())
    if (!interchange_mark(*loop) && carries_floats(*loop) && suits(*loop, strides))
      llvm::addStringMetadataToLoop(loop, mark, 1);
}

std::optional<bool> interchange_mark(const llvm::Loop& loop) {
  const auto value = llvm::getOptionalIntLoopAttribute(&loop, mark);
  return value ? std::optional(*value != 0) : std::nullopt;
}

}  // namespace treadle::cuda_cpu
