// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/PassManager.h>

#include <optional>

#include "cuda_cpu/compiler/passes/analysis/shared_offsets.hpp"
#include "cuda_cpu/compiler/passes/analysis/uniformity.hpp"

namespace llvm {
class BasicBlock;
class DominatorTree;
class ICmpInst;
class Loop;
class LoopInfo;
class ScalarEvolution;
}  // namespace llvm

namespace treadle::cuda_cpu {

/// Whether accesses to shared memory by two lanes of one warp may meet in an element. "No" is a
/// proof, if indices stay within their array and strides that only the launch knows are not
/// negative.
class LaneConflicts {
 public:
  LaneConflicts(const KernelBody& body, const Uniformity& uniformity,
                llvm::FunctionAnalysisManager& analyses);

  /// Whether `second`, by one lane, may access what `first` did by another. `around`: a loop that
  /// has begun another iteration in between, or null.
  bool may_meet(const SharedAccess& first, const SharedAccess& second, const llvm::Loop* around);
  /// The same where `first` is of the higher lane.
  bool higher_first_may_meet(const SharedAccess& first, const SharedAccess& second,
                             const llvm::Loop* around);
  /// Whether all lanes of a warp access one element.
  bool is_one_address(const SharedAccess& access) const { return same_in_warp(*access.pointer); }
  /// Whether `condition` has one answer for all lanes of a warp: `threadIdx.x < 32`.
  bool keeps_warps_together(const llvm::Value& condition) const;

 private:
  /// What is known of a value that tells threads apart, as bits: a set of them may tell any two.
  enum Thread : unsigned { none = 0, x = 1, y = 2, z = 4, rows = 8, lane = 16 };
  struct Range {
    std::int64_t low, high;
  };
  struct Difference;
  struct Guard {
    const llvm::ICmpInst* condition;
    bool holds;
    llvm::CmpInst::Predicate predicate() const;
    llvm::CmpInst::Predicate swapped() const;
  };
  struct Sizes {
    std::int64_t first, second;
  };

  Thread thread_part(const llvm::Value& symbol) const;
  bool is_rows(const llvm::Value& value) const;
  bool is_linear_thread(const llvm::Value& value) const;
  bool same_in_warp(const llvm::Value& value) const;
  bool tells_lanes_apart(unsigned parts) const;
  bool used_by_itself(unsigned dimension) const;
  Range range_of(const llvm::Value& symbol, const llvm::BasicBlock& at);
  const llvm::SmallVector<Guard, 4>& guards_of(const llvm::BasicBlock& block);
  unsigned pinned_by(const Guard& guard) const;
  bool by_one_lane_only(const llvm::BasicBlock& first, const llvm::BasicBlock& second);
  bool keeps_its_value(const llvm::Value& symbol, const llvm::BasicBlock& first,
                       const llvm::BasicBlock& second, const llvm::Loop* around) const;
  Difference difference(const LinearForm& first, const LinearForm& second,
                        const SharedAccess& of_first, const SharedAccess& of_second,
                        const llvm::Loop* around);
  std::optional<unsigned> equal_only_if(const Difference& difference, std::int64_t first_size,
                                        std::int64_t second_size) const;
  std::optional<unsigned> compare(const LinearForm& first, const SharedAccess& of_first,
                                  const LinearForm& second, const SharedAccess& of_second,
                                  const llvm::Loop* around, Sizes sizes);
  llvm::SmallVector<LinearForm, 4> bounds(const LinearForm& form, const llvm::BasicBlock& block,
                                          bool below);
  bool apart_by_guards(const LinearForm& greater, const SharedAccess& of_greater,
                       const LinearForm& less, const SharedAccess& of_less, std::int64_t size,
                       const llvm::Loop* around);
  bool are_different_arrays(const SharedAccess& first, const SharedAccess& second,
                            const llvm::Loop* around) const;
  bool ascends(const Difference& difference, std::int64_t size) const;

  const KernelBody& body_;
  const llvm::DominatorTree& dominators_;
  const llvm::LoopInfo& loops_;
  llvm::ScalarEvolution& evolution_;
  const Uniformity& uniformity_;
  bool one_dimensional_, two_dimensional_;
  llvm::DenseMap<const llvm::BasicBlock*, llvm::SmallVector<Guard, 4>> guards_;
};

}  // namespace treadle::cuda_cpu
