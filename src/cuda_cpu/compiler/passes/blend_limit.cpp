// SPDX-License-Identifier: MIT
// Blend limit: in a vectorised loop a value that depends on a branch becomes a
// blend of both sides. LLVM's vectoriser asks of each blend whether its first lane is all that is
// needed, and looks for the answer in every blend made of it, along every path: branches behind
// and inside each other have exponentially many. Such a loop stays as it is.
//
//   %b = phi [ %a, .. ], [ %a, .. ]     2 paths from %a to the end
//   %c = phi [ %b, .. ], [ %b, .. ]     4, and so on: 30 of these take minutes
#include "cuda_cpu/compiler/passes/blend_limit.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include <algorithm>

namespace treadle::cuda_cpu {
namespace {

constexpr std::uint64_t most_paths = 1u << 16;  // some milliseconds

/// Counts the ways from a value through PHIs of the loop that are no values of its next iteration.
class Paths {
 public:
  explicit Paths(const llvm::Loop& loop) : loop_(loop) {}

  std::uint64_t from(const llvm::PHINode& value) {
    if (const auto found = known_.find(&value); found != known_.end()) return found->second;
    known_[&value] = most_paths + 1;  // for a way round that is no loop of LLVM's: goto into one
    std::uint64_t paths = 1;
    for (const llvm::User* user : value.users()) {
      const auto* blend = llvm::dyn_cast<llvm::PHINode>(user);
      if (blend && is_blend(*blend)) paths = std::min(paths + from(*blend), most_paths + 1);
    }
    return known_[&value] = paths;
  }

  std::uint64_t in_all() {
    std::uint64_t paths = 0;
    for (const llvm::BasicBlock* block : loop_.blocks())
      for (const llvm::PHINode& phi : block->phis())
        if (is_blend(phi)) paths += from(phi);
    return paths;
  }

 private:
  bool is_blend(const llvm::PHINode& phi) const {
    return phi.getParent() != loop_.getHeader() && loop_.contains(&phi);
  }

  const llvm::Loop& loop_;
  llvm::DenseMap<const llvm::PHINode*, std::uint64_t> known_;
};

}  // namespace

llvm::PreservedAnalyses BlendLimit::run(llvm::Function& function,
                                        llvm::FunctionAnalysisManager& analyses) {
  for (llvm::Loop* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder())
    if (loop->isInnermost() && Paths(*loop).in_all() > most_paths)
      llvm::addStringMetadataToLoop(loop, "llvm.loop.vectorize.enable", 0);
  return llvm::PreservedAnalyses::all();
}

}  // namespace treadle::cuda_cpu
