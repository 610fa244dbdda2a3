// SPDX-License-Identifier: MIT
#pragma once

#include "cuda_cpu/compiler/passes/lowering/kernel_body.hpp"

namespace treadle::cuda_cpu {

class PassRunner;

/// In which order a worker runs the threads of a block up to their next barrier.
enum class ThreadOrder { ascending, any };

/// Lets the lanes of a warp meet where one may read from shared memory what another has written
/// since they last did.
void keep_lockstep(const KernelBody& body, PassRunner& runner, ThreadOrder order);

}  // namespace treadle::cuda_cpu
