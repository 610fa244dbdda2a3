// SPDX-License-Identifier: MIT
#pragma once

#include "cuda_cpu/compiler/passes/lowering/kernel_body.hpp"

namespace treadle::cuda_cpu {

class PassRunner;

/// Simplifies a body that is about to be split, and unrolls its small constant loops.
void simplify_body(const KernelBody& body, PassRunner& runner);

}  // namespace treadle::cuda_cpu
