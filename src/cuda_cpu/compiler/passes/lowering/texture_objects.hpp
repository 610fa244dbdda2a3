// SPDX-License-Identifier: MIT
#pragma once

namespace llvm {
class Module;
}  // namespace llvm

namespace treadle::cuda_cpu {

/// Turns the numbers that texture objects are into addresses of what describes the texture.
void lower_texture_objects(llvm::Module& module);

}  // namespace treadle::cuda_cpu
