// SPDX-License-Identifier: MIT
#pragma once

namespace clang {
class CodeGenerator;
}  // namespace clang
namespace llvm {
class Module;
}  // namespace llvm

namespace treadle::cuda_cpu {

/// Gives variables of the types texture<> and surface<> the values that their declarations say.
/// clang leaves them undefined: for NVIDIA's GPUs they were no memory.
void initialize_references(llvm::Module& module, clang::CodeGenerator& generator);

}  // namespace treadle::cuda_cpu
