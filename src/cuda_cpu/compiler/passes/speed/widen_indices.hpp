// SPDX-License-Identifier: MIT
#pragma once

namespace treadle::cuda_cpu {

struct KernelBody;

/// Computes indices of memory that goes along rows of threads in 64 bits.
void widen_indices(const KernelBody& body);

}  // namespace treadle::cuda_cpu
