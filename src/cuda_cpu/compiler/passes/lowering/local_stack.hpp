// SPDX-License-Identifier: MIT
#pragma once

namespace llvm {
class Module;
class TargetMachine;
}  // namespace llvm

namespace treadle::cuda_cpu {

/// Puts arrays that a thread might write beyond on a stack of their own, and has deep stacks
/// probed. The last pass: LLVM's code generator does the rest.
void use_local_stack(llvm::Module& module, const llvm::TargetMachine& machine);

/// The option of LLVM's that has it ask for the local stack by a call.
inline constexpr const char* local_stack_option = "safestack-use-pointer-address";

}  // namespace treadle::cuda_cpu
