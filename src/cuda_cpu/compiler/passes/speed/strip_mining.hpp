// SPDX-License-Identifier: MIT
#pragma once

#include "cuda_cpu/compiler/passes/lowering/kernel_body.hpp"

#include "cuda_cpu/compiler/passes/regions/implied_barriers.hpp"

namespace treadle::cuda_cpu {

class PassRunner;

/// Unrolls short loops that will be interchanged by a strip of iterations.
void strip_mining(const KernelBody& body, PassRunner& runner, Interchange interchange);

}  // namespace treadle::cuda_cpu
