// SPDX-License-Identifier: MIT
#pragma once

#include "cuda_cpu/compiler/passes/lowering/kernel_body.hpp"

#include "cuda_cpu/compiler/passes/regions/implied_barriers.hpp"

namespace treadle::cuda_cpu {

class PassRunner;

/// Makes short loops that threads will run in step do several of their steps at a time.
void widen_steps(const KernelBody& body, PassRunner& runner, Interchange interchange);

}  // namespace treadle::cuda_cpu
