// SPDX-License-Identifier: MIT
#pragma once

#include "cuda_cpu/compiler/passes/kernel_body.hpp"

namespace treadle::cuda_cpu {

/// Turns atomic operations on shared memory into plain ones.
void make_shared_atomics_plain(const KernelBody& body);

}  // namespace treadle::cuda_cpu
