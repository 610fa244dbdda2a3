// SPDX-License-Identifier: MIT
#pragma once

#include "cuda_cpu/compiler/passes/module_plan.hpp"

namespace treadle::cuda_cpu {

/// Makes one region of those of a kernel that every thread runs from the first to the last, each
/// once. Other kernels, and those of many regions, stay as they are.
void join_regions(KernelPlan& kernel);

}  // namespace treadle::cuda_cpu
