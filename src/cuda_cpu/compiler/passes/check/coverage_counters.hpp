// SPDX-License-Identifier: MIT
#pragma once

namespace llvm {
class Module;
}  // namespace llvm

namespace treadle::cuda_cpu {

/// From clang's notes of where to count to instructions that do.
void lower_coverage_counters(llvm::Module& module);

}  // namespace treadle::cuda_cpu
