// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/SmallPtrSet.h>

namespace llvm {
class BasicBlock;
class Instruction;
}  // namespace llvm

namespace treadle::cuda_cpu {

/// Whether `value` comes into addresses of what `blocks` read and write: it is worth knowing that
/// neighbouring threads hold neighbouring numbers.
bool indexes_memory(const llvm::Instruction& value,
                    const llvm::SmallPtrSetImpl<const llvm::BasicBlock*>& blocks);

}  // namespace treadle::cuda_cpu
