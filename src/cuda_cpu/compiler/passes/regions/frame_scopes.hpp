// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/ADT/ArrayRef.h>

namespace llvm {
class Function;
class Value;
}  // namespace llvm

namespace treadle::cuda_cpu {

/// Declares that memory reached through one of `frames` is reached through nothing else in
/// `function`: neither through another of them nor through a pointer of the program.
void separate_frames(llvm::Function& function, llvm::ArrayRef<llvm::Value*> frames);

}  // namespace treadle::cuda_cpu
