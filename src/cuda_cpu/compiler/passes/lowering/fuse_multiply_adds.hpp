// SPDX-License-Identifier: MIT
#pragma once

namespace llvm {
class Function;
}  // namespace llvm

namespace treadle::cuda_cpu {

/// Fuses, where the program allows it, each product that is used by one sum only.
void fuse_multiply_adds(llvm::Function& function);
/// The same, and nothing is fused later: copies of the function give the same bits.
void fuse_for_good(llvm::Function& function);

}  // namespace treadle::cuda_cpu
