// SPDX-License-Identifier: MIT
#pragma once

namespace llvm {
class Module;
}  // namespace llvm

namespace treadle::cuda_cpu {

struct ModulePlan;

/// Makes the places that instructions carry those of the functions they have come to, and names
/// the functions after their kernels. For the end, when nothing is copied or inlined any more.
void finish_line_tables(llvm::Module& module, const ModulePlan& plan);

}  // namespace treadle::cuda_cpu
