// SPDX-License-Identifier: MIT
#pragma once

namespace llvm {
class CallInst;
class Function;
class Module;
}  // namespace llvm

namespace treadle::cuda_cpu {

/// A function of the host's libm or libc that kernels may call: "sinf", "memcpy".
bool is_library_function(const llvm::Function& function);

/// How many bytes a call of a math function writes behind its last argument: 0 for most.
unsigned bytes_written_by_library(const llvm::CallInst& call);

/// Tells LLVM that math functions are pure, and resolves the few libm does not have.
void prepare_math_calls(llvm::Module& module);

}  // namespace treadle::cuda_cpu
