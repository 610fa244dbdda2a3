// SPDX-License-Identifier: MIT
#pragma once

#include "cuda_cpu/compiler/passes/module_plan.hpp"

namespace llvm {
class Function;
}

namespace treadle::cuda_cpu {

class PassRunner;

/// What one thread of a kernel takes, as far as its code shows.
RunningTime running_time(llvm::Function& body, PassRunner& runner);

}  // namespace treadle::cuda_cpu
