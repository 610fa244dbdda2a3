// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>

namespace llvm {
class Function;
class IRBuilderBase;
}  // namespace llvm

namespace treadle::cuda_cpu {

/// Turns printf, assert, trap, malloc, free and clock markers into calls through the table.
/// `before_call` is run with a builder in front of each.
void lower_services(llvm::Function& function,
                    llvm::function_ref<void(llvm::IRBuilderBase&)> before_call);

}  // namespace treadle::cuda_cpu
