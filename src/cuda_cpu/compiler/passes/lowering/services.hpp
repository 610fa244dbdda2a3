// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>

#include "cuda_cpu/compiler/passes/lowering/markers.hpp"

namespace llvm {
class Function;
class IRBuilderBase;
}  // namespace llvm

namespace treadle::cuda_cpu {

/// Turns markers of services, printf and malloc and their like, into calls through the table: those
/// that are `wanted`. `before_call` is run with a builder in front of each.
void lower_services(llvm::Function& function, llvm::function_ref<bool(Marker)> wanted,
                    llvm::function_ref<void(llvm::IRBuilderBase&)> before_call);

}  // namespace treadle::cuda_cpu
