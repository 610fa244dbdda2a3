// SPDX-License-Identifier: MIT
// Unroll-and-jam of the loop over rows of threads: for regions in which every row reads the same
// rows of a tile, more of them than the processor has registers. In
//
//   for (k = 0; k < 32; k++) sum += a[y][k] * b[k][x];       double, 32 x 32 threads
//
// b is 128 vectors of 64 bytes, sum four of them for each y. Row by row each multiply-add loads one
// vector of b, and a processor that loads as many vectors as it multiplies has no time left for a.
// With the loop over y unrolled by two and the two bodies jammed it loads half as many:
//
//   for y:    for x: sum[y]                =>    for y += 2:    for x: sum[y], sum[y + 1]
//
// The loop over x is interleaved by all vectors of a row, or each element of a would be kept, or
// loaded again, for every one of them. LICM is off for the loop over y: it would keep b on the
// stack.
#include "cuda_cpu/compiler/passes/speed/unroll_and_jam.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>

#include "cuda_cpu/compiler/passes/analysis/affine_strides.hpp"

namespace treadle::cuda_cpu {
namespace {

constexpr unsigned rows_at_a_time = 2;
constexpr unsigned most_vectors = 4;  // interleaved: with two rows, eight sums

/// The type of all coalesced accesses; null where they differ. Slots in the
/// frame are left out: what goes through them is a row's own.
class RowAccesses {
 public:
  RowAccesses(const KernelBody& region, const llvm::LoopInfo& loops)
      : along_x_(region, loops, 0), along_y_(region, loops, 1) {
    for (llvm::Instruction& instruction : llvm::instructions(*region.function))
      // Functions have vectors of their own.
      if (llvm::isa<llvm::CallInst>(instruction) && !llvm::isa<llvm::IntrinsicInst>(instruction))
        suit_ = false;
      else
        add(instruction);
  }

  llvm::Type* type() const { return suit_ ? type_ : nullptr; }
  /// Rows that are read alike by each row of threads.
  unsigned shared_rows() const { return shared_rows_; }

 private:
  void add(llvm::Instruction& access) {
    suit_ = suit_ && along_x_.coalesced(access);
    const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&access);
    if (!suit_ || !pointer || along_x_.stride(pointer) == 0) return;
    llvm::Type* type = llvm::getLoadStoreType(&access);
    suit_ = type->isFloatingPointTy() && (!type_ || type_ == type);
    type_ = type;
    if (llvm::isa<llvm::LoadInst>(access) && along_y_.stride(pointer) == 0) ++shared_rows_;
  }

  AffineStrides along_x_, along_y_;
  bool suit_ = true;
  llvm::Type* type_ = nullptr;
  unsigned shared_rows_ = 0;
};

void inline_call(llvm::CallInst& call) {
  llvm::InlineFunctionInfo info;
  llvm::InlineFunction(call, info, /*MergeAttributes=*/false, nullptr, /*InsertLifetime=*/false);
}

/// What the call of a function without branches is inlined to, in order. Nothing if that is not one
/// block.
llvm::SmallVector<llvm::Instruction*, 0> inlined(llvm::CallInst& call) {
  llvm::BasicBlock* block = call.getParent();
  llvm::Instruction* before = call.getPrevNode();
  const llvm::Instruction* behind = call.getNextNode();
  inline_call(call);
  llvm::SmallVector<llvm::Instruction*, 0> made;
  if (behind->getParent() != block) return made;
  for (auto at = before ? std::next(before->getIterator()) : block->begin(); &*at != behind; ++at)
    made.push_back(&*at);
  return made;
}

bool goes_straight(const llvm::Function& function, const llvm::LoopInfo& loops) {
  return loops.empty() && llvm::all_of(function, [](const llvm::BasicBlock& block) {
           const llvm::Instruction* end = block.getTerminator();
           return llvm::isa<llvm::ReturnInst>(end) || end->getNumSuccessors() == 1;
         });
}

}  // namespace

UnrollAndJamPlan plan_unroll_and_jam(const KernelBody& region, unsigned width,
                                     const llvm::TargetMachine& machine) {
  const llvm::DominatorTree dominators(*region.function);
  const llvm::LoopInfo loops(dominators);
  if (!goes_straight(*region.function, loops)) return {};
  const RowAccesses accesses(region, loops);
  llvm::Type* type = accesses.type();
  if (!type) return {};
  const auto target = machine.getTargetTransformInfo(*region.function);
  const auto register_bits =
      target.getRegisterBitWidth(llvm::TargetTransformInfo::RGK_FixedWidthVector).getFixedValue();
  const unsigned elements = static_cast<unsigned>(register_bits / type->getScalarSizeInBits());
  if (elements == 0 || width % elements != 0) return {};
  const unsigned vectors = width / elements;
  const unsigned registers =
      target.getNumberOfRegisters(target.getRegisterClassForType(/*Vector=*/true, type));
  // A quarter is left for the sums and what they are multiplied by.
  if (accesses.shared_rows() * vectors <= registers - registers / 4) return {};
  return {rows_at_a_time, elements, std::min(vectors, most_vectors)};
}

void inline_threads(llvm::ArrayRef<llvm::CallInst*> calls) {
  if (calls.size() == 1) return inline_call(*calls.front());
  const auto first = inlined(*calls.front());
  for (llvm::CallInst* call : calls.drop_front())
    // One may be longer, where the threads' places let something be left out.
    for (const auto& [leads, follows] : llvm::zip(first, inlined(*call))) follows->moveAfter(leads);
}

}  // namespace treadle::cuda_cpu
