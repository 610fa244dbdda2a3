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

/// Strides of values that are affine in the thread index along one dimension of the block,
/// addresses in bytes. No proof: wrapping and what changes in a loop are left out of account, so
/// only choices about speed may depend on it.
class AffineStrides {
 public:
  AffineStrides(const KernelBody& body, const llvm::LoopInfo& loops, unsigned dimension);

  /// None where `value` is not affine, or its stride is not a known constant.
  std::optional<std::int64_t> stride(const llvm::Value* value);
  /// Whether `instruction` accesses no memory, or coalesced: neighbouring threads access
  /// neighbouring elements, or all the same one.
  bool coalesced(const llvm::Instruction& instruction);

 private:
  using Stride = std::optional<std::int64_t>;

  Stride compute(const llvm::Instruction& value);
  Stride at_loop_entry(const llvm::PHINode& phi);
  Stride address(const llvm::GetElementPtrInst& pointer);
  Stride zero_if_uniform(const llvm::Instruction& value);

  const llvm::Value* index_;
  const llvm::LoopInfo& loops_;
  const llvm::DataLayout& layout_;
  llvm::DenseMap<const llvm::Value*, Stride> known_;
};

}  // namespace treadle::cuda_cpu
