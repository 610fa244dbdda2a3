// SPDX-License-Identifier: MIT
#pragma once

namespace llvm {
class Function;
}  // namespace llvm

namespace treadle::cuda_cpu {

/// Turns printf, assert, trap, malloc, free and clock markers into calls through the table.
void lower_services(llvm::Function& function);

}  // namespace treadle::cuda_cpu
