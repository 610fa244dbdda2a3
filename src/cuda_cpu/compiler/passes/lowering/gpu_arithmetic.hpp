// SPDX-License-Identifier: MIT
#pragma once

namespace llvm {
class BinaryOperator;
class Function;
}  // namespace llvm

namespace treadle::cuda_cpu {

/// Gives what clang made of float-to-integer casts, `llvm.fptosi.sat` and its like, a GPU's
/// answers. Comes before anything that folds constants, and before inline PTX, which is exact
/// already.
void saturate_conversions(llvm::Function& function);

/// Gives division, shifts and float-to-integer conversions a GPU's answers where C++ has none.
void give_gpu_arithmetic(llvm::Function& function);

/// Makes a division, or remainder, one that neither traps nor is undefined whatever its operands
/// are; where it was defined, its result stays.
void make_harmless(llvm::BinaryOperator& division);

}  // namespace treadle::cuda_cpu
