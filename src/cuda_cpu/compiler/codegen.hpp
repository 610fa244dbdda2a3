// SPDX-License-Identifier: MIT
// The host as a compilation target, and machine code from lowered IR.
#pragma once

#include <llvm/ADT/SmallVector.h>

#include <memory>
#include <string>

namespace llvm {
class Module;
class TargetMachine;
}  // namespace llvm

namespace treadle::cuda_cpu {

class PassRunner;

/// Code for this very processor, position-independent. `optimization` is 0 to 3.
std::unique_ptr<llvm::TargetMachine> create_host_machine(unsigned optimization);

/// LLVM's name of this processor, for tuning. Asked once: in a virtual machine asking is slow.
const std::string& host_processor();

/// Optimises the lowered module at the machine's level.
void optimize(llvm::Module& module, PassRunner& runner, unsigned optimization);

/// An ELF object file.
llvm::SmallVector<char, 0> emit_object(llvm::Module& module, llvm::TargetMachine& machine);

}  // namespace treadle::cuda_cpu
