// SPDX-License-Identifier: MIT
#pragma once

namespace llvm {
class Function;
}  // namespace llvm

namespace treadle::cuda_cpu {

/// Gives division, shifts and float-to-integer conversions a GPU's answers where C++ has none.
void give_gpu_arithmetic(llvm::Function& function);

}  // namespace treadle::cuda_cpu
