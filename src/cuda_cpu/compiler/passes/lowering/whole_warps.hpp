// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "cuda_cpu/compiler/passes/module_plan.hpp"

namespace treadle::cuda_cpu {

class PassRunner;

/// Answers for the headers, kernel by kernel, who comes to an operation of a warp, and drops the
/// questions. Runs on functions that are cleaned up, and cleans up behind itself.
void find_whole_warps(llvm::Module& module, const ModulePlan& plan, PassRunner& runner);

}  // namespace treadle::cuda_cpu
