// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/ADT/DenseMap.h>

#include <cstdint>
#include <optional>

namespace llvm {
class DataLayout;
class GetElementPtrInst;
class Instruction;
class LoopInfo;
class PHINode;
class Value;
}  // namespace llvm

namespace treadle::cuda_cpu {

struct KernelBody;

/// How much values of a body grow from one thread to the next along one dimension of the block,
/// addresses in bytes. No proof: what wraps or changes in a loop is not looked at, so only choices
/// about speed may depend on it.
class Slopes {
 public:
  Slopes(const KernelBody& body, const llvm::LoopInfo& loops, unsigned dimension);

  /// None where it is not the same known number everywhere.
  std::optional<std::int64_t> of(const llvm::Value* value);
  /// Whether `instruction` touches no memory, or memory that lies side by side for neighbouring
  /// threads or is the same for all of them.
  bool side_by_side(const llvm::Instruction& instruction);

 private:
  using Slope = std::optional<std::int64_t>;

  Slope compute(const llvm::Instruction& value);
  Slope where_it_begins(const llvm::PHINode& phi);
  Slope address(const llvm::GetElementPtrInst& pointer);
  Slope zero_if_all_are(const llvm::Instruction& value);

  const llvm::Value* index_;
  const llvm::LoopInfo& loops_;
  const llvm::DataLayout& layout_;
  llvm::DenseMap<const llvm::Value*, Slope> known_;
};

}  // namespace treadle::cuda_cpu
